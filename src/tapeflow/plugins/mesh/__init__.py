"""Points and surfaces in space: TensorBoard's meshes. `from tapeflow.plugins.mesh import summary`."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
