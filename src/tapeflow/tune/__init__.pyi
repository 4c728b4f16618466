# The public names of `tapeflow.tune`. `__init__.py` imports each one when it is first used.
from .domains import LogInterval as LogInterval
from .domains import LogIntInterval as LogIntInterval
from .report import Report as Report
from .result import Result as Result
from .result import TrialResult as TrialResult
from .search import search as search
from .trial import Pruned as Pruned
from .trial import Trial as Trial
