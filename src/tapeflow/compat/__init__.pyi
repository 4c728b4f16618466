from .finder import install as install
from .finder import is_installed as is_installed
from .finder import uninstall as uninstall
