"""Which scalars share a chart: TensorBoard's custom scalars.

from tapeflow.plugins.custom_scalar import layout_pb2, summary

chart = layout_pb2.Chart(title="losses", multiline=layout_pb2.MultilineChartContent(tag=["loss/.*"]))
category = layout_pb2.Category(title="training", chart=[chart])
with writer.as_default():
    summary.op(layout_pb2.Layout(category=[category]))
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
