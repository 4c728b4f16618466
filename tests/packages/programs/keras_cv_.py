"""Augmentation, boxes and networks for images, as in the README and guides of keras-cv 0.5."""

import keras_cv
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
images = rng.uniform(0, 255, (4, 16, 16, 3)).astype("float32")
labels = np.eye(3, dtype="float32")[[0, 1, 2, 0]]
result = {}


def numbers(value):
    return np.asarray(value, np.float64).ravel()[:8].tolist()


pipeline = tf.keras.Sequential(
    [
        keras_cv.layers.RandomFlip(),
        keras_cv.layers.RandAugment(value_range=(0, 255), augmentations_per_image=2, magnitude=0.3),
    ]
)
augmented = pipeline({"images": images, "labels": labels}, training=True)
assert augmented["images"].shape == images.shape
for kind in (keras_cv.layers.CutMix(seed=1), keras_cv.layers.MixUp(seed=1)):
    mixed = kind({"images": images, "labels": labels}, training=True)
    np.testing.assert_allclose(tf.reduce_sum(mixed["labels"], axis=1), np.ones(4), rtol=1e-5)
result["grayscale"] = numbers(keras_cv.layers.Grayscale(output_channels=1)(images))
result["posterize"] = numbers(keras_cv.layers.Posterization(value_range=(0, 255), bits=3)(images))
result["solarize"] = numbers(keras_cv.layers.Solarization(value_range=(0, 255), threshold_factor=0.5)(images))
result["equalize"] = numbers(keras_cv.layers.Equalization(value_range=(0, 255))(images))
result["resized"] = numbers(keras_cv.layers.Resizing(8, 8)(images))

boxes = np.array([[[2.0, 3.0, 8.0, 9.0], [1.0, 1.0, 4.0, 6.0]]], np.float32)
result["boxes"] = numbers(keras_cv.bounding_box.convert_format(boxes, source="xyxy", target="center_xywh"))
result["iou"] = numbers(keras_cv.bounding_box.compute_iou(boxes[0], boxes[0], "xyxy"))
ragged = {"boxes": boxes, "classes": np.array([[0.0, 1.0]], np.float32)}
result["dense"] = numbers(keras_cv.bounding_box.to_dense(ragged, max_boxes=3)["boxes"])
result["focal"] = numbers(
    keras_cv.losses.FocalLoss(from_logits=True)(labels, rng.normal(size=(4, 3)).astype("float32"))
)
result["giou"] = numbers(keras_cv.losses.GIoULoss(bounding_box_format="xyxy")(boxes[0], boxes[0] + 1.0))
result["smooth l1"] = numbers(keras_cv.losses.SmoothL1Loss(l1_cutoff=0.5)(boxes, boxes + 0.7))
projected = rng.normal(size=(2, 4, 5)).astype("float32")
result["simclr"] = numbers(keras_cv.losses.SimCLRLoss(temperature=0.5)(projected[0], projected[1]))
assert keras_cv.layers.DropPath(0.5)(images, training=True).shape == images.shape
assert keras_cv.layers.DropBlock2D(0.3, 3)(images, training=True).shape == images.shape
squeezed = keras_cv.layers.SqueezeAndExcite2D(3, bottleneck_filters=2)
squeezed(images)
squeezed.set_weights([0.1 * rng.normal(size=w.shape) for w in squeezed.get_weights()])
result["squeezed"] = numbers(squeezed(images / 255.0))

backbone = keras_cv.models.ResNetV2Backbone(
    include_rescaling=False,
    stackwise_filters=[8, 16],
    stackwise_blocks=[2, 2],
    stackwise_strides=[1, 2],
    input_shape=(16, 16, 3),
)
model = keras_cv.models.ImageClassifier(backbone=backbone, num_classes=3)
draw = np.random.default_rng(1)
model.set_weights([np.abs(0.2 * draw.normal(size=w.shape)) for w in model.get_weights()])
model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
result["predicted"] = numbers(model.predict(images / 255.0, verbose=0))
result["loss"] = model.fit(images / 255.0, labels, epochs=1, shuffle=False, verbose=0).history["loss"]
again = keras_cv.models.ResNetV2Backbone.from_config(backbone.get_config())
assert len(again.weights) == len(backbone.weights)
print("result", result)
