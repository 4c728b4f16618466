from .loading import contains_saved_model as contains_saved_model
from .loading import load as load
from .saving import LoadOptions as LoadOptions
from .saving import SaveOptions as SaveOptions
from .saving import save as save
