"""Wide frozen values: how they are replaced, and the copy in which a fold makes the next one.

`dataclasses.replace` passes every field through `__init__`; for a value of forty fields that is
most of the cost of an event. `replace` copies the fields at once. Where one entry changes a dozen
counters, even that is a dozen copies: a fold thaws one working copy, writes to it, and `frozen`
turns that copy itself into the next value, so that nobody holds a writable one any longer.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, dataclass_transform

_new, _set = object.__new__, object.__setattr__  # looked up once: they are called with every event
T = TypeVar("T")
V = TypeVar("V")

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(value, /, **changes):
        """The value with some fields changed, as `dataclasses.replace`; no `__post_init__` runs."""
        try:
            fields = {**value.__dict__, **changes}  # a tenth faster than update
        except AttributeError:
            return dataclasses.replace(value, **changes)
        made = _new(type(value))
        _set(made, "__dict__", fields)
        return made


def made(kind: type[T], fields: dict[str, object]) -> T:
    """A frozen value of all its fields, which are taken as they are; no `__post_init__` runs."""
    value = _new(kind)
    _set(value, "__dict__", fields)
    return value


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def wide(kind: type[T]) -> type[T]:
    """A frozen dataclass of many fields, which a class below it may open for writing.

    A type checker takes its fields for writable, or that class could not write them either; it
    does tell the two classes apart, and what writes asks for the open one.
    """
    return dataclass(frozen=True, kw_only=True)(kind)


def thawed(value: object, opened: type[V]) -> V:
    """A copy of a wide value as an `opened` one, which can be written to."""
    copy = _new(opened)
    _set(copy, "__dict__", value.__dict__.copy())
    return copy


def frozen(copy: object, kind: type[V]) -> V:
    """The working copy itself, from now on a frozen `kind`."""
    _set(copy, "__class__", kind)
    assert isinstance(copy, kind)
    return copy
