"""The proposer: a model that may be asked, in the background, when a check trips.

    gate         hears which checks trip; one call at a time for each session
    calls        what a call writes before and after it, in the writer's thread
    client       one request to one address that was judged, and nothing that comes back is followed
    providers    how two kinds of servers are asked, and where their answers stand
    folder       texts for a person, in files of their own
    start        from the settings to a running gate, or why there is none

Off by default, and then nothing here is imported. It has no tools, no command and no route: a
tripped check is the only thing that makes it ask, and app/domain/advised.py decides what an answer
comes to. Whatever goes wrong is a refused entry.
"""

from __future__ import annotations
