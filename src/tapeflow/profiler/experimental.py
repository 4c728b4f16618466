"""`tf.profiler.experimental`: start, stop and annotate profiles."""

from tapeflow.profiler import client as client
from tapeflow.profiler import server as server
from tapeflow.profiler.options import ProfilerOptions as ProfilerOptions
from tapeflow.profiler.session import Profile as Profile
from tapeflow.profiler.session import start as start
from tapeflow.profiler.session import stop as stop
from tapeflow.profiler.tracing import Trace as Trace
