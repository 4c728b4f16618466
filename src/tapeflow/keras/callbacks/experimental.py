"""`tf.keras.callbacks.experimental`: older names of callbacks."""

from tapeflow.keras.callbacks.backup_and_restore import BackupAndRestore as BackupAndRestore
