from . import dlpack as dlpack
from . import numpy as numpy
from .execution import async_clear_error as async_clear_error
from .execution import async_scope as async_scope
from .execution import function_executor_type as function_executor_type
from .extension_types import BatchableExtensionType as BatchableExtensionType
from .extension_types import ExtensionType as ExtensionType
from .extension_types import ExtensionTypeSpec as ExtensionTypeSpec
from .extension_types import dispatch_for_api as dispatch_for_api
from .extension_types import dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis
from .extension_types import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from .extension_types import dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis
from .extension_types import unregister_dispatch_for as unregister_dispatch_for
from .optional import Optional as Optional
