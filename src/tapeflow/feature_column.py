"""`tf.feature_column`: what becomes of the columns of a table, for `tf.keras.layers.DenseFeatures`.

TensorFlow has left it for preprocessing layers. Shared embeddings and columns of sequences are not here.
"""

from tapeflow.keras.layers.features import feature_columns as _columns

bucketized_column = _columns.bucketized_column
categorical_column_with_hash_bucket = _columns.categorical_column_with_hash_bucket
categorical_column_with_identity = _columns.categorical_column_with_identity
categorical_column_with_vocabulary_file = _columns.categorical_column_with_vocabulary_file
categorical_column_with_vocabulary_list = _columns.categorical_column_with_vocabulary_list
crossed_column = _columns.crossed_column
embedding_column = _columns.embedding_column
indicator_column = _columns.indicator_column
make_parse_example_spec = _columns.make_parse_example_spec
numeric_column = _columns.numeric_column
weighted_categorical_column = _columns.weighted_categorical_column

__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "make_parse_example_spec",
    "numeric_column",
    "weighted_categorical_column",
]
