"""`tf.linalg`: products, factorisations, solves and norms."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.linalg import experimental as experimental
from tapeflow.ops.array.creation import eye as eye
from tapeflow.ops.linalg.banded import banded_triangular_solve as banded_triangular_solve
from tapeflow.ops.linalg.banded import eigh_tridiagonal as eigh_tridiagonal
from tapeflow.ops.linalg.diagonal import adjoint as adjoint
from tapeflow.ops.linalg.diagonal import band_part as band_part
from tapeflow.ops.linalg.diagonal import diag as diag
from tapeflow.ops.linalg.diagonal import diag_part as diag_part
from tapeflow.ops.linalg.diagonal import matrix_transpose as matrix_transpose
from tapeflow.ops.linalg.diagonal import set_diag as set_diag
from tapeflow.ops.linalg.diagonal import tensor_diag as tensor_diag
from tapeflow.ops.linalg.diagonal import tensor_diag_part as tensor_diag_part
from tapeflow.ops.linalg.diagonal import trace as trace
from tapeflow.ops.linalg.einsum import einsum as einsum
from tapeflow.ops.linalg.factorization import cholesky as cholesky
from tapeflow.ops.linalg.factorization import eig as eig
from tapeflow.ops.linalg.factorization import eigh as eigh
from tapeflow.ops.linalg.factorization import eigvals as eigvals
from tapeflow.ops.linalg.factorization import eigvalsh as eigvalsh
from tapeflow.ops.linalg.factorization import qr as qr
from tapeflow.ops.linalg.factorization import svd as svd
from tapeflow.ops.linalg.linear_operator.blocks import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from tapeflow.ops.linalg.linear_operator.blocks import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from tapeflow.ops.linalg.linear_operator.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from tapeflow.ops.linalg.linear_operator.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from tapeflow.ops.linalg.linear_operator.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorAdjoint as LinearOperatorAdjoint
from tapeflow.ops.linalg.linear_operator.composite import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorInversion as LinearOperatorInversion
from tapeflow.ops.linalg.linear_operator.composite import LinearOperatorKronecker as LinearOperatorKronecker
from tapeflow.ops.linalg.linear_operator.dense import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from tapeflow.ops.linalg.linear_operator.dense import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from tapeflow.ops.linalg.linear_operator.diagonals import LinearOperatorDiag as LinearOperatorDiag
from tapeflow.ops.linalg.linear_operator.diagonals import LinearOperatorIdentity as LinearOperatorIdentity
from tapeflow.ops.linalg.linear_operator.diagonals import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from tapeflow.ops.linalg.linear_operator.diagonals import LinearOperatorZeros as LinearOperatorZeros
from tapeflow.ops.linalg.linear_operator.low_rank import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from tapeflow.ops.linalg.linear_operator.operator import LinearOperator as LinearOperator
from tapeflow.ops.linalg.linear_operator.structured import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from tapeflow.ops.linalg.linear_operator.structured import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from tapeflow.ops.linalg.linear_operator.structured import LinearOperatorToeplitz as LinearOperatorToeplitz
from tapeflow.ops.linalg.linear_operator.structured import LinearOperatorTridiag as LinearOperatorTridiag
from tapeflow.ops.linalg.matrix_functions import logm as logm
from tapeflow.ops.linalg.matrix_functions import lu as lu
from tapeflow.ops.linalg.matrix_functions import lu_matrix_inverse as lu_matrix_inverse
from tapeflow.ops.linalg.matrix_functions import lu_reconstruct as lu_reconstruct
from tapeflow.ops.linalg.matrix_functions import lu_solve as lu_solve
from tapeflow.ops.linalg.matrix_functions import sqrtm as sqrtm
from tapeflow.ops.linalg.matrix_functions import tridiagonal_matmul as tridiagonal_matmul
from tapeflow.ops.linalg.matrix_functions import tridiagonal_solve as tridiagonal_solve
from tapeflow.ops.linalg.norm import norm as norm
from tapeflow.ops.linalg.norm import normalize as normalize
from tapeflow.ops.linalg.products import cross as cross
from tapeflow.ops.linalg.products import matmul as matmul
from tapeflow.ops.linalg.products import matvec as matvec
from tapeflow.ops.linalg.products import tensordot as tensordot
from tapeflow.ops.linalg.solving import cholesky_solve as cholesky_solve
from tapeflow.ops.linalg.solving import det as det
from tapeflow.ops.linalg.solving import expm as expm
from tapeflow.ops.linalg.solving import inv as inv
from tapeflow.ops.linalg.solving import logdet as logdet
from tapeflow.ops.linalg.solving import lstsq as lstsq
from tapeflow.ops.linalg.solving import matrix_rank as matrix_rank
from tapeflow.ops.linalg.solving import pinv as pinv
from tapeflow.ops.linalg.solving import slogdet as slogdet
from tapeflow.ops.linalg.solving import solve as solve
from tapeflow.ops.linalg.solving import triangular_solve as triangular_solve
from tapeflow.ops.math.clip import global_norm as global_norm
from tapeflow.ops.math.reduction import l2_normalize as l2_normalize

_dispatch_all(globals())
