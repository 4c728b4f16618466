"""`tensorboard.plugins` under `install`: TapeFlow's, with TensorBoard there and without."""

from __future__ import annotations

from collections.abc import Callable

Run = Callable[..., str]

IMPORTS = """
        import sys
        from tensorboard.plugins.hparams import api as hp
        from tensorboard.plugins import projector
        import tensorboard.plugins.projector
        from tensorboard.plugins.custom_scalar import layout_pb2, summary as custom_scalar
        from tensorboard.plugins.mesh import summary as mesh, summary_v2
        from tensorboard.plugins.pr_curve import summary as pr_curve
        import tapeflow.plugins as ours
        import tapeflow.plugins.hparams.api

        assert hp is tapeflow.plugins.hparams.api
        assert projector.ProjectorConfig is ours.projector.ProjectorConfig
        assert projector.visualize_embeddings is tensorboard.plugins.projector.visualize_embeddings
        assert layout_pb2 is ours.custom_scalar.layout_pb2 and custom_scalar is ours.custom_scalar.summary
        assert mesh is summary_v2 is ours.mesh.summary and pr_curve is ours.pr_curve.summary
        assert "jax" not in sys.modules
"""


def test_plugins_are_ours_and_tensorboard_is_itself(run: Run) -> None:
    run(
        IMPORTS
        + """
        from tensorboard import program
        from tensorboard.plugins.hparams import hparams_plugin
        from tensorboard.plugins.projector import metadata, projector_plugin
        from pathlib import Path
        package = Path(tapeflow.__file__).parent
        assert all(package not in Path(m.__file__).parents for m in (program, hparams_plugin, projector_plugin))
        assert hp.KerasCallback.__module__.startswith("tapeflow.keras")
    """
    )


def test_plugins_are_there_without_tensorboard(run: Run) -> None:
    run(
        """
        from importlib.machinery import PathFinder
        find = PathFinder.find_spec
        PathFinder.find_spec = lambda name, *a: None if name.startswith("tensorboard") else find(name, *a)
    """
        + IMPORTS
        + """
        try:
            import tensorboard.program
        except ModuleNotFoundError as error:
            assert "tensorboard.program" in str(error)
        else:
            raise SystemError
    """
    )


def test_uninstall_gives_tensorboard_back(run: Run) -> None:
    run("""
        from tensorboard.plugins import projector as ours
        from tensorboard.plugins.mesh import summary
        tapeflow.compat.uninstall()
        from tensorboard.plugins import projector
        import tensorboard.plugins.mesh
        assert "tapeflow" in ours.visualize_embeddings.__module__
        assert "tapeflow" not in projector.visualize_embeddings.__module__
        assert not hasattr(tensorboard.plugins.mesh, "summary")
    """)
