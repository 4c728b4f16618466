from .cloning import clone_model as clone_model
from .functional import Functional as Functional
from .model import Model as Model
from .saving import load_model as load_model
from .saving import model_from_config as model_from_config
from .saving import model_from_json as model_from_json
from .saving import save_model as save_model
from .sequential import Sequential as Sequential
