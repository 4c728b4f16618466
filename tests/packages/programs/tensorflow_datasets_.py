"""A dataset of one's own, built, read and described; mock data for a known one, as in the guide of tensorflow-datasets."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

folder = tempfile.mkdtemp()


class Squares(tfds.core.GeneratorBasedBuilder):
    """Squares of numbers."""

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "First."}

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(
                {
                    "image": tfds.features.Image(shape=(4, 4, 3)),
                    "text": tfds.features.Text(),
                    "number": np.float32,
                    "sequence": tfds.features.Sequence(np.int64),
                    "box": tfds.features.BBoxFeature(),
                    "label": tfds.features.ClassLabel(names=["even", "odd"]),
                }
            ),
            supervised_keys=("image", "label"),
        )

    def dataset_info_from_configs(self, **options):
        return tfds.core.DatasetInfo(builder=self, description="Squares of numbers.", **options)

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(0, 20), "test": self._generate_examples(20, 25)}

    def _generate_examples(self, first, end):
        for k in range(first, end):
            yield (
                k,
                {
                    "image": np.full((4, 4, 3), k, np.uint8),
                    "text": f"number {k}",
                    "number": float(k * k),
                    "sequence": list(range(k % 4)),
                    "box": tfds.features.BBox(0.0, 0.1, 0.5, 0.6),
                    "label": "odd" if k % 2 else "even",
                },
            )


builder = Squares(data_dir=folder)
builder.download_and_prepare()
assert builder.info.splits["train"].num_examples == 20
assert builder.info.features["label"].num_classes == 2
data = builder.as_dataset(split="train", shuffle_files=False)
rows = sorted(tfds.as_numpy(data), key=lambda row: row["number"])
assert [row["number"] for row in rows] == [float(k * k) for k in range(20)]
assert rows[7]["text"] == b"number 7"
assert rows[7]["sequence"].tolist() == [0, 1, 2]
assert rows[7]["image"].shape == (4, 4, 3) and (rows[7]["image"] == 7).all()
np.testing.assert_allclose(rows[7]["box"], [0.0, 0.1, 0.5, 0.6])

train, test = builder.as_dataset(split=["train[:50%]", "test"], as_supervised=True, batch_size=5)
model = tf.keras.Sequential(
    [tf.keras.layers.Rescaling(1 / 255.0), tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)]
)
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(train.repeat(2).prefetch(tf.data.AUTOTUNE), verbose=0)
assert len(model.evaluate(test, verbose=0)) == 2
frame = tfds.as_dataframe(builder.as_dataset(split="test").take(3), builder.info)
assert list(frame["label"]) == [
    row["label"] for row in tfds.as_numpy(builder.as_dataset(split="test").take(3))
]
again = tfds.load("squares:1.0.0", split="test", data_dir=folder, download=False)
assert len(list(again)) == 5
read = tfds.builder_from_directory(os.path.join(folder, "squares", "1.0.0"))
assert read.info.splits.total_num_examples == 25
source = tfds.testing.mock_data(num_examples=4)
with source:
    mock = tfds.load("mnist", split="train", as_supervised=True)
    images = [image.shape for image, label in mock]
assert images == [(28, 28, 1)] * 4
print("result", {"sum": [float(sum(row["number"] for row in rows))]})
