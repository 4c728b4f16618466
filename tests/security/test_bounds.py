"""Small files that stand for gigabytes: loading them costs about what a file of their size may cost."""

from __future__ import annotations

import functools
import io
import json
import os
import resource
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import h5py.h5d
import h5py.h5f
import h5py.h5p
import h5py.h5s
import h5py.h5t
import numpy as np
import pytest

import tapeflow as tf

LAYERS = tf.keras.layers
ROOM = 1 << 29


@contextmanager
def little_memory(room: int = ROOM) -> Iterator[None]:
    """Let this process take only so much more address space: whoever takes more gets a MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def dense_model(units: int = 4) -> Any:
    return tf.keras.Sequential([tf.keras.Input((3,)), LAYERS.Dense(units, name="d")])


def config_of(*layers: Any, shape: Any = (None, 3)) -> bytes:
    """The config of a Sequential, as `.keras` files have it."""
    first = {"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": list(shape)}}
    made = [{"module": "keras.layers", "class_name": name, "config": config} for name, config in layers]
    inner = {"name": "s", "layers": [first, *made]}
    return json.dumps({"module": "keras", "class_name": "Sequential", "config": inner}).encode()


def hdf5_bytes(fill: Callable[[h5py.File], None] = lambda file: None) -> bytes:
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        fill(file)
    return content.getvalue()


def archive(path: Path, config: bytes, weights: bytes, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("metadata.json", "{}")
        file.writestr("config.json", config)
        file.writestr("model.weights.h5", weights)
    return path


# HDF5


@functools.cache
def packed_gigabyte() -> bytes:
    packer = zlib.compressobj(9)
    block = bytes(1 << 24)
    return b"".join([packer.compress(block) for _ in range(64)]) + packer.flush()


def packed_chunk(group: h5py.Group, chunk: tuple[int, int], times: int = 1, most: Any = (3, 4)) -> None:
    """Dataset `0` with one chunk, which is a gigabyte of zeros, compressed so many times."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunk)
    for _ in range(times):
        properties.set_deflate(9)
    space = h5py.h5s.create_simple((3, 4), most)
    dataset = h5py.h5d.create(group.id, b"0", h5py.h5t.IEEE_F32LE, space, properties)
    data = packed_gigabyte()
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    dataset.write_direct_chunk((0, 0), data, 0)


OPEN = (h5py.h5s.UNLIMITED, h5py.h5s.UNLIMITED)


def dense_weights(fill: Callable[[h5py.Group], object]) -> bytes:
    """The weights of `dense_model`, of which `fill` makes the first."""

    def both(file: h5py.File) -> None:
        group = file.create_group("layers/dense/vars")
        fill(group)
        group["1"] = np.zeros(4, np.float32)

    return hdf5_bytes(both)


BOMBS: dict[str, tuple[Callable[[h5py.Group], object], str]] = {
    # A chunk of a gigabyte for an array of twelve numbers.
    "chunk": (lambda g: packed_chunk(g, (1 << 14, 1 << 14), 1, OPEN), "chunks no larger than the array"),
    # A chunk of 48 bytes that unpacks to a gigabyte; and the same in a few kilobytes.
    "packed": (lambda g: packed_chunk(g, (3, 4)), "unpacks to more"),
    "twice": (lambda g: packed_chunk(g, (3, 4), 2), "gzip, lzf or szip compression at most"),
    # CVE-2026-0897: an array that was never written, of a shape that no memory holds.
    "shape": (
        lambda g: g.create_dataset("0", (1 << 20, 1 << 20), "f4", chunks=(1, 1)),
        "expected a variable",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_hdf5_bombs(tmp_path: Path, name: str) -> None:
    fill, text = BOMBS[name]
    weights = dense_weights(fill)
    assert len(weights) < 1100 << 10
    (tmp_path / "w.weights.h5").write_bytes(weights)
    with little_memory(), pytest.raises(ValueError, match=text):
        dense_model().load_weights(tmp_path / "w.weights.h5")
    with little_memory(), pytest.raises(ValueError, match=text):
        tf.keras.models.load_model(archive(tmp_path / "m.keras", config_of(("Dense", {"units": 4})), weights))


@pytest.mark.parametrize(
    "options", [{"scaleoffset": 2}, {"compression": 32015, "allow_unknown_filter": True}]
)
def test_filters_that_are_not_read(tmp_path: Path, options: dict[str, Any]) -> None:
    def fill(file: h5py.File) -> None:
        file.create_dataset("layers/dense/vars/0", (3, 4), "f4", chunks=(3, 4), **options)
        file["layers/dense/vars/1"] = np.zeros(4, np.float32)

    path = tmp_path / "w.weights.h5"
    path.write_bytes(hdf5_bytes(fill))
    with pytest.raises(ValueError, match="gzip, lzf or szip compression at most"):
        dense_model().load_weights(path)


@pytest.mark.parametrize("options", [{"compression": "gzip"}, {"compression": "lzf"}, {"fletcher32": True}])
@pytest.mark.parametrize("shuffle", [False, True])
def test_compressed_weights_are_read(tmp_path: Path, options: dict[str, Any], shuffle: bool) -> None:
    kernel = np.random.default_rng(0).normal(size=(300, 70)).astype(np.float32)
    kernel[:, ::2] = 0

    def fill(file: h5py.File) -> None:
        file.create_dataset("layers/dense/vars/0", data=kernel, chunks=(64, 64), shuffle=shuffle, **options)
        file.create_dataset("layers/dense/vars/1", data=np.zeros(70, "f4"), maxshape=(None,), **options)

    path = tmp_path / "w.weights.h5"
    path.write_bytes(hdf5_bytes(fill))
    model = tf.keras.Sequential([tf.keras.Input((300,)), LAYERS.Dense(70)])
    model.load_weights(path)
    assert np.array_equal(model.weights[0].numpy(), kernel)


def test_state_of_layers_together_is_bounded(tmp_path: Path) -> None:
    count = 24

    def fill(file: h5py.File) -> None:
        """Each part is small enough; together they are 3 GiB."""
        for i in range(count):
            group = file.create_group(f"layers/discretization{f'_{i}' if i else ''}/vars")
            group.create_dataset("0", (1 << 25,), "f4", chunks=(1 << 20,), compression="gzip")

    layers = [("Discretization", {"name": f"d{i}", "num_bins": 4}) for i in range(count)]
    path = archive(tmp_path / "m.keras", config_of(*layers), hdf5_bytes(fill))
    assert path.stat().st_size < 30_000
    with (
        little_memory(),
        pytest.raises(ValueError, match="expected what its .* bytes can hold.*safe_mode=False"),
    ):
        tf.keras.models.load_model(path)


class Remembering(LAYERS.Layer):
    """A layer of the user's that keeps state of its own."""

    def save_own_variables(self, store: Any) -> None:
        store["kept"] = np.arange(6.0)

    def load_own_variables(self, store: Any) -> None:
        self.kept = [store[key] for key in store]

    def call(self, inputs: Any) -> Any:
        return inputs


def test_state_of_layers_of_the_user_is_bounded(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), Remembering(name="r")])
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras", {"Remembering": Remembering})
    assert again.layers[0].kept[0].tolist() == [0, 1, 2, 3, 4, 5]
    with zipfile.ZipFile(tmp_path / "m.keras") as file:
        config = file.read("config.json")

    def fill(file: h5py.File) -> None:
        for i in range(100):
            file.create_dataset(f"layers/remembering/vars/{i}", (1 << 22,), "f8", chunks=(1 << 16,))

    bad = archive(tmp_path / "bad.keras", config, hdf5_bytes(fill))
    with (
        little_memory(),
        pytest.raises(ValueError, match="bytes can hold; got the array /layers/remembering"),
    ):
        tf.keras.models.load_model(bad, {"Remembering": Remembering})


@pytest.mark.parametrize("kind", ["soft", "external", "storage", "virtual"])
def test_other_places_and_files_are_not_read(tmp_path: Path, kind: str) -> None:
    """CVE-2026-1669: what a dataset or link names outside the file."""
    secret = tmp_path / "secret"
    secret.write_bytes(np.arange(12, dtype=np.float32).tobytes())
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["kernel"] = np.ones((3, 4), np.float32)

    def fill(file: h5py.File) -> None:
        group = file.create_group("layers/dense/vars")
        group["1"] = np.zeros(4, np.float32)
        if kind == "soft":
            file["kernel"] = np.ones((3, 4), np.float32)
            group["0"] = h5py.SoftLink("/kernel")
        elif kind == "external":
            group["0"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/kernel")
        elif kind == "storage":
            group.create_dataset("0", (3, 4), "f4", external=[(str(secret), 0, 48)])
        else:
            layout = h5py.VirtualLayout((3, 4), "f4")
            layout[...] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "kernel", (3, 4))
            group.create_virtual_dataset("0", layout)

    weights = hdf5_bytes(fill)
    model = dense_model()
    before = model.weights[0].numpy()
    (tmp_path / "w.weights.h5").write_bytes(weights)
    with pytest.raises(ValueError, match="link at|kept in another file"):
        model.load_weights(tmp_path / "w.weights.h5")
    with pytest.raises(ValueError, match="link at|kept in another file"):
        tf.keras.models.load_model(archive(tmp_path / "m.keras", config_of(("Dense", {"units": 4})), weights))
    assert np.array_equal(model.weights[0].numpy(), before)


def test_texts_that_are_one_text_many_times(tmp_path: Path) -> None:
    """A list of texts may refer to one text in the file's heap again and again."""
    count, longest = 3000, 200_000
    path = tmp_path / "m.h5"
    dense_model().save(path)
    with h5py.File(path, "r+") as file:
        del file["model_weights"].attrs["layer_names"]
        names = np.array(["n" * longest, *["d"] * (count - 1)], object)
        file["model_weights"].attrs.create("layer_names", names, dtype=h5py.string_dtype())
    data = bytearray(path.read_bytes())
    at = data.index(longest.to_bytes(4, "little"), data.index(b"layer_names"))
    data[at : at + 16 * count] = data[at : at + 16] * count  # length, heap and number of the first, for all
    path.write_bytes(data)
    with little_memory(), pytest.raises(ValueError, match="bytes can hold; got the attribute 'layer_names'"):
        tf.keras.models.load_model(path)


# Zip and JSON


def test_configs_that_unpack_to_much_more(tmp_path: Path) -> None:
    bomb = config_of(("Dense", {"units": 4, "more": [[]] * 10_000_000}))
    path = archive(tmp_path / "m.keras", bomb, hdf5_bytes())
    assert path.stat().st_size < 1 << 18
    with little_memory(), pytest.raises(ValueError, match="expected 'config.json' of at most"):
        tf.keras.models.load_model(path)


def test_weights_that_unpack_to_much_more(tmp_path: Path) -> None:
    path = archive(tmp_path / "m.keras", config_of(("Dense", {"units": 4})), bytes(1 << 28))
    with little_memory(), pytest.raises(ValueError, match="got its part 'model.weights.h5'"):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_kinds_of_compression_that_unpack_without_a_bound(tmp_path: Path, kind: int) -> None:
    path = archive(tmp_path / "m.keras", config_of(("Dense", {"units": 4})), hdf5_bytes(), kind)
    with pytest.raises(ValueError, match="expected 'config.json'.*to be stored or deflated"):
        tf.keras.models.load_model(path)


def test_vocabularies_that_overlap(tmp_path: Path) -> None:
    """Many entries of the table of contents may be the same bytes of the file, under the name of the first."""
    count = 60
    layers = [("StringLookup", {"name": f"l{i}", "vocabulary_size": 9}) for i in range(count)]
    path = archive(tmp_path / "m.keras", config_of(*layers), hdf5_bytes())
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("assets/layers/string_lookup/vocabulary.txt", "\n".join(map(str, range(150_000))))
        whole = file.getinfo("assets/layers/string_lookup/vocabulary.txt")
        for i in range(1, count):
            shared = zipfile.ZipInfo(f"assets/layers/string_lookup_{i}/vocabulary.txt")
            for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(shared, name, getattr(whole, name))
            file.filelist.append(shared)
            file.NameToInfo[shared.filename] = shared
    with little_memory(), pytest.raises(ValueError, match="name in directory .* differ"):
        tf.keras.models.load_model(path)


def test_sizes_that_lie(tmp_path: Path) -> None:
    path = archive(tmp_path / "m.keras", config_of(("Dense", {"units": 4})), hdf5_bytes())
    data = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        size = file.getinfo("config.json").file_size.to_bytes(4, "little")
    for claimed in (0, 10, 1 << 20, (1 << 32) - 2):
        path.write_bytes(data.replace(size, claimed.to_bytes(4, "little")))
        with little_memory(), pytest.raises(ValueError, match="Loading|expected 2 variables"):
            tf.keras.models.load_model(path)


@pytest.mark.parametrize("depth", [500, 990, 100_000])
def test_deep_configs(tmp_path: Path, depth: int) -> None:
    nested = b'{"class_name": "Sequential", "config": {"layers": [' * depth + b"]}}" * depth
    path = archive(tmp_path / "m.keras", nested, hdf5_bytes())
    with pytest.raises(ValueError, match="Loading expected|expected 'config.json' of at most"):
        tf.keras.models.load_model(path)
    with pytest.raises(ValueError, match="Loading expected"):
        tf.keras.models.model_from_json(nested.decode())


# Numbers in configs


HUGE = 10**9


@pytest.mark.parametrize(
    ("layer", "config"),
    [
        ("Dense", {"units": HUGE}),
        ("Dense", {"units": 10**30}),
        ("LSTM", {"units": HUGE}),
        ("Embedding", {"input_dim": HUGE, "output_dim": 64}),
    ],
)
def test_weights_that_the_file_cannot_hold(tmp_path: Path, layer: str, config: dict[str, Any]) -> None:
    shape = (None, 5, 3) if layer == "LSTM" else (None, 3)
    path = archive(tmp_path / "m.keras", config_of((layer, config), shape=shape), hdf5_bytes())
    with little_memory(), pytest.raises(ValueError, match="bytes can hold; got a weight of layer"):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize(
    ("layer", "config", "text"),
    [
        ("Resizing", {"height": HUGE, "width": 4}, "Resizing expected a height and width of 1 to"),
        ("CenterCrop", {"height": 4, "width": HUGE}, "CenterCrop expected a height and width of 1 to"),
        ("RandomCrop", {"height": HUGE, "width": 4}, "RandomCrop expected a height and width of 1 to"),
        ("Resizing", {"height": 0, "width": 4}, "Resizing expected a height and width of 1 to"),
        ("StringLookup", {"num_oov_indices": HUGE}, "`num_oov_indices` must be .* at most"),
        ("IntegerLookup", {"num_oov_indices": 10**30}, "`num_oov_indices` must be .* at most"),
        ("UpSampling2D", {"size": 10**30}, "no model can be made of .OverflowError"),
        ("GroupNormalization", {"groups": 0}, "no model can be made of .ZeroDivisionError"),
    ],
)
def test_numbers_that_make_no_sense(layer: str, config: dict[str, Any], text: str, tmp_path: Path) -> None:
    shape = (None, 8, 8, 4) if "Lookup" not in layer else (None, 3)
    whole = config_of((layer, config), shape=shape)
    with little_memory(), pytest.raises(ValueError, match=text):
        tf.keras.models.model_from_json(whole.decode())
    with little_memory(), pytest.raises(ValueError, match=text):
        tf.keras.models.load_model(archive(tmp_path / "m.keras", whole, hdf5_bytes()))


def test_ngrams_cost_what_the_texts_hold() -> None:
    with little_memory():
        layer = LAYERS.TextVectorization(ngrams=HUGE, vocabulary=["a b c", "a b", "a"], output_mode="int")
        assert layer([["a b c"]]).numpy().tolist() == [[4, 1, 1, 3, 1, 2]]


@pytest.mark.parametrize("name", ["AUC", "PrecisionAtRecall"])
def test_thresholds_of_metrics(name: str, tmp_path: Path) -> None:
    config = json.loads(config_of(("Dense", {"units": 1})))
    given = {"num_thresholds": HUGE, **({"recall": 0.5} if name == "PrecisionAtRecall" else {})}
    metric = {"module": "keras.metrics", "class_name": name, "config": given}
    config["compile_config"] = {"optimizer": "adam", "loss": "mse", "metrics": [metric]}
    path = archive(tmp_path / "m.keras", json.dumps(config).encode(), hdf5_bytes())
    with little_memory(), pytest.raises(ValueError, match=f"{name} expected at most .* thresholds"):
        tf.keras.models.load_model(path)


def test_variables_of_metrics_that_the_file_cannot_hold(tmp_path: Path) -> None:
    config = json.loads(config_of(("Dense", {"units": 1})))
    metric = {"module": "keras.metrics", "class_name": "MeanIoU", "config": {"num_classes": 10**5}}
    config["compile_config"] = {"optimizer": "adam", "loss": "mse", "metrics": [metric]}
    path = archive(tmp_path / "m.keras", json.dumps(config).encode(), hdf5_bytes())
    with little_memory(), pytest.raises(ValueError, match="bytes can hold; got a variable of metric"):
        tf.keras.models.load_model(path)


def test_layers_are_spent_from_the_budget(tmp_path: Path) -> None:
    path = archive(tmp_path / "m.keras", config_of(*[("ReLU", {})] * 9000), hdf5_bytes())
    with little_memory(), pytest.raises(ValueError, match="bytes can hold; got one layer more"):
        tf.keras.models.load_model(path)


class Large(LAYERS.Layer):
    """A layer of the user's whose weights come from elsewhere: the file has none of them."""

    def build(self, input_shape: Any) -> None:
        self.table = self.add_weight(name="table", shape=(1 << 25,), initializer="zeros")

    def save_own_variables(self, store: Any) -> None:
        """Nothing."""

    def load_own_variables(self, store: Any) -> None:
        """Nothing."""

    def call(self, inputs: Any) -> Any:
        return inputs


def test_a_trusted_file_may_cost_anything(tmp_path: Path) -> None:
    tf.keras.Sequential([tf.keras.Input((3,)), Large()]).save(tmp_path / "m.keras")
    with pytest.raises(ValueError, match="If you trust who wrote it, load the model with safe_mode=False"):
        tf.keras.models.load_model(tmp_path / "m.keras", {"Large": Large})
    model = tf.keras.models.load_model(tmp_path / "m.keras", {"Large": Large}, safe_mode=False)
    assert model.layers[0].table.shape == (1 << 25,)


# Folders


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    model = dense_model()
    model.save(tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model" / "model.keras") as file:
        file.extractall(tmp_path / "parts")
    assert tf.keras.models.load_model(tmp_path / "parts", compile=False).count_params() == 16
    os.rename(tmp_path / "model" / "model.keras", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", tmp_path / "model" / "model.keras")
    with pytest.raises(ValueError, match="got a symbolic link to a place outside it"):
        tf.keras.models.load_model(tmp_path / "model")
    with pytest.raises(ValueError, match="got a symbolic link to a place outside it"):
        model.load_weights(tmp_path / "model")
    for name in ("config.json", "model.weights.h5"):
        os.rename(tmp_path / "parts" / name, tmp_path / name)
        os.symlink(f"../{name}", tmp_path / "parts" / name)
        with pytest.raises(ValueError, match="got a symbolic link to a place outside it"):
            tf.keras.models.load_model(tmp_path / "parts", compile=False)
        os.replace(tmp_path / name, tmp_path / "parts" / name)
    os.rename(tmp_path / "parts" / "config.json", tmp_path / "parts" / "c")
    os.symlink("c", tmp_path / "parts" / "config.json")  # inside it is fine
    assert tf.keras.models.load_model(tmp_path / "parts", compile=False).count_params() == 16


# The same on Keras


def attacks(folder: Path) -> None:
    """Files as those above, that Keras reads too."""
    secret = folder / "_secret"
    secret.write_bytes(bytes(48))
    fills = {name: fill for name, (fill, _) in BOMBS.items()}
    fills["storage"] = lambda group: group.create_dataset("0", (3, 4), "f4", external=[(str(secret), 0, 48)])
    for name, fill in fills.items():
        (folder / f"{name}.weights.h5").write_bytes(dense_weights(fill))
    configs = {
        "units": config_of(("Dense", {"units": HUGE})),
        "json": config_of(("Dense", {"units": 4, "more": [[]] * 10_000_000})),
        "deep": b'{"class_name": "Sequential", "config": {"layers": [' * 990 + b"]}}" * 990,
    }
    for name, config in configs.items():
        archive(folder / f"{name}.keras", config, hdf5_bytes())


def test_the_same_on_keras(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Keras's outcomes are noted, not required: they differ between its versions."""
    attacks(tmp_path)
    script = Path(__file__).parent / "programs" / "keras_loads.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=600
    )
    found = json.loads(done.stdout.splitlines()[-1])
    record_property("keras", json.dumps(found))
    assert found.keys() - {"version"} == {p.name for p in tmp_path.iterdir() if p.name[0] != "_"}
    assert set(found.values()) - {found["version"]} <= {"refused", "exhausted", "loaded", "slow"}
    for path in sorted(tmp_path.iterdir()):
        if path.name[0] != "_":
            with little_memory(), pytest.raises(ValueError, match=r"\w"):
                dense_model().load_weights(path) if "weights" in path.name else tf.keras.models.load_model(
                    path
                )
