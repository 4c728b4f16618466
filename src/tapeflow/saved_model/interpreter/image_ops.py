"""Images: sizes, colours, boxes, files in memory."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.image_transform import projected
from tapeflow.saved_model.interpreter.kernels import Node, array, implements, integer, ints

_METHODS = {
    "ResizeBilinear": "bilinear",
    "ResizeNearestNeighbor": "nearest",
    "ResizeBicubic": "bicubic",
    "ResizeArea": "area",
}


@implements(*_METHODS)
def _resize(node: Node, images: Tensor, size: Tensor) -> Any:
    method = _METHODS[node.op]
    if not node.flag("half_pixel_centers") and method != "area":
        return _old_resize(node, images, ints(size), method)
    return tf.image.resize(images, ints(size), method)


def _old_resize(node: Node, images: Any, size: list[int], method: str) -> Tensor:
    """TensorFlow 1's ways to resize, which put pixel 0 of both images at one place."""
    if method == "bicubic":
        raise NotImplementedError(
            f"ResizeBicubic expected half_pixel_centers=True; got node {node.name!r} without. Export the model with "
            "tf.image.resize of TensorFlow 2."
        )
    is_aligned = node.flag("align_corners")
    work = images if method == "nearest" else tf.cast(images, tf.float32)
    for axis, wanted in ((1, size[0]), (2, size[1])):
        work = _resized_axis(work, axis, wanted, method, is_aligned)
    return work


def _resized_axis(images: Any, axis: int, wanted: int, method: str, is_aligned: bool) -> Tensor:
    count = int(images.shape[axis])
    step = (count - 1) / (wanted - 1) if is_aligned and wanted > 1 else count / wanted
    places = tf.range(wanted, dtype=tf.float32) * step
    if method == "nearest":
        whole = tf.floor(places + 0.5) if is_aligned else tf.floor(places)
        return tf.gather(images, tf.cast(tf.minimum(whole, count - 1.0), tf.int32), axis=axis)
    low = tf.minimum(tf.floor(places), count - 1.0)
    first, second = tf.cast(low, tf.int32), tf.cast(tf.minimum(low + 1, count - 1.0), tf.int32)
    share = tf.reshape(places - low, [-1 if a == axis else 1 for a in range(4)])
    return tf.gather(images, first, axis=axis) * (1 - share) + tf.gather(images, second, axis=axis) * share


@implements("ScaleAndTranslate")
def _scale(node: Node, images: Any, size: Any, scale: Any, translation: Any) -> Any:
    kernels = {"triangle": "bilinear", "keyscubic": "bicubic"}
    kernel = node.text("kernel_type", "lanczos3")
    wanted, given = ints(size), images.shape.as_list()[1:3]
    factors = array(scale).tolist()
    is_plain = all(abs(f - w / g) < 1e-5 for f, w, g in zip(factors, wanted, given, strict=True))
    if not is_plain or array(translation).any():
        raise NotImplementedError(
            f"ScaleAndTranslate expected to resize whole images; got node {node.name!r} with scale={factors}."
        )
    return tf.image.resize(
        images, wanted, kernels.get(kernel, kernel), antialias=node.flag("antialias", True)
    )


@implements("CropAndResize")
def _crop_and_resize(node: Node, images: Tensor, boxes: Tensor, owners: Tensor, size: Tensor) -> Any:
    method, outside = node.text("method", "bilinear"), node.real("extrapolation_value")
    return tf.image.crop_and_resize(images, boxes, owners, ints(size), method, outside)


@implements("ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def _transform(node: Node, images: Any, matrices: Any, size: Any, fill: Any = None) -> Any:
    mode, method = node.text("fill_mode", "CONSTANT"), node.text("interpolation")
    return projected(images, matrices, ints(size), method, mode, 0.0 if fill is None else fill)


@implements("ExtractImagePatches")
def _patches(node: Node, images: Tensor) -> Any:
    sizes, strides, rates = node.ints("ksizes"), node.ints("strides"), node.ints("rates")
    return tf.image.extract_patches(images, sizes, strides, rates, node.text("padding"))


@implements("ExtractVolumePatches")
def _volume_patches(node: Node, x: Tensor) -> Any:
    return tf.extract_volume_patches(x, node.ints("ksizes"), node.ints("strides"), node.text("padding"))


@implements("ExtractGlimpse", "ExtractGlimpseV2")
def _glimpse(node: Node, x: Tensor, size: Tensor, offsets: Tensor) -> Any:
    flags = (node.flag("centered", True), node.flag("normalized", True))
    return tf.image.extract_glimpse(x, ints(size), offsets, *flags, node.text("noise", "uniform"))


@implements("AdjustContrastv2")
def _contrast(_: Node, images: Tensor, factor: Tensor) -> Any:
    return tf.image.adjust_contrast(images, factor)


@implements("AdjustHue")
def _hue(_: Node, images: Tensor, delta: Tensor) -> Any:
    return tf.image.adjust_hue(images, delta)


@implements("AdjustSaturation")
def _saturation(_: Node, images: Tensor, factor: Tensor) -> Any:
    return tf.image.adjust_saturation(images, factor)


@implements("RGBToHSV")
def _to_hsv(_: Node, images: Tensor) -> Any:
    return tf.image.rgb_to_hsv(images)


@implements("HSVToRGB")
def _to_rgb(_: Node, images: Tensor) -> Any:
    return tf.image.hsv_to_rgb(images)


@implements("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def _draw(_: Node, images: Any, boxes: Any, colors: Any = None) -> Any:
    return tf.image.draw_bounding_boxes(images, boxes, colors)


@implements("DecodeJpeg", "DecodePng", "DecodeBmp")
def _decode(node: Node, data: Tensor) -> Any:
    function = {
        "DecodeJpeg": tf.image.decode_jpeg,
        "DecodePng": tf.image.decode_png,
        "DecodeBmp": tf.image.decode_bmp,
    }
    if node.op == "DecodePng":
        return tf.image.decode_png(data, node.number("channels"), node.dtype("dtype", tf.uint8))
    return function[node.op](data, node.number("channels"))


@implements("DecodeGif")
def _decode_gif(_: Node, data: Tensor) -> Any:
    return tf.image.decode_gif(data)


@implements("DecodeWebP")
def _decode_webp(node: Node, data: Tensor) -> Any:
    return tf.image.decode_webp(data, node.number("channels"))


@implements("DecodeImage")
def _decode_any(node: Node, data: Tensor) -> Any:
    return tf.image.decode_image(
        data,
        node.number("channels"),
        node.dtype("dtype", tf.uint8),
        expand_animations=node.flag("expand_animations", True),
    )


@implements("DecodeAndCropJpeg")
def _decode_and_crop(node: Node, data: Tensor, window: Tensor) -> Any:
    return tf.image.decode_and_crop_jpeg(data, ints(window), node.number("channels"))


@implements("ExtractJpegShape")
def _jpeg_shape(node: Node, data: Tensor) -> Any:
    return tf.image.extract_jpeg_shape(data, node.dtype("output_type", tf.int32))


@implements("EncodePng")
def _encode_png(node: Node, image: Tensor) -> Any:
    return tf.io.encode_png(image, node.number("compression", -1))


@implements("EncodeJpeg")
def _encode_jpeg(node: Node, image: Tensor) -> Any:
    return tf.io.encode_jpeg(image, node.text("format"), node.number("quality", 95))


@implements("DecodeWav", outputs=("audio", "sample_rate"))
def _decode_wav(node: Node, data: Tensor) -> Any:
    return tuple(
        tf.audio.decode_wav(data, node.number("desired_channels", -1), node.number("desired_samples", -1))
    )


@implements("EncodeWav")
def _encode_wav(_: Node, sound: Tensor, rate: Tensor) -> Any:
    return tf.audio.encode_wav(sound, rate)


@implements("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3")
def _nms(node: Node, boxes: Tensor, scores: Tensor, most: Tensor, *rest: Tensor) -> Any:
    overlap = node.real("iou_threshold", 0.5) if not rest else float(array(rest[0]))
    least = float(array(rest[1])) if len(rest) > 1 else float("-inf")
    return tf.image.non_max_suppression(boxes, scores, integer(most), overlap, least)


@implements("NonMaxSuppressionV4", outputs=("selected_indices", "valid_outputs"))
def _nms_padded(
    node: Node, boxes: Tensor, scores: Tensor, most: Tensor, overlap: Tensor, least: Tensor
) -> Any:
    is_padded = node.flag("pad_to_max_output_size")
    return tuple(
        tf.image.non_max_suppression_padded(
            boxes, scores, integer(most), float(array(overlap)), float(array(least)), is_padded
        )
    )


@implements("NonMaxSuppressionV5", outputs=("selected_indices", "selected_scores", "valid_outputs"))
def _nms_soft(
    node: Node, boxes: Tensor, scores: Tensor, most: Tensor, overlap: Tensor, least: Tensor, sigma: Tensor
) -> Any:
    places, found = tf.image.non_max_suppression_with_scores(
        boxes, scores, integer(most), float(array(overlap)), float(array(least)), float(array(sigma))
    )
    count = tf.size(places)
    if node.flag("pad_to_max_output_size"):
        room = [[0, integer(most) - int(count)]]
        places, found = tf.pad(places, room), tf.pad(found, room)
    return places, found, count


@implements(
    "CombinedNonMaxSuppression", outputs=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections")
)
def _nms_combined(
    node: Node,
    boxes: Tensor,
    scores: Tensor,
    per_class: Tensor,
    total: Tensor,
    overlap: Tensor,
    least: Tensor,
) -> Any:
    return tuple(
        tf.image.combined_non_max_suppression(
            boxes,
            scores,
            integer(per_class),
            integer(total),
            float(array(overlap)),
            float(array(least)),
            node.flag("pad_per_class"),
            node.flag("clip_boxes", True),
        )
    )
