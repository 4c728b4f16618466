"""The names of `tf.experimental` for classes of one's own that ops take."""

from tapeflow.ops.types.extension_dispatch import dispatch_for_api as dispatch_for_api
from tapeflow.ops.types.extension_dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tapeflow.ops.types.extension_dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tapeflow.ops.types.extension_dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tapeflow.ops.types.extension_dispatch import unregister_dispatch_for as unregister_dispatch_for
from tapeflow.ops.types.extension_type import BatchableExtensionType as BatchableExtensionType
from tapeflow.ops.types.extension_type import ExtensionType as ExtensionType
from tapeflow.ops.types.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
