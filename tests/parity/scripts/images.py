"""Images and sounds: augmentation that is not random, colours, frames and spectra."""

import numpy as np
import tensorflow as tf

image = tf.constant(np.arange(48).reshape(4, 4, 3) * 5, tf.uint8)
print(
    tf.image.flip_left_right(image)[0, 0],
    tf.image.rot90(image)[0, 0],
    tf.image.central_crop(image, 0.5).shape,
)
scaled = tf.image.convert_image_dtype(image, tf.float32)
print(scaled.dtype, tf.reduce_max(scaled))
print(tf.image.resize(image, [2, 2])[..., 0], tf.image.resize(image, [2, 2], "nearest")[..., 0])
print(tf.image.resize_with_crop_or_pad(image, 6, 3)[..., 0])
print(tf.image.rgb_to_grayscale(image)[..., 0])
print(tf.image.adjust_brightness(image, 0.4)[0, 0], tf.image.adjust_contrast(scaled, 2.0)[0, 0])
print(tf.image.per_image_standardization(image)[0, 0], tf.image.adjust_saturation(scaled, 0.5)[0, 0])
print(tf.image.psnr(image, 255 - image, 255), tf.image.total_variation(scaled))
patches = tf.image.extract_patches(scaled[None], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
print(patches.shape, patches[0, 0, 0, :4])
boxes, scores = (
    tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0], [0.5, 0.5, 1.0, 1.0]]),
    [0.9, 0.8, 0.7],
)
print(tf.image.non_max_suppression(boxes, scores, 3, 0.5))
tf.random.set_seed(1)
print(tf.image.random_crop(image, [2, 2, 3]).shape, tf.image.random_brightness(scaled, 0.2).shape)
print(tf.reduce_all(tf.image.stateless_random_hue(scaled, 0.2, [1, 2]) >= 0))
wave = tf.sin(tf.linspace(0.0, 20.0, 64))
spectrum = tf.signal.rfft(wave)
print(spectrum.shape, spectrum.dtype, tf.argmax(tf.abs(spectrum)))
frames = tf.signal.stft(wave, frame_length=16, frame_step=8)
print(frames.shape, tf.abs(frames)[0, :3])
back = tf.signal.inverse_stft(frames, 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8))
print(back.shape, tf.reduce_max(tf.abs(back[8:-8] - wave[8:-8])) < 1e-5)
print(tf.signal.frame([1, 2, 3, 4, 5], 2, 2), tf.signal.hann_window(4))
