"""The networks of `networks` that read words and tables, as a PyTorch user writes them."""

import torch

from benchmarks.scripts.network_data import (
    BLOCKS,
    CATEGORIES,
    CATEGORY_WIDTH,
    EMBEDDING,
    HEADS,
    NUMBERS,
    TEXT_VOCABULARY,
    UNITS,
    VOCABULARY,
    WIDTH,
)

nn = torch.nn
Shape = tuple[int, ...]


class Block(nn.Module):
    """Attention and two dense layers; with the number of tokens, each sees those before it alone."""

    def __init__(self, causal_tokens: int | None = None) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.dense = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        make_mask = nn.Transformer.generate_square_subsequent_mask
        self.register_buffer("mask", None if causal_tokens is None else make_mask(causal_tokens))

    def forward(self, x):
        y = self.norm_1(x)
        is_causal = self.mask is not None
        x = x + self.attention(y, y, y, attn_mask=self.mask, is_causal=is_causal, need_weights=False)[0]
        return x + self.dense(self.norm_2(x))


class Positions(nn.Module):
    """Adds a learnt vector for each place in the sequence."""

    def __init__(self, places: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(places, WIDTH).uniform_(-0.05, 0.05))

    def forward(self, x):
        return x + self.table


class Mean(nn.Module):
    """The mean over the places of the sequence."""

    def forward(self, x):
        return x.mean(1)


def language_model(shape: Shape) -> nn.Module:
    """Logits of the next word at every place."""
    blocks = [Block(shape[0]) for _ in range(BLOCKS)]
    return nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH), *blocks, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
    )


def encoder(shape: Shape) -> nn.Module:
    """A classifier of texts: a transformer that sees both ways, and the mean over its places."""
    return nn.Sequential(
        nn.Embedding(TEXT_VOCABULARY, WIDTH),
        Positions(shape[0]),
        *[Block() for _ in range(BLOCKS)],
        nn.LayerNorm(WIDTH),
        Mean(),
        nn.Linear(WIDTH, 1),
    )


class _Recurrent(nn.Module):
    def __init__(self, recurrent: nn.Module, features: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TEXT_VOCABULARY, EMBEDDING)
        self.recurrent = recurrent
        self.head = nn.Linear(features, 1)

    def forward(self, x):
        last = self.recurrent(self.embedding(x))[1]
        hidden = last[0] if isinstance(last, tuple) else last
        return self.head(torch.cat(tuple(hidden), -1))


def text(shape: Shape) -> nn.Module:
    """A classifier of texts by an LSTM."""
    del shape
    return _Recurrent(nn.LSTM(EMBEDDING, UNITS, batch_first=True), UNITS)


def gru(shape: Shape) -> nn.Module:
    """A classifier of texts by a GRU in both directions."""
    del shape
    return _Recurrent(nn.GRU(EMBEDDING, UNITS, batch_first=True, bidirectional=True), 2 * UNITS)


class Tabular(nn.Module):
    """A weight for each category, and beside it a deep network over embeddings and numbers."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        (columns,) = shape
        self.wide = nn.Embedding(CATEGORIES, 1)
        self.embedding = nn.Embedding(CATEGORIES, CATEGORY_WIDTH)
        self.norm = nn.BatchNorm1d(NUMBERS)
        layers, inputs = [], columns * CATEGORY_WIDTH + NUMBERS
        for units in (128, 64):
            layers += [nn.Linear(inputs, units), nn.BatchNorm1d(units), nn.ReLU()]
            inputs = units
        self.deep = nn.Sequential(*layers)
        self.head = nn.Linear(inputs + columns, 1)

    def forward(self, categories, numbers):
        deep = self.deep(torch.cat([self.embedding(categories).flatten(1), self.norm(numbers)], -1))
        return self.head(torch.cat([self.wide(categories).flatten(1), deep], -1))
