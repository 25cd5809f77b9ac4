"""Names that a system makes up anew each time: what is left of them names what they are of.

named_alike(text)      a text in which pods of one deployment and random folders have one name
elements_alike(text)   a text in which the elements of a page have no numbers
"""

from __future__ import annotations

import re
from typing import Final

# What kubernetes makes names of (k8s.io/apimachinery, util/rand): no vowels, no 0, 1 and 3.
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX: Final = rf"-(?=[a-z]*\d)(?=\d*[a-z])[{_SAFE}]{{5}}\b(?!-)"
# The hash of a pod's template is hexadecimal in older versions.
_POD: Final = re.compile(rf"(?<=\w)(?:-(?=[a-z]*\d)[{_SAFE}\da-f]{{8,10}})?{_SUFFIX}")
_POD_CORE: Final = re.compile(rf"-[{_SAFE}]{{5}}\b")

# Where temporary files lie, and the folder below it where a digit says that it was made up.
_TEMPORARY: Final = re.compile(
    r"(?:(?<![\w.])(?:/private)?/(?:tmp|var/tmp|dev/shm)/|/var/folders/[^/\s]+/[^/\s]+/T/)"
    r"[A-Za-z_.+-]*\d[\w.+-]*"
)
_RANDOM: Final = re.compile(r"\btmp(?:\.\w*\d\w*|(?=[a-z_]*\d)[a-z\d_]{8})\b")  # mktemp, tempfile


# What a browser's tools call an element of the page as it was read last.
_REF: Final = re.compile(r"(\bref(?:=|[\"']: ?)[\"']?)(?:[a-z]\d+)?e\d+\b")


def named_alike(text: str) -> str:
    """A text in which names that were made up for one time stand for what they are of."""
    if "-" in text and _POD_CORE.search(text):
        text = _POD.sub("-POD", text)
    if "tmp" in text or "/T/" in text or "/dev/shm/" in text:
        text = _TEMPORARY.sub("/tmp/P", text)
        text = _RANDOM.sub("tmpP", text)
    return text


def elements_alike(text: str) -> str:
    """A text in which an element of a page has no number of the time when it was read."""
    return _REF.sub(r"\1E", text) if "ref" in text else text
