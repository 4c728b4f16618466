"""Click-through rates from sparse, dense and sequence features, as in the README and examples of deepctr."""

import numpy as np
from deepctr.feature_column import DenseFeat, SparseFeat, VarLenSparseFeat, get_feature_names
from deepctr.models import AFM, DCN, DIN, MMOE, NFM, PNN, WDL, AutoInt, DeepFM, FiBiNET, xDeepFM

rng = np.random.default_rng(0)
count = 64
data = {f"C{i}": rng.integers(0, 5 + i, count) for i in range(4)}
data |= {f"I{i}": rng.uniform(size=count).astype("float32") for i in range(2)}
data["genres"] = np.stack([np.r_[rng.integers(1, 6, k), [0] * (4 - k)] for k in rng.integers(1, 5, count)])
target = rng.integers(0, 2, count)
sparse = [SparseFeat(f"C{i}", vocabulary_size=5 + i, embedding_dim=4) for i in range(4)]
dense = [DenseFeat(f"I{i}", 1) for i in range(2)]
genres = [VarLenSparseFeat(SparseFeat("genres", 6, embedding_dim=4), maxlen=4, combiner="mean")]
plain, columns = sparse + dense, sparse + dense + genres
assert get_feature_names(columns) == [*[f"C{i}" for i in range(4)], "I0", "I1", "genres"]
result = {}


def weighted(model):
    """The model with weights that do not depend on a random generator of the library."""
    draw = np.random.default_rng(1)
    model.set_weights([0.3 * draw.normal(size=w.shape).astype(w.dtype) for w in model.get_weights()])
    return model


for make in (DeepFM, WDL, DCN, xDeepFM, AutoInt, NFM, AFM, FiBiNET):
    used = {DeepFM: columns, AFM: sparse}.get(make, plain)
    model = weighted(make(used, used, task="binary"))
    inputs = {name: data[name] for name in get_feature_names(used)}
    model.compile("adam", "binary_crossentropy", metrics=["binary_crossentropy"])
    first = model.predict(inputs, batch_size=32, verbose=0).ravel()[:4].tolist()
    history = model.fit(
        inputs, target, batch_size=32, epochs=2, verbose=0, shuffle=False, validation_split=0.25
    )
    result[make.__name__] = first if make in (AutoInt,) else first + history.history["loss"]
model = weighted(PNN(plain, task="regression"))
model.compile("sgd", "mse")
model.fit({name: data[name] for name in get_feature_names(plain)}, target, epochs=1, verbose=0, shuffle=False)
result["PNN"] = (
    model.predict({name: data[name] for name in get_feature_names(plain)}, verbose=0).ravel()[:4].tolist()
)

behavior = [
    SparseFeat("user", 3, embedding_dim=4),
    SparseFeat("item", 4, embedding_dim=4),
    DenseFeat("score", 1),
]
behavior += [
    VarLenSparseFeat(
        SparseFeat("hist_item", 4, embedding_dim=4, embedding_name="item"), 4, length_name="seq_length"
    )
]
visits = {
    "user": np.array([0, 1, 2]),
    "item": np.array([1, 2, 3]),
    "score": np.array([0.1, 0.2, 0.3]),
    "hist_item": np.array([[1, 2, 3, 0], [3, 2, 1, 0], [1, 2, 0, 0]]),
    "seq_length": np.array([3, 3, 2]),
}
model = DIN(behavior, ["item"], dnn_hidden_units=[4, 4])
model.compile("adam", "binary_crossentropy")
model.fit(visits, np.array([1, 0, 1]), epochs=2, verbose=0)
assert np.isfinite(model.predict(visits, verbose=0)).all()

model = weighted(MMOE(plain, task_types=["binary", "regression"], task_names=["click", "time"]))
model.compile("adam", loss=["binary_crossentropy", "mse"])
inputs = {name: data[name] for name in get_feature_names(plain)}
history = model.fit(inputs, [target, data["I0"]], batch_size=32, epochs=2, verbose=0, shuffle=False).history
result["MMOE"] = history["loss"] + history["click_loss"]
print("result", result)
