"""`tf.train.TrackableView` and `CheckpointView`: what leads where, among objects and in a checkpoint."""

from __future__ import annotations

import os
from typing import Any

from tapeflow.train.checkpoint import opened
from tapeflow.train.restoration import graph_of
from tapeflow.train.trackable import children


class TrackableView:
    """The objects that an object refers to: the content of a checkpoint of it.

    Args:
        root: the object.
    """

    def __init__(self, root: object) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object that it begins with."""
        return self._root

    @classmethod
    def children(cls, obj: object, **kwargs: Any) -> dict[str, Any]:
        """The direct children of an object, by name."""
        return children(obj)

    def descendants(self) -> list[Any]:
        """All objects, each once, the near ones first."""
        found = [self._root]
        seen = {id(self._root)}
        for owner in found:  # grows as it goes
            for child in children(owner).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
        return found


class CheckpointView:
    """The content of a checkpoint, as numbered nodes; node 0 is the saved object.

    Args:
        save_path: what `Checkpoint.save` returned.
    """

    def __init__(self, save_path: str | os.PathLike[str]) -> None:
        self._nodes = graph_of(opened(save_path))

    def children(self, node_id: int) -> dict[str, int]:
        """The nodes that one leads to at once, by name."""
        return dict(self._nodes[node_id]["children"])

    def descendants(self) -> list[int]:
        """All nodes, the near ones first."""
        found = [0]
        for node in found:  # grows as it goes
            found += [n for n in dict.fromkeys(self.children(node).values()) if n not in found]
        return found

    def match(self, obj: object) -> dict[int, Any]:
        """The objects that `restore` would match, by node.

        Args:
            obj: an object, or a `TrackableView` of one.
        """
        found = {0: obj.root if isinstance(obj, TrackableView) else obj}
        waiting = [0]
        for node in waiting:  # grows as it goes
            owned = children(found[node])
            for name, child in self.children(node).items():
                if name in owned and child not in found:
                    found[child] = owned[name]
                    waiting.append(child)
        return found

    def diff(self, obj: object) -> tuple[dict[int, Any], list[int], list[Any]]:
        """The matches of both (see `match`), the nodes without an object, and the objects without a node."""
        matched = self.match(obj)
        mine = obj if isinstance(obj, TrackableView) else TrackableView(obj)
        known = {id(o) for o in matched.values()}
        return (
            matched,
            [n for n in self.descendants() if n not in matched],
            [o for o in mine.descendants() if id(o) not in known],
        )
