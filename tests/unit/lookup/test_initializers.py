"""Where the entries of tables come from."""

from __future__ import annotations

from pathlib import Path

import tapeflow as tf

lookup = tf.lookup


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("x\t3\ny\t4\n")
    index = lookup.TextFileIndex
    by_line = lookup.TextFileInitializer(
        path, tf.string, 0, tf.int64, index.LINE_NUMBER, value_index_offset=5
    )
    assert lookup.StaticVocabularyTable(by_line, 1).lookup(tf.constant(["y", "x"])).numpy().tolist() == [6, 5]
    by_column = lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1)
    assert lookup.StaticHashTable(by_column, 0).lookup(tf.constant(["y", "z"])).numpy().tolist() == [4, 0]
