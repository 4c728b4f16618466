"""Names and settings of `keras.backend`."""

from __future__ import annotations

from tapeflow.keras import backend as K


def test_names_begin_again() -> None:
    K.reset_uids()
    assert [K.get_uid("thing"), K.get_uid("thing"), K.get_uid("other")] == [1, 2, 1]
    K.clear_session()
    assert K.get_uid("thing") == 1


def test_fixed_settings() -> None:
    assert K.backend() == "tensorflow"
    assert K.image_data_format() == "channels_last"
