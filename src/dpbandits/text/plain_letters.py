"""Text on terminals and in files that lack some of its letters: these become others, and never end a run."""

import codecs
import io
import sys

NAME = "dpbandits"
"""Of the rule for letters that an encoding lacks."""
LIKE = {
    **{"✓": "+", "✗": "x", "–": "-", "…": ".", "→": ">", "≤": "<", "≥": ">", "−": "-", "·": "*", "×": "x", "±": "+"},
    **{"ε": "e", "δ": "d", "Δ": "D", "α": "a", "β": "b", "θ": "t", "λ": "l", "φ": "p", "Γ": "G", "√": "v", "∞": "inf"},
    **{"‹": "<", "›": ">", "₀": "0", "²": "2", "⁶": "6", "⁻": "-", "ℓ": "l", "‖": "|", "′": "'"},
}
"""Letters in place of others, mostly as wide, so that tables stay in line. All else becomes a question mark."""


def like(error: UnicodeError) -> tuple[str, int]:
    """Letters in place of those that cannot be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(LIKE.get(letter, "?") for letter in error.object[error.start : error.end]), error.end


def accept_all_text() -> None:
    """Let standard output and error of this process take any text, whatever they encode."""
    codecs.register_error(NAME, like)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors=NAME)
