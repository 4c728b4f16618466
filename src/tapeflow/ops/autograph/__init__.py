"""The operators of converted code (`tapeflow.autograph`): what `if`, `while`, `for`, `and` do if tensors decide.

A Python value keeps Python's behaviour. A tensor whose value is not known, while a function is recorded, makes a
recorded branch (`branches`, `merging`) or loop (`loops`, `staged_loop`, `carry`, `items`) of the program. What cannot
be recorded raises `NeedsValue` inside and runs as Python, which reads the value.
"""

from __future__ import annotations

from tapeflow.autograph import callees, conversion
from tapeflow.ops.autograph import branches, builtin_functions, logic, loops, results
from tapeflow.ops.autograph.state import NOTHING, State


def install() -> None:
    """Give converted code its operators."""
    given = {
        "State": State,
        "NOTHING": NOTHING,
        "call": callees.converted,
        "if_": branches.if_,
        "if_expression": branches.if_expression,
        "while_": loops.while_,
        "for_": loops.for_,
        "and_": logic.and_,
        "or_": logic.or_,
        "not_": logic.not_,
        "assert_": logic.assert_,
        "iterated": builtin_functions.iterated,
        "result": results.result,
    }
    for name, operator in given.items():
        setattr(conversion.operators, name, operator)
    callees.builtin_operators.update(builtin_functions.OPERATORS)
