"""TensorFlow's error types, `tf.errors`: one class per canonical status code.

Scripts catch these by type, so the hierarchy, the codes and the constructor arguments are
TensorFlow's. `str(error)` is the message; `node_def` and `op` are None unless somebody passes them.
"""

from __future__ import annotations

from typing import Any, ClassVar

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """The base of every error an operation raises.

    Args:
        node_def: A description of the failed node, if there is one.
        op: The failed operation, if there is one.
        message: What went wrong.
        error_code: The canonical status code.
        *args: If given, a dict of payloads, kept as `experimental_payloads`.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        # TensorFlow leaves `args` empty; with the message in it, repr() and logs say what happened.
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._error_code = error_code
        self._payloads: dict[Any, Any] = dict(args[0]) if args and args[0] else {}

    @property
    def message(self) -> str:
        """What went wrong."""
        return self.args[0]

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The node that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The canonical status code, one of the constants of this module."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """Extra information attached to the error."""
        return self._payloads

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self), (
            self._node_def,
            self._op,
            self.message,
            self._error_code,
            self._payloads,
        )


class _CodedError(OpError):
    """An error whose class fixes its code."""

    _code: ClassVar[int]

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, self._code, *args)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self), (self._node_def, self._op, self.message, self._payloads)


class CancelledError(_CodedError):
    """The operation was cancelled."""

    _code = CANCELLED


class UnknownError(_CodedError):
    """An error of unknown cause."""

    _code = UNKNOWN


class InvalidArgumentError(_CodedError):
    """An operation got an argument it cannot work with, such as incompatible shapes or dtypes."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """A deadline passed before the operation was done."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """A requested entity, such as a file, was not found."""

    _code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """A thing to be created exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not run the operation."""

    _code = PERMISSION_DENIED


class UnauthenticatedError(_CodedError):
    """The request has no valid credentials."""

    _code = UNAUTHENTICATED


class ResourceExhaustedError(_CodedError):
    """A resource, most often memory, ran out."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The system is not in the state the operation needs, such as an uninitialised variable."""

    _code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation was aborted, typically by a concurrent one."""

    _code = ABORTED


class OutOfRangeError(_CodedError):
    """The operation went past the valid range, such as the end of a dataset."""

    _code = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The operation is not implemented for these arguments."""

    _code = UNIMPLEMENTED


class InternalError(_CodedError):
    """Something the system relies on turned out not to hold."""

    _code = INTERNAL


class UnavailableError(_CodedError):
    """The runtime is temporarily unavailable."""

    _code = UNAVAILABLE


class DataLossError(_CodedError):
    """Data was lost or is corrupt, such as a record with a wrong checksum."""

    _code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """An operator was used where it needs a value that is not known yet."""
