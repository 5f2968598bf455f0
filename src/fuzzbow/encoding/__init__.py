"""From strings to word ids: what every measure works on."""

from fuzzbow.encoding.encoder import Encoder, check_text, check_texts, decoded
from fuzzbow.encoding.texts import Texts, known_rows

__all__ = ["Encoder", "Texts", "check_text", "check_texts", "decoded", "known_rows"]
