"""`tf.signal`: Fourier and cosine transforms, frames, windows and spectrograms."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.signal.fourier import dct as dct
from tapeflow.ops.signal.fourier import fft as fft
from tapeflow.ops.signal.fourier import fft2d as fft2d
from tapeflow.ops.signal.fourier import fft3d as fft3d
from tapeflow.ops.signal.fourier import fftshift as fftshift
from tapeflow.ops.signal.fourier import idct as idct
from tapeflow.ops.signal.fourier import ifft as ifft
from tapeflow.ops.signal.fourier import ifft2d as ifft2d
from tapeflow.ops.signal.fourier import ifft3d as ifft3d
from tapeflow.ops.signal.fourier import ifftshift as ifftshift
from tapeflow.ops.signal.fourier import irfft as irfft
from tapeflow.ops.signal.fourier import irfft2d as irfft2d
from tapeflow.ops.signal.fourier import irfft3d as irfft3d
from tapeflow.ops.signal.fourier import rfft as rfft
from tapeflow.ops.signal.fourier import rfft2d as rfft2d
from tapeflow.ops.signal.fourier import rfft3d as rfft3d
from tapeflow.ops.signal.frames import frame as frame
from tapeflow.ops.signal.frames import inverse_mdct as inverse_mdct
from tapeflow.ops.signal.frames import inverse_stft as inverse_stft
from tapeflow.ops.signal.frames import inverse_stft_window_fn as inverse_stft_window_fn
from tapeflow.ops.signal.frames import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tapeflow.ops.signal.frames import mdct as mdct
from tapeflow.ops.signal.frames import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from tapeflow.ops.signal.frames import overlap_and_add as overlap_and_add
from tapeflow.ops.signal.frames import stft as stft
from tapeflow.ops.signal.windows import hamming_window as hamming_window
from tapeflow.ops.signal.windows import hann_window as hann_window
from tapeflow.ops.signal.windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from tapeflow.ops.signal.windows import kaiser_window as kaiser_window
from tapeflow.ops.signal.windows import vorbis_window as vorbis_window

_dispatch_all(globals())
