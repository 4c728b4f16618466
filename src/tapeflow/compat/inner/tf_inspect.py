"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, which TensorFlow has a form of its own of."""

import inspect as _inspect
from typing import Any as _Any

FullArgSpec = _inspect.FullArgSpec
Parameter = _inspect.Parameter
Signature = _inspect.Signature
currentframe = _inspect.currentframe
getcallargs = _inspect.getcallargs
getdoc = _inspect.getdoc
getfile = _inspect.getfile
getmembers = _inspect.getmembers
getmodule = _inspect.getmodule
getmro = _inspect.getmro
getsource = _inspect.getsource
getsourcefile = _inspect.getsourcefile
getsourcelines = _inspect.getsourcelines
isbuiltin = _inspect.isbuiltin
isclass = _inspect.isclass
isframe = _inspect.isframe
isfunction = _inspect.isfunction
isgenerator = _inspect.isgenerator
isgeneratorfunction = _inspect.isgeneratorfunction
ismethod = _inspect.ismethod
ismodule = _inspect.ismodule
isroutine = _inspect.isroutine
signature = _inspect.signature
stack = _inspect.stack


def isanytargetmethod(fn: _Any) -> bool:
    """Whether the innermost function that a callable stands for is a method."""
    return ismethod(_inspect.unwrap(fn) if callable(fn) else fn)


def getfullargspec(obj: _Any) -> FullArgSpec:
    """The arguments of a callable, of the one behind wrappers; without annotations for TensorFlow's, which has none."""
    target = _inspect.unwrap(obj) if callable(obj) else obj
    found = _inspect.getfullargspec(target)
    is_ours = str(getattr(target, "__module__", "")).startswith("tapeflow.")
    return found._replace(annotations={}) if is_ours else found


getargspec = getfullargspec


def fn_args(fn: _Any) -> tuple[str, ...]:
    """`tensorflow.python.util.function_utils`: the names of a callable's arguments, without `self`."""
    return tuple(
        name
        for name, parameter in signature(fn).parameters.items()
        if parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    )


def has_kwargs(fn: _Any) -> bool:
    """Whether a callable takes any keyword."""
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in signature(fn).parameters.values())
