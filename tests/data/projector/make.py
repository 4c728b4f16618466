"""Writes the checkpoint in this folder, with TensorFlow 2.21: `python make.py`."""

import os

import tensorflow as tf

os.chdir(os.path.dirname(os.path.abspath(__file__)))
words = tf.Variable(tf.reshape(tf.range(20, dtype=tf.float32), (5, 4)) / 8)
tf.train.Checkpoint(words=words, bias=tf.Variable([1.0, 2.0]), step=tf.Variable(3)).save("ckpt")
os.remove("checkpoint")
