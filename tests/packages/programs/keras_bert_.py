"""BERT trained on pairs of sentences, saved and loaded, as in the README of keras-bert."""

import os

os.environ["TF_KERAS"] = "1"
import tempfile

import numpy as np
from keras_bert import Tokenizer, gen_batch_inputs, get_base_dict, get_custom_objects, get_model
from tensorflow import keras

np.random.seed(0)
sentence_pairs = [
    [["all", "work", "and", "no", "play"], ["makes", "jack", "a", "dull", "boy"]],
    [["from", "the", "day", "forth"], ["my", "arm", "changed"]],
    [["and", "a", "voice", "echoed"], ["power", "give", "me", "more", "power"]],
]
token_dict = get_base_dict()
for pair in sentence_pairs:
    for token in pair[0] + pair[1]:
        token_dict.setdefault(token, len(token_dict))
token_list = list(token_dict.keys())
model = get_model(
    token_num=len(token_dict),
    head_num=5,
    transformer_num=2,
    embed_dim=25,
    feed_forward_dim=100,
    seq_len=20,
    pos_num=20,
    dropout_rate=0.05,
)
model.compile("adam", "sparse_categorical_crossentropy")


def batches():
    while True:
        yield gen_batch_inputs(
            sentence_pairs, token_dict, token_list, seq_len=20, mask_rate=0.3, swap_sentence_rate=1.0
        )


history = model.fit(batches(), steps_per_epoch=4, epochs=2, verbose=0)
assert np.isfinite(history.history["loss"]).all()
inputs, _ = next(batches())
filler = np.random.default_rng(1)
model.set_weights([0.1 * filler.normal(size=w.shape) for w in model.get_weights()])
batch = gen_batch_inputs(
    sentence_pairs, token_dict, token_list, seq_len=20, mask_rate=0.0, swap_sentence_rate=0.0
)[0]
before = model.predict(batch, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "bert.h5")
    model.save(path)
    again = keras.models.load_model(path, custom_objects=get_custom_objects(), compile=False)
    for one, other in zip(again.predict(batch, verbose=0), before):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)

tokenizer = Tokenizer(token_dict)
indices, segments = tokenizer.encode(first="power give", second="me more", max_len=12)
inputs, output_layer = get_model(
    token_num=len(token_dict),
    head_num=5,
    transformer_num=1,
    embed_dim=25,
    feed_forward_dim=50,
    seq_len=20,
    pos_num=20,
    training=False,
    trainable=True,
    output_layer_num=1,
)
outputs = keras.layers.Dense(2, activation="softmax")(keras.layers.Lambda(lambda x: x[:, 0])(output_layer))
classifier = keras.models.Model(inputs, outputs)
classifier.compile("adam", "sparse_categorical_crossentropy")
classifier.fit([np.ones((6, 20)), np.zeros((6, 20))], np.array([0, 1] * 3), verbose=0)
print("result", {"masked": before[0][0, 1, :5].tolist(), "next": before[1][0].tolist(), "indices": indices})
