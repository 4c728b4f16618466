"""Sounds of a folder, sources of symbolic tensors, embeddings carried over, and datasets that `fit` makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

U = tf.keras.utils


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sounds")
    for number, (name, length) in enumerate([("a/one", 3), ("a/two", 5), ("b/three", 4)]):
        path = folder / f"{name}.wav"
        path.parent.mkdir(exist_ok=True)
        samples = tf.fill((length, 1), (number + 1) / 8)
        path.write_bytes(tf.audio.encode_wav(samples, 16000).numpy())
    return folder


def read(folder: Path, **options: Any) -> Any:
    return U.audio_dataset_from_directory(folder, batch_size=2, shuffle=False, **options)


def test_sounds_padded_to_the_longest_of_a_batch(sounds: Path) -> None:
    dataset = read(sounds)
    assert dataset.class_names == ["a", "b"]
    (first, labels), (last, _) = dataset.as_numpy_iterator()
    assert (first.shape, last.shape, labels.tolist()) == ((2, 5, 1), (1, 4, 1), [0, 0])
    assert first[0, :, 0].tolist() == [0.125, 0.125, 0.125, 0, 0]


def test_sounds_of_one_length_and_ragged(sounds: Path) -> None:
    (first, labels), (last, _) = read(
        sounds, output_sequence_length=4, label_mode="categorical"
    ).as_numpy_iterator()
    assert (first.shape, last.shape, labels.tolist()) == ((2, 4, 1), (1, 4, 1), [[1, 0], [1, 0]])
    ragged = next(iter(read(sounds, ragged=True, labels=None)))
    assert ragged.row_lengths().numpy().tolist() == [3, 5]


def test_sounds_refusals(sounds: Path) -> None:
    with pytest.raises(ValueError, match="Cannot set both `ragged` and `output_sequence_length`"):
        read(sounds, ragged=True, output_sequence_length=3)
    with pytest.raises(ValueError, match="expected sampling_rate=None"):
        read(sounds, sampling_rate=8000)


def test_sources_of_a_symbolic_tensor() -> None:
    a: Any
    a, b, c = (tf.keras.Input((2,)) for _ in range(3))
    joined = tf.keras.layers.Concatenate()([tf.keras.layers.Dense(2)(b), a * 2])
    found = U.get_source_inputs(joined)
    assert [any(x is y for y in found) for x in (a, b, c)] == [True, True, False]
    assert found[0] is b
    assert U.get_source_inputs(a)[0] is a


def test_embeddings_carried_over(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("b\nc\n")
    table = U.warmstart_embedding_matrix(
        tf.constant(["a", "b"]), str(file), np.eye(2, dtype="float32"), "zeros"
    )
    assert table.numpy().tolist() == [[0, 1], [0, 0]]
    assert U.warmstart_embedding_matrix(
        ["a"], ["b"], np.ones((1, 2), "float32"), "zeros"
    ).numpy().tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="does not exist"):
        U.warmstart_embedding_matrix("nowhere.txt", ["b"], np.eye(2))
    with pytest.raises(ValueError, match="expected base_vocabulary to be a list"):
        U.warmstart_embedding_matrix(3, ["b"], np.eye(2))
    with pytest.raises(ValueError, match="got an empty new_vocabulary"):
        U.warmstart_embedding_matrix(["a"], [], np.eye(2))


def test_a_dataset_that_fit_makes() -> None:
    contexts = []

    def made(context: Any) -> Any:
        contexts.append(context)
        size = context.get_per_replica_batch_size(4)
        return (
            tf.data.Dataset.from_tensors((np.ones(2, "float32"), np.ones(1, "float32"))).repeat().batch(size)
        )

    model: Any = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    creator = U.experimental.DatasetCreator(made)
    assert len(model.fit(creator, epochs=2, steps_per_epoch=3, verbose=0).history["loss"]) == 2
    assert [c.num_replicas_in_sync for c in contexts] == [1]
    with pytest.raises(TypeError, match="must be a `callable`"):
        U.experimental.DatasetCreator(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="must return a Dataset"):
        U.experimental.DatasetCreator(lambda context: [1])(None)  # pyright: ignore[reportArgumentType]
