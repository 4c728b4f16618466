"""`tf.train.Example` and the messages it is made of."""

from __future__ import annotations

from tapeflow.summary.protos import message

BytesList = message("BytesList")
FloatList = message("FloatList")
Int64List = message("Int64List")
Feature = message("Feature")
Features = message("Features")
FeatureList = message("FeatureList")
FeatureLists = message("FeatureLists")
Example = message("Example")
SequenceExample = message("SequenceExample")
