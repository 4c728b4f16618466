# The public names of `tf.summary.profile`. `__init__.py` imports each one when it is first used.
from .profiles import Profile as Profile
from .profiles import find as find
from .profiles import read as read
from .records import Compile as Compile
from .records import Memory as Memory
from .records import Pipeline as Pipeline
from .records import Step as Step
from .records import read_record as read_record
from .verdicts import Verdict as Verdict
from .xplane import Op as Op
from .xplane import read_xplane as read_xplane
