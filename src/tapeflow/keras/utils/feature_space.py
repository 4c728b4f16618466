"""`FeatureSpace`: columns of structured data as one vector, or as a dict of vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.data.dataset import Dataset
from tapeflow.engine.values.dtypes import DType
from tapeflow.keras.annotations import InputShape, PathLike
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.naming import unique_name
from tapeflow.keras.layers.features.category_encoding import CategoryEncoding
from tapeflow.keras.layers.features.discretization import Discretization
from tapeflow.keras.layers.features.feature_scaling import Normalization, Rescaling
from tapeflow.keras.layers.features.hashed_crossing import HashedCrossing
from tapeflow.keras.layers.features.hashing import Hashing
from tapeflow.keras.layers.features.vocabulary_lookup import IntegerLookup, StringLookup
from tapeflow.keras.layers.general.identity import Identity
from tapeflow.keras.layers.general.input_layer import Input
from tapeflow.keras.layers.merging import Concatenate
from tapeflow.keras.layers.serialization import deserialize as deserialize_layer
from tapeflow.keras.saving.registry import serialize_keras_object

_OUTPUT = {"int", "one_hot"}


class Cross:
    """Features whose combined values are hashed into one.

    Args:
        feature_names: the features.
        crossing_dim: into how many bins.
        output_mode: 'one_hot' or 'int'.
    """

    def __init__(self, feature_names: Sequence[str], crossing_dim: int, output_mode: str = "one_hot") -> None:
        _check_mode("Cross", output_mode, _OUTPUT)
        self.feature_names = tuple(feature_names)
        self.crossing_dim = crossing_dim
        self.output_mode = output_mode

    @property
    def name(self) -> str:
        """The names of the features, with `_X_` between."""
        return "_X_".join(self.feature_names)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it."""
        return {
            "feature_names": self.feature_names,
            "crossing_dim": self.crossing_dim,
            "output_mode": self.output_mode,
        }


class Feature:
    """How one column becomes numbers.

    Args:
        dtype: of the column.
        preprocessor: the layer that it goes through.
        output_mode: 'float' or 'int' for what the layer gives, 'one_hot' for vectors of its numbers.
    """

    def __init__(self, dtype: str, preprocessor: Any, output_mode: str) -> None:
        _check_mode("Feature", output_mode, {*_OUTPUT, "float"})
        self.dtype = dtype
        self.preprocessor = (
            deserialize_layer(preprocessor) if isinstance(preprocessor, dict) else preprocessor
        )
        self.output_mode = output_mode

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it."""
        preprocessor = serialize_keras_object(self.preprocessor)
        return {"dtype": self.dtype, "preprocessor": preprocessor, "output_mode": self.output_mode}


class FeatureSpace(Layer):
    """Learns from a dataset of dicts how each of their columns becomes numbers, and makes them so.

    Args:
        features: for each column its kind, by name ('float_normalized') or as `FeatureSpace.float_normalized()` gives.
        output_mode: 'concat' for one vector of all, 'dict' for one of each.
        crosses: tuples of names, or what `FeatureSpace.cross` gives.
        crossing_dim, hashing_dim, num_discretization_bins: for kinds that are given by name.

    >>> space = tf.keras.utils.FeatureSpace({"age": "float", "kind": "integer_hashed"}, hashing_dim=3)
    >>> space({"age": [20.0, 30.0], "kind": [1, 2]}).shape
    TensorShape([2, 4])
    """

    def __init__(
        self,
        features: Mapping[str, Any],
        output_mode: str = "concat",
        crosses: Sequence[Any] | None = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
        **kwargs: Any,
    ) -> None:
        if not features:
            raise ValueError(
                "The `features` argument cannot be None or empty. FeatureSpace expected a dict of features."
            )
        _check_mode("FeatureSpace", output_mode, {"dict", "concat"})
        super().__init__(**kwargs)
        self.crossing_dim = crossing_dim
        self.hashing_dim = hashing_dim
        self.num_discretization_bins = num_discretization_bins
        self.output_mode = output_mode
        self.features = {name: self._feature(name, given) for name, given in features.items()}
        self.crosses = [self._cross(given) for given in crosses or ()]
        self.inputs = {n: Input((1,), dtype=feature.dtype, name=n) for n, feature in self.features.items()}
        self.preprocessors = {name: feature.preprocessor for name, feature in self.features.items()}
        self.crossers = {c.name: HashedCrossing(c.crossing_dim, name=c.name) for c in self.crosses}
        self.one_hot_encoders: dict[str, Any] = {}
        self.concat = Concatenate(axis=-1) if output_mode == "concat" else None
        self.encoded_features: Any = None
        self._is_adapted = False

    # Kinds of features

    @classmethod
    def cross(cls, feature_names: Sequence[str], crossing_dim: int, output_mode: str = "one_hot") -> Cross:
        """Features whose combined values are hashed into one."""
        return Cross(feature_names, crossing_dim, output_mode)

    @classmethod
    def feature(cls, dtype: str, preprocessor: Any, output_mode: str) -> Feature:
        """A feature that is processed by a custom layer."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name: str | None = None) -> Feature:
        """Numbers as they are."""
        return Feature("float32", Identity(dtype="float32", name=_named(name, "float")), "float")

    @classmethod
    def float_rescaled(cls, scale: Any = 1.0, offset: Any = 0.0, name: str | None = None) -> Feature:
        """Numbers times a scale, plus an offset."""
        return Feature("float32", Rescaling(scale, offset, name=_named(name, "float_rescaled")), "float")

    @classmethod
    def float_normalized(cls, name: str | None = None) -> Feature:
        """Numbers less their mean, divided by their deviation."""
        return Feature("float32", Normalization(axis=-1, name=_named(name, "float_normalized")), "float")

    @classmethod
    def float_discretized(
        cls, num_bins: int, bin_boundaries: Any = None, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """The bin in which a number is."""
        layer = Discretization(
            num_bins=None if bin_boundaries else num_bins,
            bin_boundaries=bin_boundaries,
            name=_named(name, "float_discretized"),
        )
        return Feature("float32", layer, output_mode)

    @classmethod
    def integer_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """The place of an integer among those that were seen."""
        layer = IntegerLookup(
            max_tokens=max_tokens, num_oov_indices=num_oov_indices, name=_named(name, "integer_categorical")
        )
        return Feature("int64", layer, output_mode)

    @classmethod
    def string_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """The place of a string among those that were seen."""
        layer = StringLookup(
            max_tokens=max_tokens, num_oov_indices=num_oov_indices, name=_named(name, "string_categorical")
        )
        return Feature("string", layer, output_mode)

    @classmethod
    def string_hashed(cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None) -> Feature:
        """Hash strings into bins."""
        return Feature("string", Hashing(num_bins, name=_named(name, "string_hashed")), output_mode)

    @classmethod
    def integer_hashed(cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None) -> Feature:
        """Hash integers into bins."""
        return Feature("int64", Hashing(num_bins, name=_named(name, "integer_hashed")), output_mode)

    def _feature(self, name: str, given: Any) -> Feature:
        if isinstance(given, Feature):
            return given
        if isinstance(given, dict):
            return Feature(**given.get("config", given))
        bins = {"integer_hashed": self.hashing_dim, "string_hashed": self.hashing_dim}
        bins["float_discretized"] = self.num_discretization_bins
        if given not in _KINDS:
            raise ValueError(
                f"Invalid feature type: {given}. FeatureSpace expected one of {_KINDS} for {name!r}."
            )
        arguments = (bins[given],) if given in bins else ()
        return getattr(type(self), given)(*arguments, name=name)

    def _cross(self, given: Any) -> Cross:
        if isinstance(given, dict):
            given = Cross(**given.get("config", given))
        names = given.feature_names if isinstance(given, Cross) else given
        if any(name not in self.features for name in names):
            raise ValueError(
                "All features referenced in the `crosses` argument should be present in the `features` dict. Received "
                f"unknown features: {tuple(names)}"
            )
        return given if isinstance(given, Cross) else Cross(names, self.crossing_dim)

    # What it learns

    def adapt(self, dataset: Any) -> None:
        """Learn from the elements of a dataset, dicts of columns, what the layers have to know."""
        if not isinstance(dataset, Dataset):
            raise ValueError(
                "`adapt()` can only be called on a tf.data.Dataset. Received instead: "
                f"{dataset} (of type {type(dataset)})"
            )
        for name in self._adaptable():
            self.preprocessors[name].adapt(_column(dataset, name))
        self._is_adapted = True
        self.get_encoded_features()

    def _adaptable(self) -> list[str]:
        """The features whose layers learn, unless they were given what they would."""

        def learns(layer: Layer) -> bool:
            is_given = isinstance(layer, Normalization) and layer.input_mean is not None
            is_given = is_given or (isinstance(layer, Discretization) and bool(layer.bin_boundaries))
            return callable(getattr(layer, "adapt", None)) and not is_given

        return [name for name, layer in self.preprocessors.items() if learns(layer)]

    def build(self, input_shape: InputShape) -> None:
        """Make what a file has values for: it was saved after it had learned."""
        self._is_adapted = True
        self.get_encoded_features()

    def get_inputs(self) -> dict[str, Any]:
        """A Keras input for each column."""
        self.get_encoded_features()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """The encoded features: symbolic tensors for a functional model."""
        if self.encoded_features is None:
            if not self._is_adapted and self._adaptable():
                raise ValueError(
                    "You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it."
                )
            self._is_adapted = True
            self.encoded_features = self._encoded(self.inputs)
            self._build_input_shape = (None, 1)
            self.built = True
        return self.encoded_features

    # What it makes of data

    def __call__(self, data: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The numbers of a dict of columns: of a batch, or of one example."""
        self.get_encoded_features()
        if not isinstance(data, dict):
            raise ValueError(
                f"A FeatureSpace can only be called with a dict. Received: data={data} (of type {type(data)}"
            )
        missing = [name for name in self.features if name not in data]
        if missing:
            raise KeyError(f"FeatureSpace expected the columns {list(self.features)}; there is no {missing}.")
        columns = {name: _tensor(data[name]) for name in self.features}
        is_one = any(column.shape.rank == 0 for column in columns.values())
        result = self._encoded({name: _as_column(column) for name, column in columns.items()})
        return tf.nest.map_structure(lambda x: tf.squeeze(x, 0), result) if is_one else result

    def _encoded(self, columns: Mapping[str, Any]) -> Any:
        found = {name: self.preprocessors[name](columns[name]) for name in self.features}
        crossed = {c.name: self.crossers[c.name]([found[n] for n in c.feature_names]) for c in self.crosses}
        modes = {
            **{n: f.output_mode for n, f in self.features.items()},
            **{c.name: c.output_mode for c in self.crosses},
        }
        results: dict[str, Any] = {}
        for name in (*sorted(found), *sorted(crossed)):
            value = found[name] if name in found else crossed[name]
            results[name] = self._one_hot(name, value) if modes[name] == "one_hot" else value
            dtype = results[name].dtype
            if self.concat is not None and (dtype.is_integer or dtype == tf.string):
                raise ValueError(
                    f"Cannot concatenate features because feature '{name}' has not been encoded (it has dtype "
                    f"{dtype.name}). Consider using `output_mode='dict'`."
                )
        return results if self.concat is None else self.concat(list(results.values()))

    def _one_hot(self, name: str, value: Any) -> Any:
        if name not in self.one_hot_encoders:
            count = _count(name, self.preprocessors.get(name) or self.crossers[name], value.dtype)
            self.one_hot_encoders[name] = CategoryEncoding(count, output_mode="multi_hot")
        return self.one_hot_encoders[name](value)

    # Files

    def get_config(self) -> dict[str, Any]:
        return {
            "features": {
                n: {"class_name": "Feature", "config": f.get_config()} for n, f in self.features.items()
            },
            "output_mode": self.output_mode,
            "crosses": [{"class_name": "Cross", "config": c.get_config()} for c in self.crosses],
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    def save(self, filepath: PathLike) -> None:
        """Save it to a `.keras` file, which `tf.keras.models.load_model` reads."""
        tf.keras.models.save_model(self, filepath, include_optimizer=False)


_KINDS = [
    *("float", "float_normalized", "float_rescaled", "float_discretized"),
    *("integer_categorical", "string_categorical", "integer_hashed", "string_hashed"),
]


def _check_mode(where: str, mode: str, allowed: set[str]) -> None:
    if mode not in allowed:
        raise ValueError(
            f"Invalid value for argument `output_mode` of {where}. Expected one of {sorted(allowed)}. Received: "
            f"output_mode={mode}"
        )


def _named(name: str | None, kind: str) -> str:
    return f"{name or unique_name(kind)}_preprocessor"


def _column(dataset: Dataset, name: str) -> Dataset:
    """One column of a dataset as batches of (batch, 1)."""
    column = dataset.map(lambda x: x[name])
    rank = column.element_spec.shape.rank
    if rank == 0:
        column = column.batch(32)
    return column.map(lambda x: tf.expand_dims(x, -1)) if rank in (0, 1) else column


def _tensor(value: object) -> Any:
    return value if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)) else tf.convert_to_tensor(value)


def _as_column(value: Any) -> Any:
    if value.shape.rank == 0:
        return tf.reshape(value, [1, 1])
    return tf.expand_dims(value, -1) if value.shape.rank == 1 else value


def _count(name: str, layer: Any, dtype: DType) -> int:
    """How many numbers a layer may give."""
    if not dtype.is_integer:
        raise ValueError(
            f"Feature '{name}' has `output_mode='one_hot'`. Thus its preprocessor should return an int64 dtype. "
            f"Instead it returns a {dtype.name} dtype."
        )
    if isinstance(layer, (IntegerLookup, StringLookup)):
        return layer.vocabulary_size()
    if isinstance(layer, Discretization):
        return len(layer.bin_boundaries) + 1
    if isinstance(layer, CategoryEncoding):
        return layer.num_tokens
    if isinstance(layer, (HashedCrossing, Hashing)):
        return layer.num_bins
    raise ValueError(
        f"Feature '{name}' has `output_mode='one_hot'`. However it isn't a standard feature and the dimensionality of "
        "its output space is not known, thus it cannot be one-hot encoded. Try using `output_mode='int'`."
    )
