"""Trains on texts, ragged and sparse rows that each worker has for itself; prints what was seen. `own_texts.py FOLDER`.

Run by test_distribute.py under `tapeflow launch`. The folder holds text files with a number in each line.
"""

import json
import sys
from pathlib import Path

import tapeflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
files = sorted(map(str, Path(sys.argv[1]).glob("*.txt")))
Policy = tf.data.experimental.AutoShardPolicy
HINT = tf.data.experimental.SHARD_HINT


def under(policy, dataset):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = policy
    return dataset.with_options(options)


def parsed(line):
    """A number as a text, the texts below it, its place among twelve, and the number itself."""
    number = tf.strings.to_number(line, tf.int64)
    below = tf.strings.as_string(tf.range(number % 4))
    return {
        "text": line,
        "ragged": below,
        "sparse": tf.sparse.from_dense(tf.one_hot(number, 12)),
    }, tf.cast(number, tf.float32)


def batched(lines, size):
    return lines.map(parsed).apply(tf.data.experimental.dense_to_ragged_batch(size))


def seen(batches):
    """What each batch holds, in every process."""
    found = []
    for texts, numbers in batches.whole_batches():
        found.append([[int(n) for n in numbers]])
        found[-1].append([text.decode() for text in texts["text"]])
        found[-1].append([len(row) for row in texts["ragged"].to_list()])
        found[-1].append(tf.argmax(tf.sparse.to_dense(texts["sparse"]), axis=1).numpy().tolist())
    return found


def make_model():
    tf.keras.utils.set_random_seed(1)
    with strategy.scope():
        text = tf.keras.Input((), dtype=tf.string)
        words = tf.keras.Input((None,), dtype=tf.string, ragged=True)
        place = tf.keras.Input((12,), sparse=True)
        lookup = tf.keras.layers.StringLookup(vocabulary=[str(number) for number in range(12)])
        summed = tf.keras.layers.Lambda(lambda x: tf.reduce_sum(x, axis=1))
        parts = [
            tf.keras.layers.Embedding(13, 4)(lookup(text)),
            summed(tf.keras.layers.Embedding(13, 4)(lookup(words))),
            tf.keras.layers.Dense(4)(place),
        ]
        inputs = {"text": text, "ragged": words, "sparse": place}
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(tf.keras.layers.concatenate(parts)))
        model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    return model


found = {}
of_files = under(Policy.FILE, batched(tf.data.TextLineDataset(files), 4))
found["files"] = seen(strategy.experimental_distribute_dataset(of_files))
lines = tf.data.Dataset.range(10).map(tf.strings.as_string)
of_shards = under(Policy.HINT, batched(lines.shard(HINT, HINT), 4))
found["shards"] = seen(strategy.experimental_distribute_dataset(of_shards))


def make(context):
    own = lines.shard(context.num_input_pipelines, context.input_pipeline_id)
    return batched(own, context.get_per_replica_batch_size(4))


found["by function"] = seen(strategy.distribute_datasets_from_function(make))
found["losses"] = make_model().fit(of_files, epochs=3, verbose=0).history["loss"]
# The same batches, which every process has.
ordered = [[str(number) for number in batch[0]] for batch in found["files"]]
given = tf.data.Dataset.from_generator(
    lambda: (line for batch in ordered for line in batch), output_signature=tf.TensorSpec((), tf.string)
)
whole = batched(given, 4)
assert [batch[1].shape[0] for batch in whole] == [len(batch) for batch in ordered]
found["expected"] = make_model().fit(whole, epochs=3, verbose=0).history["loss"]
print(json.dumps(found), flush=True)
