"""`tf.strings`: text in tensors. Strings live on the host, so each function reads its inputs at once."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.debugging.printing import string_format as format
from tapeflow.ops.strings.conversion import as_string as as_string
from tapeflow.ops.strings.conversion import to_number as to_number
from tapeflow.ops.strings.hashing import to_hash_bucket as to_hash_bucket
from tapeflow.ops.strings.hashing import to_hash_bucket_fast as to_hash_bucket_fast
from tapeflow.ops.strings.hashing import to_hash_bucket_strong as to_hash_bucket_strong
from tapeflow.ops.strings.joining import reduce_join as reduce_join
from tapeflow.ops.strings.joining import unsorted_segment_join as unsorted_segment_join
from tapeflow.ops.strings.script import unicode_script as unicode_script
from tapeflow.ops.strings.search import regex_full_match as regex_full_match
from tapeflow.ops.strings.search import regex_replace as regex_replace
from tapeflow.ops.strings.search import strip as strip
from tapeflow.ops.strings.search import substr as substr
from tapeflow.ops.strings.splitting import bytes_split as bytes_split
from tapeflow.ops.strings.splitting import ngrams as ngrams
from tapeflow.ops.strings.splitting import split as split
from tapeflow.ops.strings.text import join as join
from tapeflow.ops.strings.text import length as length
from tapeflow.ops.strings.text import lower as lower
from tapeflow.ops.strings.text import upper as upper
from tapeflow.ops.strings.unicode import unicode_decode as unicode_decode
from tapeflow.ops.strings.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from tapeflow.ops.strings.unicode import unicode_encode as unicode_encode
from tapeflow.ops.strings.unicode import unicode_split as unicode_split
from tapeflow.ops.strings.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from tapeflow.ops.strings.unicode import unicode_transcode as unicode_transcode

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

_dispatch_all(globals())
