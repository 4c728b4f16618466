"""`tf.math.special`: special functions beyond those of `tf.math`."""

from tapeflow.engine.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.special import bessel_i0 as bessel_i0
from tapeflow.ops.special import bessel_i0e as bessel_i0e
from tapeflow.ops.special import bessel_i1 as bessel_i1
from tapeflow.ops.special import bessel_i1e as bessel_i1e
from tapeflow.ops.special_tail import dawsn as dawsn
from tapeflow.ops.special_tail import expint as expint
from tapeflow.ops.special_tail import fresnel_cos as fresnel_cos
from tapeflow.ops.special_tail import fresnel_sin as fresnel_sin
from tapeflow.ops.special_tail import spence as spence

_dispatch_all(globals())
