"""Rules for primitives with functions in them: loops, branches, calls."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.shapes.expression import is_symbolic
from tapeflow.engine.shapes.padding import Padding, rule


@rule("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint")
def _call(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
    if hasattr(inner, "consts"):
        return padding.closed(inner, operands)
    return padding.run(inner, (), operands)


@rule("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")
def _custom_call(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    inner = equation.params.get("call_jaxpr", equation.params.get("fun_jaxpr"))
    return padding.closed(inner, operands)


@rule("cond")
def _cond(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    index, *arguments = operands
    branches = [
        lambda *values, branch=branch: padding.closed(branch, values)
        for branch in equation.params["branches"]
    ]
    return jax.lax.switch(jnp.asarray(index, jnp.int32), branches, *arguments)


@rule("while")
def _while(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters = equation.params
    tests, bodies = parameters["cond_nconsts"], parameters["body_nconsts"]
    for_test, for_body = operands[:tests], operands[tests : tests + bodies]

    def goes_on(carry: Any) -> Any:
        return padding.closed(parameters["cond_jaxpr"], [*for_test, *carry])[0]

    def body(carry: Any) -> Any:
        return padding.closed(parameters["body_jaxpr"], [*for_body, *carry])

    return jax.lax.while_loop(goes_on, body, list(operands[tests + bodies :]))


@rule("scan")
def _scan(padding: Padding, equation: Any, operands: list[Any]) -> Any:
    parameters = equation.params
    consts, carried = parameters["num_consts"], parameters["num_carry"]
    fixed, carry, rows = operands[:consts], operands[consts : consts + carried], operands[consts + carried :]
    if not is_symbolic(parameters["length"]):

        def turn(carry: Any, row: Any) -> Any:
            found = padding.closed(parameters["jaxpr"], [*fixed, *carry, *row])
            return found[:carried], found[carried:]

        last, columns = jax.lax.scan(
            turn, list(carry), list(rows), int(parameters["length"]), parameters["reverse"]
        )
        return [*last, *columns]
    # As many turns as there are true rows; the rest of the columns is never written.
    count = jnp.asarray(padding.size(parameters["length"]), jnp.int32)
    columns = [
        jnp.zeros(padding.shape(atom.aval.shape), atom.aval.dtype) for atom in equation.outvars[carried:]
    ]

    def body(loop: Any) -> Any:
        number, carry, columns = loop
        place = count - 1 - number if parameters["reverse"] else number
        row = [jax.lax.dynamic_index_in_dim(r, place, 0, keepdims=False) for r in rows]
        found = padding.closed(parameters["jaxpr"], [*fixed, *carry, *row])
        written = [
            jax.lax.dynamic_update_index_in_dim(column, value, place, 0)
            for column, value in zip(columns, found[carried:], strict=True)
        ]
        return number + 1, found[:carried], written

    start = (jnp.zeros((), jnp.int32), list(carry), columns)
    _, last, columns = jax.lax.while_loop(lambda loop: loop[0] < count, body, start)
    return [*last, *columns]
