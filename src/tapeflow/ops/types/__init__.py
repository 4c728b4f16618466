"""`tf.experimental.ExtensionType`, and how ops treat tensor-like classes that users define."""
