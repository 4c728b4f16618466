"""`tf.train.ExponentialMovingAverage`: Variables that follow others slowly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow.engine.functions.staging import value_before
from tapeflow.engine.recording.sketch import init_scope
from tapeflow.engine.values.variable import Variable


class ExponentialMovingAverage:
    """Averages of Variables over the steps of a training, recent steps counting most.

    Args:
        decay: how much of the old average stays, near 1.
        num_updates: how many steps there have been, a number or a Variable: the decay is then at most
            `(1 + num_updates) / (10 + num_updates)`, so that averages of few steps move faster.
        zero_debias: for averages that begin at zero; those of Variables begin at their values.
        name: the end of the averages' names.

    >>> weight = tf.Variable(1.0)
    >>> average = tf.train.ExponentialMovingAverage(decay=0.9)
    >>> average.apply([weight])
    >>> _ = weight.assign(2.0)
    >>> average.apply([weight])
    >>> round(float(average.average(weight)), 4)
    1.1
    """

    def __init__(
        self,
        decay: float,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[int, tuple[Variable, Variable]] = {}  # by id: a Variable and its average

    @property
    def name(self) -> str:
        """The end of the averages' names."""
        return self._name

    def apply(self, var_list: Iterable[Variable] | None = None) -> None:
        """Move the average of each Variable towards its value; one that has none begins there.

        Raises:
            TypeError: there are others than Variables of floats.
        """
        from tapeflow.ops.math.arithmetic import minimum  # start-up

        where = "tf.train.ExponentialMovingAverage.apply"
        if var_list is None:
            raise TypeError(
                f"{where} expected a list of Variables; got None. Pass model.trainable_variables."
            )
        decay = self._decay
        if self._num_updates is not None:
            decay = minimum(decay, (1.0 + self._num_updates) / (10.0 + self._num_updates))
        for variable in var_list:
            if not isinstance(variable, Variable) or not variable.dtype.is_floating:
                raise TypeError(
                    f"{where} expected Variables of floats: The variables must be half, float, or double; got "
                    f"{variable!r}."
                )
            average = self._average_of(variable)
            average.assign_sub((average - variable) * (1.0 - decay))

    def _average_of(self, variable: Variable) -> Variable:
        found = self._averages.get(id(variable))
        if found is None:
            first = value_before(variable)  # of the step that is being recorded
            with init_scope():
                average = Variable(first, trainable=False, name=self.average_name(variable))
            found = self._averages[id(variable)] = (variable, average)
        return found[1]

    def average(self, var: Variable) -> Variable | None:
        """The average of a Variable; None if `apply` has not seen it."""
        found = self._averages.get(id(var))
        return None if found is None else found[1]

    def average_name(self, var: Variable) -> str:
        """The name of a Variable's average."""
        return f"{var.name.split(':')[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Variable] | None = None
    ) -> dict[str, Variable]:
        """By the names of the averages, the Variables they are of; and `moving_avg_variables` by their own."""
        known = {self.average_name(v): v for v, _ in self._averages.values()}
        others = {v.name.split(":")[0]: v for v in moving_avg_variables or () if self.average(v) is None}
        return {**known, **others}
