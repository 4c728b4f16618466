"""Alerts: a mark beside a run, a panel of all of them, live, in two languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tapeflow import summary

Open = Callable[..., Page]


def test_alerts_as_they_come(
    tmp_path: Path,
    serve: Callable[..., str],
    new_page: Open,
    open_scalars: Callable[[Path], Any],
    faults: Any,
) -> None:
    root = tmp_path / "runs"
    writer = open_scalars(root / "sick")
    for step in range(5):
        writer.add("loss", 1.0 / (step + 1), step)
    writer.flush()
    page = new_page(serve(root))
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem")).to_have_count(1)
    expect(page.locator(".alert-mark")).to_have_count(0)
    expect(page.get_by_role("tab", name="Alerts")).to_have_count(0)
    for step in range(5, 9):
        writer.add("loss", float("nan"), step)
    writer.flush()
    page.get_by_role("button", name="Alert: loss is not a finite number from step 5 on").click()
    page.wait_for_url(re.compile("#alerts"))
    expect(page.locator(".alert-text")).to_have_text("loss is not a finite number from step 5 on")
    with pytest.raises(ValueError, match="no data"), summary.run("failed", root):
        summary.alert("<b>slow</b>", "only **3** images a second", step=7)
        raise ValueError("no data")
    expect(page.locator(".alert-text")).to_have_text(
        ["Crashed: ValueError: no data", "loss is not a finite number from step 5 on", "<b>slow</b>"]
    )
    row = page.locator(".alert").first
    row.get_by_text("Details").click()
    expect(row.locator("pre")).to_contain_text('raise ValueError("no data")')
    assert faults(page) == []
    page.get_by_role("radio", name="Warnings").check(force=True)
    expect(page.locator(".alert-text")).to_have_text("<b>slow</b>")
    page.get_by_role("radio", name="All").check(force=True)
    page.get_by_role("textbox", name="Filter alerts").fill("finite")
    expect(page.locator(".alert-text")).to_have_count(1)
    page.get_by_role("button", name="sick: Show only this run").click()
    page.get_by_role("textbox", name="Filter alerts").fill("Crashed")
    expect(page.get_by_text("No alert matches")).to_be_visible()
    chinese = new_page(page.url.split("#")[0] + "#alerts", locale="zh-CN")
    expect(chinese.get_by_text("loss 自第 5 步起不是有限数值")).to_be_visible()
