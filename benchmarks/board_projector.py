"""The projector: 60,000 x 64 points laid out on the server and turned in the browser."""

from benchmarks.contenders import PROJECT, Script
from benchmarks.harness import Benchmark, Fact
from benchmarks.scripts.board_projector import POINTS


def _one(what: str, title: str, facts: dict[str, object], rounds: int) -> Benchmark:
    argv = ("-m", "benchmarks.scripts.board_projector", what)
    return Benchmark(
        name=f"board_projector_{what}",
        title=title,
        contenders=(Script(title, PROJECT, argv, times_itself=True),),
        reference=title,
        bars=[Fact(title, name, expected) for name, expected in facts.items()],
        rounds=rounds,
        unit="s",
    )


BENCHMARKS = (
    _one("pca", "principal components of 60,000 x 64", {"is_within_a_second": True}, rounds=3),
    _one("orbit", "a frame of 60,000 points", {"is_smooth": True, "points_at_rest": POINTS}, rounds=3),
    _one("tsne", "t-SNE of 60,000 x 64", {"has_progress": True}, rounds=1),
    _one("umap", "UMAP of 60,000 x 64", {"has_progress": True}, rounds=1),
)
