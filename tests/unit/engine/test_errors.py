"""tf.errors: codes, attributes and hierarchy as in TensorFlow 2.21."""

import pickle

import pytest

from tapeflow.engine import errors

CODES = {
    "CancelledError": ("CANCELLED", 1),
    "UnknownError": ("UNKNOWN", 2),
    "InvalidArgumentError": ("INVALID_ARGUMENT", 3),
    "DeadlineExceededError": ("DEADLINE_EXCEEDED", 4),
    "NotFoundError": ("NOT_FOUND", 5),
    "AlreadyExistsError": ("ALREADY_EXISTS", 6),
    "PermissionDeniedError": ("PERMISSION_DENIED", 7),
    "ResourceExhaustedError": ("RESOURCE_EXHAUSTED", 8),
    "FailedPreconditionError": ("FAILED_PRECONDITION", 9),
    "AbortedError": ("ABORTED", 10),
    "OutOfRangeError": ("OUT_OF_RANGE", 11),
    "UnimplementedError": ("UNIMPLEMENTED", 12),
    "InternalError": ("INTERNAL", 13),
    "UnavailableError": ("UNAVAILABLE", 14),
    "DataLossError": ("DATA_LOSS", 15),
    "UnauthenticatedError": ("UNAUTHENTICATED", 16),
}


@pytest.mark.parametrize("name", CODES)
def test_coded_errors(name: str) -> None:
    constant, code = CODES[name]
    cls = getattr(errors, name)
    assert getattr(errors, constant) == code
    error = cls(None, None, "went wrong")
    assert isinstance(error, errors.OpError)
    assert error.error_code == code
    assert error.message == str(error) == "went wrong"
    assert error.op is None
    assert error.node_def is None
    assert error.experimental_payloads == {}
    assert repr(error) == f"{name}('went wrong')"


def test_arguments_by_name_and_payloads() -> None:
    error = errors.NotFoundError(node_def="node", op="op", message="gone")
    assert (error.node_def, error.op, error.message) == ("node", "op", "gone")
    assert errors.NotFoundError(None, None, "gone", {"k": "v"}).experimental_payloads == {"k": "v"}


def test_base_error_takes_its_code() -> None:
    assert errors.OK == 0
    assert errors.OpError(None, None, "m", errors.UNKNOWN).error_code == 2


def test_hierarchy_is_not_pythons() -> None:
    assert not issubclass(errors.InvalidArgumentError, ValueError)
    assert not issubclass(errors.OutOfRangeError, (StopIteration, IndexError))
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)


@pytest.mark.parametrize(
    "error",
    [errors.InvalidArgumentError("n", "o", "m", {"k": 1}), errors.OpError("n", "o", "m", 3)],
)
def test_pickling(error: errors.OpError) -> None:
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert (copied.node_def, copied.op, copied.message, copied.error_code) == ("n", "o", "m", 3)
    assert copied.experimental_payloads == error.experimental_payloads
