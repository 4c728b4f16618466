"""`tf.math.special`: special functions beyond those of `tf.math`."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.math.bessel import bessel_j0 as bessel_j0
from tapeflow.ops.math.bessel import bessel_j1 as bessel_j1
from tapeflow.ops.math.bessel import bessel_k0 as bessel_k0
from tapeflow.ops.math.bessel import bessel_k0e as bessel_k0e
from tapeflow.ops.math.bessel import bessel_k1 as bessel_k1
from tapeflow.ops.math.bessel import bessel_k1e as bessel_k1e
from tapeflow.ops.math.bessel import bessel_y0 as bessel_y0
from tapeflow.ops.math.bessel import bessel_y1 as bessel_y1
from tapeflow.ops.math.special import bessel_i0 as bessel_i0
from tapeflow.ops.math.special import bessel_i0e as bessel_i0e
from tapeflow.ops.math.special import bessel_i1 as bessel_i1
from tapeflow.ops.math.special import bessel_i1e as bessel_i1e
from tapeflow.ops.math.special_tail import dawsn as dawsn
from tapeflow.ops.math.special_tail import expint as expint
from tapeflow.ops.math.special_tail import fresnel_cos as fresnel_cos
from tapeflow.ops.math.special_tail import fresnel_sin as fresnel_sin
from tapeflow.ops.math.special_tail import spence as spence

_dispatch_all(globals())
