"""IMDB and Reuters, on small files of the real layout from a server on loopback."""

import io
import json

import numpy as np
import pytest

from tapeflow.keras.datasets import (
    imdb,
    reuters,
)


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def ragged(*texts):
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


TEXTS = [[1, 2, 3], [4], [1, 9, 1, 1], [5, 6], [7, 8]]


@pytest.fixture
def imdb_file(publish):
    labels = np.array([0, 1, 0, 1, 1])
    body = npz(x_train=ragged(*TEXTS), y_train=labels, x_test=ragged(*TEXTS), y_test=1 - labels)
    publish(imdb, "FILE", body)


@pytest.fixture
def reuters_file(publish):
    publish(reuters, "FILE", npz(x=ragged(*TEXTS), y=np.array([10, 11, 12, 13, 14])))


def by_label(x, y) -> dict[int, list[int]]:
    return dict(zip(y.tolist(), x.tolist(), strict=True))


def test_imdb(imdb_file):
    (x_train, y_train), (x_test, y_test) = imdb.load_data()
    assert x_train.shape == x_test.shape == (5,)
    assert x_train.dtype == object
    assert y_train.dtype == np.int64
    # 12, the largest number, falls to the limit that it sets itself: see limit_vocabulary.
    expected = [[1, 4, 5, 6], [1, 4, 2, 4, 4], [1, 7], [1, 8, 9], [1, 10, 11]]
    assert sorted(x_train.tolist()) == sorted(x_test.tolist()) == sorted(expected)
    assert all(type(text) is list for text in x_train)
    # What Keras itself gives for these texts and its default seed.
    assert [text[1] for text in x_train] == [7, 4, 8, 4, 10]
    assert y_train.tolist() == [1, 0, 1, 0, 1]
    assert [text[1] for text in x_test] == [8, 4, 7, 10, 4]
    assert y_test.tolist() == [0, 1, 0, 0, 1]


def test_imdb_maxlen_applies_to_both_parts(imdb_file):
    (x_train, y_train), (x_test, _) = imdb.load_data(maxlen=3)
    assert x_train.tolist() == x_test.tolist() == [[1, 2]]
    assert y_train.tolist() == [1]
    with pytest.raises(ValueError, match=r"imdb\.load_data expected texts shorter than maxlen; "):
        imdb.load_data(maxlen=2)


def test_reuters_words_can_be_left_out(reuters_file):
    def load(**options):
        (x, y), (x_test, y_test) = reuters.load_data(**options)
        return by_label(np.concatenate([x, x_test]), np.concatenate([y, y_test]))

    assert load(num_words=7) == {
        10: [1, 4, 5, 6],
        11: [1, 2],
        12: [1, 4, 2, 4, 4],
        13: [1, 2, 2],
        14: [1, 2, 2],
    }
    assert load(num_words=7, skip_top=5, oov_char=None) == {
        10: [5, 6],
        11: [],
        12: [],
        13: [],
        14: [],
    }
    assert load(num_words=100, start_char=None, index_from=0)[12] == [1, 9, 1, 1]
    assert load(num_words=100, start_char=None, index_from=2)[12] == [3, 11, 3, 3]
    assert load(num_words=100, start_char=7, oov_char=9, skip_top=4)[10] == [7, 4, 5, 6]
    assert load(maxlen=4, num_words=100) == {11: [1, 7], 13: [1, 8, 9], 14: [1, 10, 11]}


def test_reuters_split_and_seed(reuters_file):
    (x_train, y_train), (x_test, y_test) = reuters.load_data()
    assert (len(x_train), len(x_test)) == (4, 1)
    assert [*y_train, *y_test] == [11, 10, 13, 12, 14]
    assert len(reuters.load_data(test_split=0.4)[1][0]) == 2
    assert reuters.load_data(seed=0)[0][1].tolist() != y_train.tolist()
    # Lists of one length still make an array of lists.
    assert x_test.shape == (1,)
    with pytest.raises(ValueError, match=r"got maxlen=1, which leaves none\. Increase maxlen\."):
        reuters.load_data(maxlen=1)


@pytest.mark.parametrize("module", [imdb, reuters])
def test_the_old_name_of_num_words(module, imdb_file, reuters_file):
    with pytest.warns(FutureWarning, match="nb_words is now called num_words") as caught:
        old = module.load_data(nb_words=7)
    assert caught[0].filename == __file__
    assert old[0][0].tolist() == module.load_data(num_words=7)[0][0].tolist()
    with pytest.raises(TypeError, match=r"load_data expected the keyword .* got num_word\."):
        module.load_data(num_word=7)


@pytest.mark.parametrize("module", [imdb, reuters])
def test_word_index(module, publish):
    index = {"the": 1, "naïve": 2}
    publish(module, "WORD_INDEX_FILE", json.dumps(index, ensure_ascii=False).encode())
    assert module.get_word_index() == index


def test_reuters_label_names():
    names = reuters.get_label_names()
    assert len(names) == len(set(names)) == 46
    assert (names[0], names[3], names[45]) == ("cocoa", "earn", "lead")
