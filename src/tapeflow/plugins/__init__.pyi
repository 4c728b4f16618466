# The public names of `tapeflow.plugins`. `__init__.py` imports each one when it is first used.
from . import custom_scalar as custom_scalar
from . import hparams as hparams
from . import mesh as mesh
from . import pr_curve as pr_curve
from . import projector as projector
