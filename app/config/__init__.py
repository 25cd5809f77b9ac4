"""The settings: defaults < floorboss.toml < FLOORBOSS_* < flags, each value knowing its source.

In the order of reading:

    schema     what can be set
    keys       the names of all settings
    layers     what the environment, the flags and the file say
    load       from the layers to settings, or to a fault
    settings   the settings in force
    reference  docs/configuration.md
"""

from __future__ import annotations

from app.config.load import ConfigFault, load
from app.config.reference import reference
from app.config.settings import Settings, loopback
from app.domain.configured import configuration_of

__all__ = ["ConfigFault", "Settings", "configuration_of", "load", "loopback", "reference"]
