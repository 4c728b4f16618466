"""Spectrograms as layers of a model, as in the README of kapre."""

import os
import tempfile

import numpy as np
from kapre import (
    STFT,
    ApplyFilterbank,
    Delta,
    Frame,
    InverseSTFT,
    Magnitude,
    MagnitudeToDecibel,
    Phase,
    STFTTflite,
)
from kapre.augmentation import ChannelSwap, SpecAugment
from kapre.composed import (
    get_log_frequency_spectrogram_layer,
    get_melspectrogram_layer,
    get_perfectly_reconstructing_stft_istft,
    get_stft_magnitude_layer,
)
from kapre.signal import Energy, LogmelToMFCC, MuLawDecoding, MuLawEncoding
from tensorflow.keras.layers import Conv2D, Dense, GlobalAveragePooling2D, ReLU
from tensorflow.keras.models import Sequential, load_model

rng = np.random.default_rng(0)
sound = rng.uniform(-1, 1, (3, 1024, 1)).astype("float32")
result = {}


def numbers(value):
    value = np.asarray(value)
    value = np.abs(value) if np.iscomplexobj(value) else value
    return value.astype(float).ravel()[:: max(1, value.size // 8)][:8].tolist()


model = Sequential()
model.add(
    STFT(
        n_fft=128,
        win_length=128,
        hop_length=64,
        pad_end=False,
        input_shape=(1024, 1),
        output_data_format="channels_last",
    )
)
model.add(Magnitude())
model.add(MagnitudeToDecibel())
model.add(Conv2D(4, (3, 3), strides=(2, 2)))
model.add(ReLU())
model.add(GlobalAveragePooling2D())
model.add(Dense(3, activation="softmax"))
model.set_weights([0.05 * rng.normal(size=w.shape) for w in model.get_weights()])
model.compile("adam", "categorical_crossentropy")
result["predicted"] = numbers(model.predict(sound, verbose=0))
result["loss"] = model.fit(sound, np.eye(3), epochs=2, shuffle=False, verbose=0).history["loss"]
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
kinds = {"STFT": STFT, "Magnitude": Magnitude, "MagnitudeToDecibel": MagnitudeToDecibel}
loaded = load_model(path, custom_objects=kinds)
np.testing.assert_allclose(loaded.predict(sound, verbose=0), model.predict(sound, verbose=0), rtol=1e-4)

mel = get_melspectrogram_layer(
    input_shape=(1024, 1), n_fft=128, hop_length=64, sample_rate=8000, n_mels=10, return_decibel=True
)
result["mel"] = numbers(mel(sound))
result["log frequency"] = numbers(
    get_log_frequency_spectrogram_layer(
        input_shape=(1024, 1), n_fft=256, sample_rate=8000, log_n_bins=20, log_bins_per_octave=5
    )(sound)
)
result["magnitude"] = numbers(get_stft_magnitude_layer(input_shape=(1024, 1), n_fft=128)(sound))
forward, backward = get_perfectly_reconstructing_stft_istft(
    n_fft=128, hop_length=64, waveform_data_format="channels_last", stft_data_format="channels_last"
)
result["rebuilt"] = numbers(backward(forward(sound)))
turned = STFT(n_fft=64, hop_length=32)(sound)
result["phase"] = numbers(np.cos(Phase()(turned)))
result["inverse"] = numbers(InverseSTFT(n_fft=64, hop_length=32)(turned))
result["delta"] = numbers(Delta(win_length=5)(Magnitude()(turned)))
result["frame"] = numbers(Frame(frame_length=100, hop_length=50)(sound))
result["energy"] = numbers(Energy(sample_rate=100, frame_length=100, hop_length=50)(sound))
bank = {"sample_rate": 8000, "n_freq": 33, "n_mels": 8, "f_min": 0.0, "f_max": 4000.0}
mels = ApplyFilterbank(type="mel", filterbank_kwargs=bank)(Magnitude()(turned))
result["bank"] = numbers(mels)
result["mfcc"] = numbers(LogmelToMFCC(n_mfccs=4)(MagnitudeToDecibel()(mels)))
coded = MuLawEncoding(quantization_channels=32)(sound)
result["mu law"] = numbers(coded) + numbers(MuLawDecoding(quantization_channels=32)(coded))
result["tflite"] = numbers(STFTTflite(n_fft=64, hop_length=32)(sound[:1]))
augment = SpecAugment(freq_mask_param=5, time_mask_param=4, data_format="channels_last")
assert augment(Magnitude()(turned), training=True).shape == turned.shape
assert ChannelSwap()(np.tile(sound, 2), training=True).shape == (3, 1024, 2)
print("result", result)
