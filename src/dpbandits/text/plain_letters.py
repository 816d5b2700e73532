"""Replace characters that a terminal or file cannot encode, so that they never end a run."""

import codecs
import io
import sys

NAME = "dpbandits"
"""Name of the error handler for characters that an encoding lacks."""
LIKE = {
    **{"✓": "+", "✗": "x", "–": "-", "…": ".", "→": ">", "≤": "<", "≥": ">", "−": "-", "·": "*", "×": "x", "±": "+"},
    **{"ε": "e", "δ": "d", "Δ": "D", "α": "a", "β": "b", "θ": "t", "λ": "l", "φ": "p", "Γ": "G", "√": "v", "∞": "inf"},
    **{"‹": "<", "›": ">", "₀": "0", "²": "2", "⁶": "6", "⁻": "-", "ℓ": "l", "‖": "|", "′": "'"},
}
"""Replacement characters, mostly of equal width, so that tables stay aligned. All others become question marks."""


def like(error: UnicodeError) -> tuple[str, int]:
    """Replacement for characters that cannot be encoded, and the position at which to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(LIKE.get(letter, "?") for letter in error.object[error.start : error.end]), error.end


def accept_all_text() -> None:
    """Let standard output and error accept any text, whatever their encoding."""
    codecs.register_error(NAME, like)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors=NAME)
