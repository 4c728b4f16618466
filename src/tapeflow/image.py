"""`tf.image`: resizing, cropping, flipping, colours, random changes and comparison of images."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.io.images import decode_and_crop_jpeg as decode_and_crop_jpeg
from tapeflow.io.images import decode_bmp as decode_bmp
from tapeflow.io.images import decode_gif as decode_gif
from tapeflow.io.images import decode_image as decode_image
from tapeflow.io.images import decode_jpeg as decode_jpeg
from tapeflow.io.images import decode_png as decode_png
from tapeflow.io.images import decode_webp as decode_webp
from tapeflow.io.images import encode_jpeg as encode_jpeg
from tapeflow.io.images import encode_png as encode_png
from tapeflow.io.images import extract_jpeg_shape as extract_jpeg_shape
from tapeflow.io.images import is_jpeg as is_jpeg
from tapeflow.ops.image.arguments import convert_image_dtype as convert_image_dtype
from tapeflow.ops.image.boxes import combined_non_max_suppression as combined_non_max_suppression
from tapeflow.ops.image.boxes import draw_bounding_boxes as draw_bounding_boxes
from tapeflow.ops.image.boxes import non_max_suppression as non_max_suppression
from tapeflow.ops.image.boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from tapeflow.ops.image.boxes import non_max_suppression_padded as non_max_suppression_padded
from tapeflow.ops.image.boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from tapeflow.ops.image.color import adjust_brightness as adjust_brightness
from tapeflow.ops.image.color import adjust_contrast as adjust_contrast
from tapeflow.ops.image.color import adjust_gamma as adjust_gamma
from tapeflow.ops.image.color import adjust_hue as adjust_hue
from tapeflow.ops.image.color import adjust_saturation as adjust_saturation
from tapeflow.ops.image.color import grayscale_to_rgb as grayscale_to_rgb
from tapeflow.ops.image.color import hsv_to_rgb as hsv_to_rgb
from tapeflow.ops.image.color import per_image_standardization as per_image_standardization
from tapeflow.ops.image.color import rgb_to_grayscale as rgb_to_grayscale
from tapeflow.ops.image.color import rgb_to_hsv as rgb_to_hsv
from tapeflow.ops.image.color import rgb_to_yiq as rgb_to_yiq
from tapeflow.ops.image.color import rgb_to_yuv as rgb_to_yuv
from tapeflow.ops.image.color import yiq_to_rgb as yiq_to_rgb
from tapeflow.ops.image.color import yuv_to_rgb as yuv_to_rgb
from tapeflow.ops.image.crop_boxes import sample_distorted_bounding_box as sample_distorted_bounding_box
from tapeflow.ops.image.crop_boxes import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from tapeflow.ops.image.frame import central_crop as central_crop
from tapeflow.ops.image.frame import crop_to_bounding_box as crop_to_bounding_box
from tapeflow.ops.image.frame import flip_left_right as flip_left_right
from tapeflow.ops.image.frame import flip_up_down as flip_up_down
from tapeflow.ops.image.frame import pad_to_bounding_box as pad_to_bounding_box
from tapeflow.ops.image.frame import resize_with_crop_or_pad as resize_with_crop_or_pad
from tapeflow.ops.image.frame import rot90 as rot90
from tapeflow.ops.image.frame import transpose as transpose
from tapeflow.ops.image.glimpse import extract_glimpse as extract_glimpse
from tapeflow.ops.image.jpeg import adjust_jpeg_quality as adjust_jpeg_quality
from tapeflow.ops.image.measures import image_gradients as image_gradients
from tapeflow.ops.image.measures import psnr as psnr
from tapeflow.ops.image.measures import sobel_edges as sobel_edges
from tapeflow.ops.image.measures import ssim as ssim
from tapeflow.ops.image.measures import ssim_multiscale as ssim_multiscale
from tapeflow.ops.image.measures import total_variation as total_variation
from tapeflow.ops.image.patches import extract_patches as extract_patches
from tapeflow.ops.image.random import random_brightness as random_brightness
from tapeflow.ops.image.random import random_contrast as random_contrast
from tapeflow.ops.image.random import random_crop as random_crop
from tapeflow.ops.image.random import random_flip_left_right as random_flip_left_right
from tapeflow.ops.image.random import random_flip_up_down as random_flip_up_down
from tapeflow.ops.image.random import random_hue as random_hue
from tapeflow.ops.image.random import random_jpeg_quality as random_jpeg_quality
from tapeflow.ops.image.random import random_saturation as random_saturation
from tapeflow.ops.image.random import stateless_random_brightness as stateless_random_brightness
from tapeflow.ops.image.random import stateless_random_contrast as stateless_random_contrast
from tapeflow.ops.image.random import stateless_random_crop as stateless_random_crop
from tapeflow.ops.image.random import stateless_random_flip_left_right as stateless_random_flip_left_right
from tapeflow.ops.image.random import stateless_random_flip_up_down as stateless_random_flip_up_down
from tapeflow.ops.image.random import stateless_random_hue as stateless_random_hue
from tapeflow.ops.image.random import stateless_random_jpeg_quality as stateless_random_jpeg_quality
from tapeflow.ops.image.random import stateless_random_saturation as stateless_random_saturation
from tapeflow.ops.image.resize import ResizeMethod as ResizeMethod
from tapeflow.ops.image.resize import crop_and_resize as crop_and_resize
from tapeflow.ops.image.resize import resize as resize
from tapeflow.ops.image.resize import resize_with_pad as resize_with_pad

_dispatch_all(globals())
