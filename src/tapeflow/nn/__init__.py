"""`tf.nn`: activations, losses, convolution, pooling, normalisation and dropout."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.nn import experimental as experimental
from tapeflow.ops.array.block_layout import depth_to_space as depth_to_space
from tapeflow.ops.array.block_layout import space_to_batch as space_to_batch
from tapeflow.ops.array.block_layout import space_to_depth as space_to_depth
from tapeflow.ops.linalg.products import bias_add as bias_add
from tapeflow.ops.math.elementwise import sigmoid as sigmoid
from tapeflow.ops.math.elementwise import softplus as softplus
from tapeflow.ops.math.elementwise import softsign as softsign
from tapeflow.ops.math.elementwise import tanh as tanh
from tapeflow.ops.math.isotonic import isotonic_regression as isotonic_regression
from tapeflow.ops.math.ordering import approx_max_k as approx_max_k
from tapeflow.ops.math.ordering import approx_min_k as approx_min_k
from tapeflow.ops.math.ordering import in_top_k as in_top_k
from tapeflow.ops.math.ordering import top_k as top_k
from tapeflow.ops.math.reduction import l2_normalize as l2_normalize
from tapeflow.ops.math.reduction import zero_fraction as zero_fraction
from tapeflow.ops.nn.activation import crelu as crelu
from tapeflow.ops.nn.activation import elu as elu
from tapeflow.ops.nn.activation import gelu as gelu
from tapeflow.ops.nn.activation import leaky_relu as leaky_relu
from tapeflow.ops.nn.activation import log_softmax as log_softmax
from tapeflow.ops.nn.activation import relu as relu
from tapeflow.ops.nn.activation import relu6 as relu6
from tapeflow.ops.nn.activation import selu as selu
from tapeflow.ops.nn.activation import silu as silu
from tapeflow.ops.nn.activation import softmax as softmax
from tapeflow.ops.nn.activation import swish as swish
from tapeflow.ops.nn.candidate_hits import all_candidate_sampler as all_candidate_sampler
from tapeflow.ops.nn.candidate_hits import compute_accidental_hits as compute_accidental_hits
from tapeflow.ops.nn.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapeflow.ops.nn.candidates import nce_loss as nce_loss
from tapeflow.ops.nn.candidates import sampled_softmax_loss as sampled_softmax_loss
from tapeflow.ops.nn.conv.backprop import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from tapeflow.ops.nn.conv.backprop import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from tapeflow.ops.nn.conv.convolution import atrous_conv2d as atrous_conv2d
from tapeflow.ops.nn.conv.convolution import conv1d as conv1d
from tapeflow.ops.nn.conv.convolution import conv2d as conv2d
from tapeflow.ops.nn.conv.convolution import conv3d as conv3d
from tapeflow.ops.nn.conv.convolution import convolution as convolution
from tapeflow.ops.nn.conv.convolution import depthwise_conv2d as depthwise_conv2d
from tapeflow.ops.nn.conv.convolution import separable_conv2d as separable_conv2d
from tapeflow.ops.nn.conv.transpose import atrous_conv2d_transpose as atrous_conv2d_transpose
from tapeflow.ops.nn.conv.transpose import conv1d_transpose as conv1d_transpose
from tapeflow.ops.nn.conv.transpose import conv2d_transpose as conv2d_transpose
from tapeflow.ops.nn.conv.transpose import conv3d_transpose as conv3d_transpose
from tapeflow.ops.nn.conv.transpose import conv_transpose as conv_transpose
from tapeflow.ops.nn.cross_entropy import l2_loss as l2_loss
from tapeflow.ops.nn.cross_entropy import log_poisson_loss as log_poisson_loss
from tapeflow.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from tapeflow.ops.nn.cross_entropy import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from tapeflow.ops.nn.cross_entropy import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tapeflow.ops.nn.cross_entropy import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tapeflow.ops.nn.ctc import ctc_loss as ctc_loss
from tapeflow.ops.nn.ctc_decoding import collapse_repeated as collapse_repeated
from tapeflow.ops.nn.ctc_decoding import ctc_beam_search_decoder as ctc_beam_search_decoder
from tapeflow.ops.nn.ctc_decoding import ctc_greedy_decoder as ctc_greedy_decoder
from tapeflow.ops.nn.ctc_decoding import ctc_unique_labels as ctc_unique_labels
from tapeflow.ops.nn.dropout import dropout as dropout
from tapeflow.ops.nn.embedding import embedding_lookup as embedding_lookup
from tapeflow.ops.nn.morphology import dilation2d as dilation2d
from tapeflow.ops.nn.morphology import erosion2d as erosion2d
from tapeflow.ops.nn.norm.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from tapeflow.ops.nn.norm.normalization import batch_normalization as batch_normalization
from tapeflow.ops.nn.norm.normalization import local_response_normalization as local_response_normalization
from tapeflow.ops.nn.norm.normalization import lrn as lrn
from tapeflow.ops.nn.norm.normalization import moments as moments
from tapeflow.ops.nn.norm.normalization import normalize_moments as normalize_moments
from tapeflow.ops.nn.norm.normalization import sufficient_statistics as sufficient_statistics
from tapeflow.ops.nn.norm.normalization import weighted_moments as weighted_moments
from tapeflow.ops.nn.pool.fractional import fractional_avg_pool as fractional_avg_pool
from tapeflow.ops.nn.pool.fractional import fractional_max_pool as fractional_max_pool
from tapeflow.ops.nn.pool.places import max_pool_with_argmax as max_pool_with_argmax
from tapeflow.ops.nn.pool.pooling import avg_pool as avg_pool
from tapeflow.ops.nn.pool.pooling import avg_pool1d as avg_pool1d
from tapeflow.ops.nn.pool.pooling import avg_pool2d as avg_pool2d
from tapeflow.ops.nn.pool.pooling import avg_pool3d as avg_pool3d
from tapeflow.ops.nn.pool.pooling import max_pool as max_pool
from tapeflow.ops.nn.pool.pooling import max_pool1d as max_pool1d
from tapeflow.ops.nn.pool.pooling import max_pool2d as max_pool2d
from tapeflow.ops.nn.pool.pooling import max_pool3d as max_pool3d
from tapeflow.ops.nn.pool.pooling import pool as pool
from tapeflow.ops.sparse.rows import embedding_lookup_sparse as embedding_lookup_sparse
from tapeflow.ops.sparse.rows import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from tapeflow.ops.training.average_loss import compute_average_loss as compute_average_loss
from tapeflow.ops.training.average_loss import scale_regularization_loss as scale_regularization_loss

_dispatch_all(globals())
