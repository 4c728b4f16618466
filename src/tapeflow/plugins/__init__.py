"""TensorBoard's plugin APIs, by their names: `tensorboard.plugins.hparams.api` is `tapeflow.plugins.hparams.api`.

    from tapeflow.plugins.hparams import api as hp
    from tapeflow.plugins import projector

`hparams` describes experiments and trials, `projector` points in many dimensions, `custom_scalar` which scalars
share a chart, `pr_curve` and `mesh` what their names say. Here are names and signatures only: what is written is
made in `tapeflow.summary`, whose one-liners (`tf.summary.hparams`, `embedding`, `pr_curve`, `mesh`) are the
shorter way to the same. `compat` has `import tensorboard.plugins` find these modules. numpy only.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
