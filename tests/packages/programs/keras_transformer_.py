"""Translation with a transformer, as in the README of keras-transformer."""

import os

os.environ["TF_KERAS"] = "1"

import numpy as np  # noqa: E402
from keras_transformer import decode, get_model  # noqa: E402

tokens = "all work and no play makes jack a dull boy".split(" ")
token_dict = {"<PAD>": 0, "<START>": 1, "<END>": 2}
for token in tokens:
    token_dict.setdefault(token, len(token_dict))
source = [["<START>", *tokens, "<END>"]]
output = [[*tokens, "<END>", "<PAD>"]]
encoded = [[token_dict[t] for t in line] for line in source]
decoded = [[token_dict[t] for t in line] for line in output]
model = get_model(
    token_num=len(token_dict),
    embed_dim=12,
    encoder_num=2,
    decoder_num=1,
    head_num=3,
    hidden_dim=24,
    attention_activation="relu",
    feed_forward_activation="relu",
    dropout_rate=0.0,
)
model.set_weights(
    [0.3 * np.random.default_rng(k).normal(size=w.shape) for k, w in enumerate(model.get_weights())]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
model.summary()
x, y = [np.asarray(encoded * 8), np.asarray(encoded * 8)], np.asarray(decoded * 8)
result = {
    "loss": model.fit(x, y[..., None], epochs=3, batch_size=4, shuffle=False, verbose=0).history["loss"]
}
found = decode(model, encoded * 2, start_token=1, end_token=2, pad_token=0, max_len=6)
result["decoded"] = [len(found)]
print("result", result)
