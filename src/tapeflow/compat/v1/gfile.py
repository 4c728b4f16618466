"""`tf.compat.v1.gfile`: `tf.io.gfile` under the names of TensorFlow 1."""

from tapeflow.io import gfile as _gfile

Copy = _gfile.copy
DeleteRecursively = _gfile.rmtree
Exists = _gfile.exists
FastGFile = GFile = Open = _gfile.GFile
Glob = _gfile.glob
IsDirectory = _gfile.isdir
ListDirectory = _gfile.listdir
MakeDirs = _gfile.makedirs
MkDir = _gfile.mkdir
Remove = _gfile.remove
Rename = _gfile.rename
Stat = _gfile.stat
Walk = _gfile.walk
