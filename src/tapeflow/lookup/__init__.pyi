from . import experimental as experimental
from .initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from .initializers import TextFileIndex as TextFileIndex
from .initializers import TextFileInitializer as TextFileInitializer
from .static import StaticHashTable as StaticHashTable
from .static import StaticVocabularyTable as StaticVocabularyTable
