"""`tf.image`: colours, crops, resizing, boxes, measures, and random changes.

Files of pictures are read and written by `tapeflow.io`.
"""
