"""For each kind of file that is loaded: a good one, how it is changed, and what loads it."""

from __future__ import annotations

import io
import json
import pickle
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import mutations
import numpy as np

import tapeflow as tf
from tapeflow.io import tfrecord
from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.unpickle import load_inert
from tapeflow.summary.event_files import reader, sorted_table
from tapeflow.summary.protos import message
from tapeflow.train import tensor_bundle

L = tf.keras.layers
THEIR_MODELS = Path(__file__).parents[2] / "parity" / "fixtures" / "saved_models"
THEIRS = Path(__file__).parents[2] / "parity" / "keras" / "fixtures" / "checkpoints" / "old_adam"


class Loader(NamedTuple):
    """Writes change `number` of a good file; loads what is there; what a user may see besides the usual errors."""

    change: Callable[[int], None]
    load: Callable[[], Any]
    also: tuple[type[Exception], ...] = ()


class Fitting(int):
    """A checksum that fits: the true ones would find nearly all changes before anything else does."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


def let_checksums_fit() -> None:
    """Let the checksums of TensorFlow's formats, which whoever writes a file can compute, fit whatever there is."""
    for module in (sorted_table, tensor_bundle, tfrecord):
        module.masked_crc = lambda _: Fitting()  # pyright: ignore[reportAttributeAccessIssue]


def make() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), L.Dense(4, activation="relu"), L.Dense(1)])
    model.compile("adam", "mse")
    return model


def _various() -> list[Any]:
    """Small models with many kinds of layers."""
    a, b = tf.keras.Input((4, 4, 2), name="a"), tf.keras.Input((3,), name="b")
    x = L.BatchNormalization()(L.Conv2D(2, 2, padding="same", kernel_regularizer="l2")(a))
    x = L.Flatten()(L.MaxPooling2D()(L.Resizing(4, 4)(x)))
    joined = L.Concatenate()([x, L.Normalization()(b)])
    functional = tf.keras.Model([a, b], [L.Dense(2)(joined), L.Dropout(0.5)(joined)])
    functional.compile("sgd", ["mse", "mae"], metrics=[[tf.keras.metrics.AUC(num_thresholds=5)], ["mae"]])
    texts = [tf.keras.Input((1,), dtype="string"), L.TextVectorization(vocabulary=["a", "b"], ngrams=2)]
    words = [tf.keras.Input((1,), dtype="string"), L.StringLookup(vocabulary=["a"], num_oov_indices=2)]
    rows = [
        tf.keras.Input((5, 3)),
        L.Bidirectional(L.LSTM(2, return_sequences=True)),
        L.TimeDistributed(L.Dense(2)),
    ]
    numbers = [tf.keras.Input((2,)), L.Embedding(4, 3), L.GRU(2), L.RepeatVector(2), L.Reshape((4,))]
    bins = [tf.keras.Input((1,)), L.Discretization([0.0, 1.0]), L.CategoryEncoding(3), L.Rescaling(0.5)]
    made = [
        functional,
        make(),
        *[tf.keras.Sequential(layers) for layers in (texts, words, rows, numbers, bins)],
    ]
    nested = tf.keras.Sequential([tf.keras.Input((3,)), make(), L.Activation("tanh")])
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    nested.compile(tf.keras.optimizers.Adam(schedule), tf.keras.losses.Huber())
    return [*made, nested]


class Loaders:
    """All kinds of files, with a good one of each in a folder.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model = make()
        self._model.train_on_batch(np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32))
        self._fresh = make()

    def of(self, kind: str) -> Loader:
        """The loader of a kind of file."""
        return getattr(self, f"_{kind}")()

    def _place(self, name: str) -> Path:
        return self._folder / name

    def _file(self, name: str, load: Callable[[Path], Any], also: tuple[type[Exception], ...] = ()) -> Loader:
        """A file that is there and is changed byte by byte."""
        path = self._place(name)
        data = path.read_bytes()
        return Loader(
            lambda number: _write(path, mutations.mutated(data, number) if number else data),
            lambda: load(path),
            also,
        )

    def _document(self, document: Any, write: Callable[[Any], None], load: Callable[[], Any]) -> Loader:
        """A JSON document of which values are changed, and sometimes bytes."""
        return Loader(lambda number: write(_changed(document, number)), load)

    # Models and weights

    def _keras(self) -> Loader:
        self._model.save(self._place("m.keras"))
        return self._file("m.keras", tf.keras.models.load_model)

    def _keras_config(self) -> Loader:
        paths = []
        for i, model in enumerate(_various()):
            paths.append(self._place(f"m{i}.keras"))
            model.save(paths[-1])
        good = [zipfile.ZipFile(p).read("config.json") for p in paths]
        weights = [zipfile.ZipFile(p).read("model.weights.h5") for p in paths]
        documents = [json.loads(text) for text in good]
        target = self._place("config.keras")

        def change(number: int) -> None:
            which = random.Random(number).randrange(len(good))
            text = json.dumps(_changed(documents[which], number))
            with zipfile.ZipFile(target, "w") as archive:
                archive.writestr("config.json", text)
                archive.writestr("model.weights.h5", weights[which])

        return Loader(change, lambda: tf.keras.models.load_model(target))

    def _json(self) -> Loader:
        documents = [json.loads(model.to_json()) for model in _various()]
        text = [""]

        def change(number: int) -> None:
            which = random.Random(number).randrange(len(documents))
            if number % 3 == 1:
                data = mutations.mutated(json.dumps(documents[which]).encode(), number)
                text[0] = data.decode(errors="replace")
            else:
                text[0] = json.dumps(_changed(documents[which], number))

        # A model without a file may be of any size: the system says what it has no memory for.
        return Loader(change, lambda: tf.keras.models.model_from_json(text[0]), (MemoryError,))

    def _h5(self) -> Loader:
        self._model.save(self._place("m.h5"))
        return self._file("m.h5", tf.keras.models.load_model)

    def _gzip_h5(self) -> Loader:
        """Weights in chunks, compressed, as others write them."""
        path = self._place("g.weights.h5")
        self._model.save_weights(path)
        plain = path.read_bytes()
        with h5py.File(io.BytesIO(plain)) as source, h5py.File(path, "w") as target:
            source.visititems(lambda name, item: _copy_packed(target, name, item))
        return self._file("g.weights.h5", self._fresh.load_weights)

    def _weights(self) -> Loader:
        self._model.save_weights(self._place("w.weights.h5"))
        return self._file("w.weights.h5", self._fresh.load_weights)

    def _folder_model(self) -> Loader:
        self._model.save(self._place("whole.keras"))
        with zipfile.ZipFile(self._place("whole.keras")) as archive:
            archive.extractall(self._place("parts"))
        return self._file("parts/config.json", lambda path: tf.keras.models.load_model(path.parent))

    # Checkpoints

    def _safetensors(self) -> Loader:
        self._model.save_weights(self._place("w.safetensors"))
        _drop_checksums(self._place("w.safetensors"))
        return self._file("w.safetensors", self._fresh.load_weights)

    def _restore(self, prefix: str) -> None:
        checkpoint = tf.train.Checkpoint(model=self._fresh, it=iter(tf.data.Dataset.range(9).shuffle(4)))
        checkpoint.restore(prefix)

    def _checkpoint(self) -> Loader:
        checkpoint = tf.train.Checkpoint(model=self._model, it=iter(tf.data.Dataset.range(9).shuffle(4)))
        checkpoint.write(str(self._place("ckpt")))
        _drop_checksums(self._place("ckpt.safetensors"))
        return self._file(
            "ckpt.safetensors", lambda path: self._restore(str(path).removesuffix(".safetensors"))
        )

    def _checkpoint_graph(self) -> Loader:
        self._checkpoint()
        path = self._place("ckpt.safetensors")
        header, body = _parts(path)
        graph = json.loads(header["__metadata__"]["graph"])

        def write(document: Any) -> None:
            header["__metadata__"]["graph"] = json.dumps(document)
            _write_parts(path, header, body)

        return self._document(graph, write, lambda: self._restore(str(path).removesuffix(".safetensors")))

    def _state(self) -> Loader:
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(v=tf.Variable(0.0)), self._folder / "managed", 2
        )
        for _ in range(3):
            manager.save()

        def load(path: Path) -> None:
            before = sorted(p.name for p in self._folder.iterdir())
            tf.train.latest_checkpoint(path.parent)
            again = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(0.0)), path.parent, 1)
            again._sweep(0)
            if sorted(p.name for p in self._folder.iterdir()) != before:
                raise AssertionError("files outside of the folder were deleted")

        return self._file("managed/checkpoint", load)

    def _theirs(self, ending: str) -> Loader:
        for file in THEIRS.parent.glob(f"{THEIRS.name}.*"):
            shutil.copy(file, self._folder)
        let_checksums_fit()

        def load(path: Path) -> None:
            prefix = path.with_suffix("")
            tf.train.Checkpoint(model=self._fresh).restore(prefix)
            for name, _ in tf.train.list_variables(prefix):
                tf.train.load_variable(prefix, name)

        return self._file(f"{THEIRS.name}.{ending}", load)

    def _index(self) -> Loader:
        return self._theirs("index")

    def _data(self) -> Loader:
        return self._theirs("data-00000-of-00001")

    # Programs and datasets

    def _saved_model(self) -> Loader:
        module = tf.Module()
        module.v = tf.Variable([1.0, 2.0])
        module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec((2,))])
        folder = self._place("saved")
        tf.saved_model.save(module, folder)
        path = folder / "saved_model.json"
        document = json.loads(path.read_text())
        # The programs themselves, and the process in which they are tried, have tests of their own.
        options = tf.saved_model.LoadOptions(safe_mode=False)
        return self._document(
            document,
            lambda d: _write(path, json.dumps(d).encode()),
            lambda: tf.saved_model.load(folder, options=options),
        )

    def _tensorflow_model(self) -> Loader:
        """SavedModels of TensorFlow's: each of their files, by bytes, and the graph by what is in it."""
        names = ("module_structures", "text_classification", "v1_resource_variables", "dense")
        targets = []
        for name in names:
            shutil.copytree(THEIR_MODELS / name, self._place(name))
            parts = ("saved_model.pb", "saved_model.pb", "variables/variables.index", "keras_metadata.pb")
            targets += [self._place(name) / part for part in parts if (self._place(name) / part).is_file()]
        good = {path: path.read_bytes() for path in targets}
        changed = [targets[0]]
        let_checksums_fit()

        def change(number: int) -> None:
            _write(changed[0], good[changed[0]])
            changed[0] = path = targets[number % len(targets)]
            data = good[path]
            if number and path.name == "saved_model.pb" and number % 2:
                saved = message("SavedModel").FromString(data)
                mutations.mutate_message(saved, number)
                data = saved.SerializeToString()
            elif number:
                data = mutations.mutated(data, number)
            _write(path, data)

        def load() -> None:
            folder = next(p for p in changed[0].parents if p.name in names)
            loaded = tf.saved_model.load(folder)
            for part in vars(loaded).values():
                for concrete in getattr(part, "concrete_functions", ()):
                    concrete._library.plan(concrete.name)
            if changed[0].name == "keras_metadata.pb":
                tf.keras.models.load_model(folder)

        return Loader(change, load)

    def _dataset(self) -> tuple[Path, Callable[[], Any]]:
        folder = self._place("dataset")
        rows = {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "s": np.array([b"a", b"b", b"c"])}
        tf.data.Dataset.from_tensor_slices((rows, np.arange(3))).save(str(folder))
        let_checksums_fit()
        return folder, lambda: list(tf.data.Dataset.load(str(folder)).take(10))

    def _dataset_manifest(self) -> Loader:
        folder, load = self._dataset()
        path = folder / "dataset.json"
        document = json.loads(path.read_text())
        return self._document(document, lambda d: _write(path, json.dumps(d).encode()), load)

    def _dataset_elements(self) -> Loader:
        _, load = self._dataset()
        return self._file("dataset/elements.tfrecord", lambda _: load())

    def _tfrecord(self) -> Loader:
        path = self._place("r.tfrecord")
        with tf.io.TFRecordWriter(str(path)) as writer:
            for text in (b"one", b"", b"three" * 20):
                writer.write(text)
        let_checksums_fit()
        return self._file("r.tfrecord", lambda p: list(tf.data.TFRecordDataset(str(p))))

    def _tfrecord_gzip(self) -> Loader:
        path = self._place("z.tfrecord")
        with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
            for text in (b"one", b"", b"three" * 20):
                writer.write(text)
        let_checksums_fit()
        return self._file("z.tfrecord", lambda p: list(tf.data.TFRecordDataset(str(p), "GZIP")))

    def _events(self) -> Loader:
        with tf.summary.create_file_writer(str(self._place("logs"))).as_default():
            for step in range(3):
                tf.summary.scalar("loss", 0.5, step)
                tf.summary.histogram("h", np.arange(5.0), step)
                tf.summary.text("t", "words", step)
                tf.summary.flush()
        (path,) = self._place("logs").glob("*tfevents*")

        def load(file: Path) -> None:
            for is_checked in (True, False):
                for _ in reader.EventFileReader(str(file), is_checked).batches(is_final=True):
                    pass

        return self._file(f"logs/{path.name}", load)

    # Data sets

    def _npz(self) -> Loader:
        lists = np.empty(3, object)
        lists[:] = [[1, 2], [], [70_000]]
        np.savez_compressed(self._place("d.npz"), x=lists, y=np.arange(3))
        return self._file("d.npz", lambda p: load_npz(p, "loader", ("x", "y")), (pickle.UnpicklingError,))

    def _npy(self) -> Loader:
        """What is in such an archive, whose checksums would find nearly all changes."""
        lists = np.empty(3, object)
        lists[:] = [[1, 2], [], [70_000]]
        np.savez(self._place("n.npz"), x=lists, y=np.arange(3))
        path = self._place("n.npz")
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}

        def change(number: int) -> None:
            with zipfile.ZipFile(path, "w") as archive:
                for name, data in members.items():
                    archive.writestr(name, mutations.mutated(data, number) if number else data)

        return Loader(change, lambda: load_npz(path, "loader", ("x", "y")), (pickle.UnpicklingError,))

    def _pickle(self) -> Loader:
        lists = np.empty(3, object)
        lists[:] = [[1, 2], [], [70_000]]
        value = {
            b"data": np.arange(12, dtype=np.uint8).reshape(3, 4),
            b"labels": [1, 2, 3],
            b"x": lists,
            b"s": "text",
        }
        held = [pickle.dumps(value, protocol=p) for p in (3, 4)]
        data = [b""]

        def change(number: int) -> None:
            data[0] = mutations.mutated(held[number % 2], number) if number else held[0]

        return Loader(change, lambda: load_inert(data[0], "loader"), (pickle.UnpicklingError,))


KINDS = sorted(
    name.removeprefix("_")
    for name in vars(Loaders)
    if name.startswith("_")
    and name not in ("_place", "_file", "_document", "_restore", "_theirs", "_dataset")
    and not name.startswith("__")
)


def _changed(document: Any, number: int) -> Any:
    return mutations.mutated_json(document, number) if number else document


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _copy_packed(target: h5py.File, name: str, item: Any) -> None:
    if isinstance(item, h5py.Dataset):
        if item.shape:
            target.create_dataset(name, data=item[()], chunks=True, compression="gzip", shuffle=True)
        else:
            target[name] = item[()]
    else:
        target.require_group(name)


def _parts(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _write_parts(path: Path, header: dict[str, Any], body: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def _drop_checksums(path: Path) -> None:
    """As others write such files: checksums would find nearly all changes before anything else does."""
    header, body = _parts(path)
    for name in ("crc32", "sums"):
        header["__metadata__"].pop(name, None)
    _write_parts(path, header, body)
