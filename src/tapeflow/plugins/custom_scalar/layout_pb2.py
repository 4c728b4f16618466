"""The messages of a layout, by TensorBoard's names."""

from tapeflow.summary.protos import message

Category = message("Category")
Chart = message("Chart")
Layout = message("Layout")
MarginChartContent = message("MarginChartContent")
MultilineChartContent = message("MultilineChartContent")

__all__ = ["Category", "Chart", "Layout", "MarginChartContent", "MultilineChartContent"]
