"""`tf.signal`: Fourier and cosine transforms, frames, windows."""
