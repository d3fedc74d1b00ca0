"""The rooms of the project and what each may include.

The arrow is base <- os, shm, wire <- engine <- transport, msgq <- comch <- dpa, and all of it
<- include/comch users.
A file belongs to the room with the longest matching prefix. `project` lists what a quoted
include (or <comch/...>) may begin with; a name without a slash is a file beside the includer.
"""

import dataclasses
import re

LIBRARIES = {  # Other people's headers, by how their names begin.
    "fmt": "fmt/", "toml": "toml++/", "cli": "CLI/", "json": "nlohmann/", "fuse": "fuse",
    "sodium": "sodium.h", "uring": "liburing", "verbs": ("infiniband/", "rdma/"),
    "cpu": ("cpuid.h", "immintrin.h", "x86intrin.h", "arm_acle.h"),
}
INTERFACE = ("transport/transport.h", "transport/reactor.h", "transport/map_life.h",  # The meeting place.
             "transport/allowance.h", "transport/gap.h", "transport/lull.h", "transport/next_answer.h",
             "transport/outcome.h", "transport/passage.h", "transport/patience.h", "transport/port_ids.h",
             "transport/port_owner.h", "transport/sign.h", "transport/taken.h")
WORDS = ("comch/result.h", "comch/log.h", "comch/fork_mark.h")  # Of the public headers, what every room speaks.


@dataclasses.dataclass
class Room:
    project: tuple
    libraries: tuple = ("fmt",)
    system: bool = False  # May it ask the kernel?


ROOMS = {
    "core/include/comch/": Room(("comch/",), ()),
    "core/base/": Room(("base/", *WORDS), ("fmt", "cpu")),
    "core/base/fork_mark": Room(WORDS, (), True),  # pthread_atfork(), which asks nobody.
    "core/os/": Room(("os/", "base/", *WORDS), ("fmt",), True),
    "core/shm/": Room(("shm/", "base/", *WORDS), ("cpu",)),
    "core/wire/": Room(("wire/", "base/", *WORDS, "comch/capability.h")),
    "core/engine/": Room(("engine/", "base/", "os/", *INTERFACE, "comch/")),
    "core/transport/": Room((*INTERFACE, "base/", "os/", "shm/", "wire/", "comch/")),
    "core/transport/shm/": Room(("transport/shm/", *INTERFACE, "shm/", "wire/",
                                 "os/", "base/", "comch/")),
    "core/transport/rdma/": Room(("transport/rdma/", *INTERFACE, "shm/", "wire/",
                                  "os/", "base/", "comch/"), ("fmt", "sodium", "verbs")),
    "core/comch/": Room(("base/", "os/", "shm/", "wire/", "engine/", "transport/", "msgq/", "comch/"),
                        ("fmt", "toml")),
    "core/msgq/": Room(("msgq/", "base/", "os/", "shm/", "comch/")),
    "core/dpa/": Room(("dpa/", "msgq/", "base/", "shm/", "comch/")),
    "core/doca/": Room(("doca", "comch/"), ("fmt",)),
    "core/doca/argp_json": Room(("doca",), ("fmt", "json")),
    "core/doca/log_": Room(("doca", "comch/log.h"), ("fmt",), True),
    "core/doca/comm_channel_events": Room(("doca", "comch/"), (), True),
    "core/doca/include/": Room(("doca_",), (), True),  # C's own headers.
    "core/tool/": Room(("tool/", "comch/"), ("fmt", "cli", "json"), True),
    "core/tool/bench/doca_": Room(("tool/", "comch/", "doca_"), ("fmt",), True),
    "uring/": Room(("uring/", "comch/"), ("fmt", "uring", "cpu"), True),
    "fuse/": Room(("fuse/", "comch/"), ("fmt", "cli", "json", "toml", "fuse"), True),
    "examples/doca/": Room(("doca_",), (), True),
    "examples/": Room(("comch/",), ("fmt", "cli", "uring"), True),
}


def room_of(path):
    prefixes = [prefix for prefix in ROOMS if path.startswith(prefix)]
    return max(prefixes, key=len) if prefixes else None


def library_of(header):
    found = [name for name, begins in LIBRARIES.items() if header.startswith(begins)]
    return found[0] if found else None


def objection(path, include):
    """Why `path` may not say `#include include` (with its quotes or brackets), or nothing."""
    prefix = room_of(path)
    if prefix is None:
        return None
    room, header = ROOMS[prefix], include[1:-1]
    if include[0] == '"' or header.startswith(("comch/", "doca_")):
        beside = include[0] == '"' and "/" not in header and prefix != "core/include/comch/"
        return None if beside or header.startswith(room.project) else f"{header} is out of bounds"
    library = library_of(header)
    if library:
        return None if library in room.libraries else f"library {library} is out of bounds"
    if re.search(r"[./]", header) and not room.system:
        return f"system header {header} (only os/ asks the kernel)"
    return None
