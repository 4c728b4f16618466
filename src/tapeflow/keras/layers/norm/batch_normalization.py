"""`BatchNormalization`: inputs brought to mean 0 and variance 1 over the batch."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import initializers
from tapeflow.keras.annotations import AxisLike, ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.input_spec import InputSpec
from tapeflow.keras.layers.norm.batch_renormalization import Renormalization
from tapeflow.keras.layers.norm.normalization_base import (
    NormalizationLayer,
    axes_of,
    read_axis_argument,
    sizes_on,
)
from tapeflow.keras.layers.norm.virtual_batches import VirtualBatches
from tapeflow.ops.nn.norm.batch_norm import BatchNormOptions, batch_norm_inference_op, batch_norm_training_op


class BatchNormalization(NormalizationLayer):
    """Normalize with the batch's mean and variance in training, and with their moving averages in inference.

    With `trainable=False` it is always in inference, as in TensorFlow 2. For images (rank 4 and 5) the moving
    variance is the population's, for other inputs the batch's: so Keras 2 has it.

    Args:
        axis: the axis, or axes, whose elements have moments of their own: the features.
        momentum: how much of the moving averages stays at each step.
        epsilon: a small number that keeps the root from 0.
        center, scale: whether there is an offset `beta`, and a factor `gamma`.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: initializers.
        beta_regularizer, gamma_regularizer: penalties on them, added to the losses.
        beta_constraint, gamma_constraint: functions applied to them after each update.
        synchronized: take the moments over all replicas.
        renorm, renorm_clipping, renorm_momentum: correct the moments of a batch towards their averages, within
            bounds 'rmin', 'rmax' and 'dmax'; see `batch_renormalization`.
        virtual_batch_size: take the moments of so many samples at a time; see `virtual_batches`.
        **kwargs: see `Layer`.
    """

    _knows_output_shape: ClassVar[bool] = True
    moving_mean: Any
    moving_variance: Any

    def __init__(
        self,
        axis: AxisLike = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        moving_mean_initializer: InitializerLike = "zeros",
        moving_variance_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        fused = kwargs.pop("fused", None)
        adjustment = kwargs.pop("adjustment", None)
        if adjustment:
            raise ValueError(
                "BatchNormalization expected no `adjustment`, which is not supported; got "
                f"adjustment={adjustment!r}. Leave it out."
            )
        virtual = kwargs.pop("virtual_batch_size", None)
        clipping, pace = kwargs.pop("renorm_clipping", None), kwargs.pop("renorm_momentum", 0.99)
        renorm = Renormalization(clipping, pace) if kwargs.pop("renorm", False) else None
        super().__init__(
            epsilon,
            center,
            scale,
            beta_initializer,
            gamma_initializer,
            beta_regularizer,
            gamma_regularizer,
            beta_constraint,
            gamma_constraint,
            **kwargs,
        )
        self.axis = read_axis_argument(axis)
        if synchronized and fused:
            raise ValueError("`fused=True` is not supported when `synchronized=True`. Leave `fused` out.")
        if renorm and fused:
            raise ValueError(
                "Passing both `fused=True` and `renorm=True` is not supported. Leave `fused` out."
            )
        if virtual is not None and (fused or renorm):
            raise ValueError(
                "BatchNormalization expected no `virtual_batch_size` together with `fused=True` or "
                f"`renorm=True`; got virtual_batch_size={virtual}. Leave one of them out."
            )
        self.fused = False if synchronized or renorm or virtual is not None else fused
        self._renormalization = renorm
        self._virtual_batches = None if virtual is None else VirtualBatches(virtual)
        self.virtual_batch_size = virtual
        self.renorm = renorm is not None
        self.synchronized = synchronized
        self.momentum = momentum
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: InputShape) -> None:
        shape = tuple(input_shape)
        rank = len(shape)
        self.axis = axes_of(self.axis, shape)
        sizes = sizes_on(self.axis, shape)
        self.input_spec = InputSpec(ndim=rank, axes=dict(sizes))
        if self.fused is None:
            is_image = rank in (4, 5) and self.axis in ([1], [rank - 1])
            self.fused = is_image and self.compute_dtype != "float64"
        if self._virtual_batches is not None:
            weight_shape = self._virtual_batches.weight_shape(sizes, rank)
        elif len(sizes) == 1:
            weight_shape = tuple(sizes.values())
        else:
            weight_shape = tuple(sizes.get(a, 1) for a in range(rank))
        dtype = "float32" if self.dtype in ("float16", "bfloat16") else self.dtype
        self._parameters = self._add_scale_and_offset(weight_shape, dtype)
        for name in ("moving_mean", "moving_variance"):
            weight = self.add_weight(
                name,
                shape=weight_shape,
                dtype=dtype,
                initializer=getattr(self, f"{name}_initializer"),
                trainable=False,
                experimental_autocast=False,
            )
            setattr(self, name, weight)
        if self._renormalization is not None:
            self._renormalization.add_weights(self, weight_shape, dtype)
        self.built = True

    def call(self, inputs: Tensor, training: bool | None = None, mask: Any = None) -> Tensor:
        is_training = bool(training) and self._trainable
        if self._virtual_batches is not None:
            return self._virtual_batches(self, inputs, is_training)
        has_mask = is_training and mask is not None and not self.fused
        # Made at each call: momentum and epsilon may be set on a layer that is built.
        options = BatchNormOptions(
            axes=tuple(self.axis),
            epsilon=float(self.epsilon),
            momentum=float(self.momentum),
            has_scale=self.scale,
            has_offset=self.center,
            is_unbiased=bool(self.fused),
            has_mask=has_mask,
        )
        mean, variance, parameters = self.moving_mean, self.moving_variance, self._parameters
        if not is_training:
            return batch_norm_inference_op(inputs, mean, variance, *parameters, options=options)
        if mask is not None and self.fused:
            warnings.warn(
                f"BatchNormalization {self.name!r} does not look at the mask of inputs of rank 4 and 5; pass "
                "fused=False to leave masked positions out of the moments.",
                stacklevel=3,
            )
        if self._renormalization is not None:
            return self._renormalization(self, inputs, mask)
        rest = [*parameters, mask] if has_mask else parameters
        outputs, new_mean, new_variance = batch_norm_training_op(
            inputs, mean, variance, *rest, options=options
        )
        mean.assign(new_mean)
        variance.assign(new_variance)
        return outputs

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "axis": self.axis,
            "momentum": self.momentum,
            "moving_mean_initializer": initializers.serialize(self.moving_mean_initializer),
            "moving_variance_initializer": initializers.serialize(self.moving_variance_initializer),
        }
        if self._renormalization is not None:
            config["renorm"] = True
            config["renorm_clipping"] = self._renormalization.clipping
            config["renorm_momentum"] = self._renormalization.momentum
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        return {**config, "synchronized": True} if self.synchronized else config
