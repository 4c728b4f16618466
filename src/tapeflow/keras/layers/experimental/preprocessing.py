"""`tf.keras.layers.experimental.preprocessing`: names of preprocessing layers up to TensorFlow 2.5."""

from tapeflow.keras.layers.features.category_encoding import CategoryEncoding as CategoryEncoding
from tapeflow.keras.layers.features.discretization import Discretization as Discretization
from tapeflow.keras.layers.features.feature_scaling import Normalization as Normalization
from tapeflow.keras.layers.features.feature_scaling import PreprocessingLayer as PreprocessingLayer
from tapeflow.keras.layers.features.feature_scaling import Rescaling as Rescaling
from tapeflow.keras.layers.features.hashed_crossing import HashedCrossing as HashedCrossing
from tapeflow.keras.layers.features.hashing import Hashing as Hashing
from tapeflow.keras.layers.features.image_size import CenterCrop as CenterCrop
from tapeflow.keras.layers.features.image_size import Resizing as Resizing
from tapeflow.keras.layers.features.random_images import RandomContrast as RandomContrast
from tapeflow.keras.layers.features.random_images import RandomFlip as RandomFlip
from tapeflow.keras.layers.features.random_images import RandomRotation as RandomRotation
from tapeflow.keras.layers.features.random_images import RandomTranslation as RandomTranslation
from tapeflow.keras.layers.features.random_images import RandomZoom as RandomZoom
from tapeflow.keras.layers.features.random_sizes import RandomCrop as RandomCrop
from tapeflow.keras.layers.features.random_sizes import RandomHeight as RandomHeight
from tapeflow.keras.layers.features.random_sizes import RandomWidth as RandomWidth
from tapeflow.keras.layers.features.text_vectorization import TextVectorization as TextVectorization
from tapeflow.keras.layers.features.vocabulary_lookup import IntegerLookup as IntegerLookup
from tapeflow.keras.layers.features.vocabulary_lookup import StringLookup as StringLookup
