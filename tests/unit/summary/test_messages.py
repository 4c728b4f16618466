from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys, threading
sys.setswitchinterval(1e-6)
from tapeflow.summary.protos import message
names = ["Event", "TensorProto", "SummaryMetadata", "HistogramProto"] * 3
ready, found = threading.Barrier(len(names)), []
def ask(name):
    ready.wait()
    found.append(message(name))
threads = [threading.Thread(target=ask, args=(name,)) for name in names]
[t.start() for t in threads]
[t.join() for t in threads]
print(len({c.DESCRIPTOR.file.pool for c in found}), len(set(found)))
"""


def test_threads_that_ask_first_together_get_the_same_classes() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "4"]
