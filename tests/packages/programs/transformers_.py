"""TensorFlow models of transformers: fit, save, load and generate, from configurations and so without a network."""

import tempfile

import numpy as np
import tensorflow as tf
from transformers import BertConfig, GPT2Config, TFBertForSequenceClassification, TFGPT2LMHeadModel

rng = np.random.default_rng(0)


def fill(model):
    """Weights that are the same everywhere."""
    model.set_weights([rng.normal(scale=0.1, size=w.shape).astype("float32") for w in model.get_weights()])


config = BertConfig(
    vocab_size=100,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
model = TFBertForSequenceClassification(config)
x = {"input_ids": rng.integers(0, 100, (16, 12)), "attention_mask": np.ones((16, 12), np.int64)}
x["attention_mask"][:, 9:] = 0
y = rng.integers(0, 2, 16)
model(x)
fill(model)
found = {"logits": model(x).logits.numpy()[:3].ravel().tolist()}
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=tf.keras.optimizers.SGD(0.05), loss=loss)
found["losses"] = model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]

with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    again = TFBertForSequenceClassification.from_pretrained(folder)
    np.testing.assert_allclose(again(x).logits, model(x).logits, atol=1e-6)

writer = TFGPT2LMHeadModel(
    GPT2Config(vocab_size=50, n_positions=64, n_embd=32, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=49)
)
start = tf.constant([[1, 2, 3], [4, 5, 6]])
writer(start)
fill(writer)
asked = {"max_new_tokens": 8, "pad_token_id": 49}
found["greedy"] = writer.generate(start, do_sample=False, **asked).numpy().tolist()
found["beams"] = writer.generate(start, num_beams=3, **asked).numpy().tolist()
assert writer.generate(start, do_sample=True, top_k=5, **asked).shape[0] == 2

print("result", found)
