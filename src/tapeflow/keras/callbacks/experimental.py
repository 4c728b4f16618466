"""`tf.keras.callbacks.experimental`: an older home of names that have moved up."""

from tapeflow.keras.callbacks.backup_and_restore import BackupAndRestore as BackupAndRestore
