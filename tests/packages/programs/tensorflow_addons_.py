"""Layers, losses, metrics, optimizers, images and sequences, as in the README and tutorials of tensorflow-addons."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa

rng = np.random.default_rng(0)
result = {}


def numbers(value):
    return np.asarray(value, np.float64).ravel()[:8].tolist()


def model_of(*layers):
    model = tf.keras.Sequential([tf.keras.layers.Dense(6), *layers, tf.keras.layers.Dense(3)])
    model.build((None, 5))
    model.set_weights([0.4 * np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()])
    return model


x = rng.normal(size=(32, 5)).astype("float32")
y = rng.integers(0, 3, 32)
hot = np.eye(3, dtype="float32")[y]
optimizers = {
    "LAMB": tfa.optimizers.LAMB(0.01),
    "NovoGrad": tfa.optimizers.NovoGrad(0.01),
    "RectifiedAdam": tfa.optimizers.RectifiedAdam(0.01),
    "Yogi": tfa.optimizers.Yogi(0.01),
    "COCOB": tfa.optimizers.COCOB(),
    "AdaBelief": tfa.optimizers.AdaBelief(0.01),
    "ConditionalGradient": tfa.optimizers.ConditionalGradient(0.99, 2.0),
    "ProximalAdagrad": tfa.optimizers.ProximalAdagrad(0.1, l1_regularization_strength=0.001),
}
for name, optimizer in optimizers.items():
    model = model_of(tf.keras.layers.Activation("tanh"))
    model.compile(optimizer, "categorical_crossentropy")
    result[name] = model.fit(x, hot, batch_size=8, epochs=2, shuffle=False, verbose=0).history["loss"]

for name, layer in {
    "WeightNormalization": tfa.layers.WeightNormalization(tf.keras.layers.Dense(4), data_init=False),
    "SpectralNormalization": tfa.layers.SpectralNormalization(tf.keras.layers.Dense(4)),
    "GroupNormalization": tfa.layers.GroupNormalization(2),
    "InstanceNormalization": tfa.layers.InstanceNormalization(),
    "Maxout": tfa.layers.Maxout(3),
    "GELU": tfa.layers.GELU(),
    "Sparsemax": tfa.layers.Sparsemax(),
    "TLU": tfa.layers.TLU(),
    "NoisyDense": tfa.layers.NoisyDense(4),
    "PolynomialCrossing": tfa.layers.PolynomialCrossing(),
}.items():
    given = np.random.default_rng(2).normal(size=(4, 6)).astype("float32")
    arguments = [given, given] if name == "PolynomialCrossing" else given
    layer(arguments)
    if name not in ("SpectralNormalization", "NoisyDense"):
        weights = [w for w in layer.get_weights()]
        layer.set_weights(
            [w if w.ndim == 0 else 0.4 * np.random.default_rng(3).normal(size=w.shape) for w in weights]
        )
        result[name] = numbers(layer(arguments))
    tf.keras.layers.deserialize(tf.keras.layers.serialize(layer))

predicted = tf.nn.softmax(rng.normal(size=(32, 3)).astype("float32"))
embedded = tf.math.l2_normalize(rng.normal(size=(32, 4)).astype("float32"), axis=1)
result["focal"] = numbers(tfa.losses.SigmoidFocalCrossEntropy()(hot, predicted))
result["triplet"] = numbers(tfa.losses.TripletSemiHardLoss()(y, embedded))
result["hard triplet"] = numbers(tfa.losses.TripletHardLoss()(y, embedded))
result["lifted"] = numbers(tfa.losses.LiftedStructLoss()(y, embedded))
result["npairs"] = numbers(
    tfa.losses.NpairsLoss()(y[:8], tf.matmul(embedded[:8], embedded[:8], transpose_b=True))
)
result["giou"] = numbers(tfa.losses.GIoULoss()([[4.0, 3.0, 7.0, 5.0]], [[3.0, 4.0, 6.0, 8.0]]))
result["pinball"] = numbers(tfa.losses.PinballLoss(tau=0.3)([0.0, 1.0], [0.4, 0.2]))
result["contrastive"] = numbers(tfa.losses.ContrastiveLoss()([0, 1, 1], [0.3, 0.6, 1.2]))
result["wkl"] = numbers(tfa.losses.WeightedKappaLoss(num_classes=3)(hot, predicted))
for name, metric in {
    "F1": tfa.metrics.F1Score(num_classes=3, average="macro"),
    "FBeta": tfa.metrics.FBetaScore(num_classes=3, beta=2.0),
    "Kappa": tfa.metrics.CohenKappa(num_classes=3),
    "MCC": tfa.metrics.MatthewsCorrelationCoefficient(num_classes=3),
    "Hamming": tfa.metrics.HammingLoss(mode="multiclass"),
    "Confusion": tfa.metrics.MultiLabelConfusionMatrix(num_classes=3),
}.items():
    metric.update_state(hot, predicted if name != "Confusion" else tf.round(predicted))
    result[name] = numbers(metric.result())
for name in ("gelu", "hardshrink", "lisht", "mish", "snake", "softshrink", "sparsemax", "tanhshrink"):
    result[name] = numbers(getattr(tfa.activations, name)(tf.constant(x[:2])))

images = rng.uniform(size=(2, 12, 12, 3)).astype("float32")
result["rotate"] = numbers(tfa.image.rotate(images, 0.3, interpolation="BILINEAR")[:, 6])
result["translate"] = numbers(tfa.image.translate(images, [1.5, -2.0], interpolation="BILINEAR")[:, 6])
result["mean filter"] = numbers(tfa.image.mean_filter2d(images)[:, 6])
result["median filter"] = numbers(tfa.image.median_filter2d(images)[:, 6])
result["gaussian"] = numbers(tfa.image.gaussian_filter2d(images)[:, 6])
result["warp"] = numbers(tfa.image.dense_image_warp(images, tf.fill([2, 12, 12, 2], 0.5))[:, 6])
result["cutout"] = [int(tf.math.count_nonzero(tfa.image.random_cutout(images, (4, 4))) < images.size)]
result["equalize"] = numbers(tfa.image.equalize(images)[:, 6])

potentials = rng.normal(size=(3, 5, 4)).astype("float32")
tags, lengths = rng.integers(0, 4, (3, 5)).astype("int32"), np.array([5, 3, 4], np.int32)
transition = 0.3 * rng.normal(size=(4, 4)).astype("float32")
likelihood, _ = tfa.text.crf_log_likelihood(potentials, tags, lengths, transition)
decoded, best = tfa.text.crf_decode(potentials, transition, lengths)
result["crf"] = numbers(likelihood) + numbers(decoded) + numbers(best)
crf = tfa.layers.CRF(4)
crf(potentials)
result["crf layer"] = [len(crf.trainable_variables)]
cell = tfa.rnn.LayerNormLSTMCell(4)
outputs = tf.keras.layers.RNN(cell, return_sequences=True)(potentials)
result["rnn"] = list(outputs.shape)
for kind in (tfa.rnn.NASCell, tfa.rnn.PeepholeLSTMCell, tfa.rnn.ESNCell, tfa.rnn.LayerNormSimpleRNNCell):
    result[kind.__name__] = list(tf.keras.layers.RNN(kind(4))(potentials).shape)

encoded, memory = rng.normal(size=(2, 3, 4)).astype("float32"), rng.normal(size=(2, 5, 6)).astype("float32")
attention = tfa.seq2seq.BahdanauAttention(units=6, memory=memory, memory_sequence_length=[5, 4])
attended = tfa.seq2seq.AttentionWrapper(tf.keras.layers.LSTMCell(4), attention, attention_layer_size=5)
decoder = tfa.seq2seq.BasicDecoder(attended, tfa.seq2seq.TrainingSampler(), tf.keras.layers.Dense(7))
start = attended.get_initial_state(batch_size=2, dtype=tf.float32)
final, state, sizes = decoder(encoded, initial_state=start, sequence_length=[3, 2])
result["decoder"] = [*final.rnn_output.shape, *sizes.numpy().tolist()]
table = tf.Variable(rng.normal(size=(7, 4)).astype("float32"))
greedy = tfa.seq2seq.BasicDecoder(
    tf.keras.layers.LSTMCell(4),
    tfa.seq2seq.GreedyEmbeddingSampler(),
    tf.keras.layers.Dense(7),
    maximum_iterations=4,
)
sampled, _, _ = greedy(
    table, start_tokens=tf.fill([2], 1), end_token=2, initial_state=[tf.zeros([2, 4]), tf.zeros([2, 4])]
)
result["greedy"] = [sampled.sample_id.shape[0]]

bar = tfa.callbacks.TQDMProgressBar(show_overall_progress=False, show_epoch_progress=False)
stopping = tfa.callbacks.TimeStopping(seconds=600)
model = model_of(tfa.layers.GELU())
model.compile(tfa.optimizers.RectifiedAdam(0.01), tfa.losses.SigmoidFocalCrossEntropy(from_logits=True))
model.fit(x, hot, epochs=1, verbose=0, callbacks=[bar, stopping])
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
loaded = tf.keras.models.load_model(path)
np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-5)
loaded.fit(x, hot, epochs=1, verbose=0)
schedule = tfa.optimizers.Triangular2CyclicalLearningRate(0.01, 0.1, 4)
result["cyclic"] = [float(schedule(k)) for k in (0, 2, 4, 6, 10)]
print("result", result)
