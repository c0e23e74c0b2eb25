"""Run a program without root rights under a restriction of the Linux kernel: `python confined.py
RULE PROGRAM ARGUMENTS...`.

- ``no-locks``: locking a file fails, as in a network folder without locks.
- ``no-network``: the program is killed (SIGSYS) as soon as it opens an internet socket.
- ``small-files``: no file can grow beyond 64 KiB.
"""

import ctypes
import errno
import fcntl
import os
import platform
import resource
import socket
import struct
import sys

# Machine -> its number in the filter (linux/audit.h), and the numbers of its system calls.
MACHINES = {
    "x86_64": (0xC000003E, {"fcntl": 72, "flock": 73, "socket": 41}),
    "aarch64": (0xC00000B7, {"fcntl": 25, "flock": 32, "socket": 198}),
}
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.ENOLCK, 0x80000000
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # instructions of the filter (linux/bpf_common.h)
ARGUMENTS = 16  # offset of a call's arguments in the struct that a filter reads
OFD_LOCKS = (36, 37, 38)  # F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW: not in Python's fcntl everywhere
LOCKS = (fcntl.F_GETLK, fcntl.F_SETLK, fcntl.F_SETLKW, *OFD_LOCKS)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


class Program(ctypes.Structure):
    """The C struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def instruction(code: int, value: int, if_equal: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_equal, otherwise, value)


def on(
    call: str, action: int, argument: int | None = None, values: tuple[int, ...] = ()
) -> list[bytes]:
    """Return filter instructions that take ``action`` on a system call. If ``values`` are given,
    act only if the argument at position ``argument`` is one of them.
    """
    tests = [] if argument is None else [instruction(LOAD, ARGUMENTS + 8 * argument)]
    for value in values:
        tests += [instruction(EQUAL, value, 0, 1), instruction(RETURN, action)]
    tests.append(instruction(RETURN, ALLOW if values else action))
    return [
        instruction(LOAD, 0),
        instruction(EQUAL, MACHINES[platform.machine()][1][call], 0, len(tests)),
        *tests,
    ]


def enforce(rules: list[bytes]) -> None:
    """Restrict this process, and all that it starts, permanently."""
    architecture, _ = MACHINES[platform.machine()]
    begin = [
        instruction(LOAD, 4),
        instruction(EQUAL, architecture, 1, 0),
        instruction(RETURN, KILL),
    ]
    program = b"".join([*begin, *rules, instruction(RETURN, ALLOW)])
    libc = ctypes.CDLL(None, use_errno=True)
    given = Program(len(program) // 8, program)
    for call in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0),
    ):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def main(rule: str, *command: str) -> None:
    if rule == "no-locks":
        enforce([*on("flock", REFUSE), *on("fcntl", REFUSE, 1, LOCKS)])
    elif rule == "no-network":
        enforce(on("socket", KILL, 0, (socket.AF_INET, socket.AF_INET6)))
    elif rule == "small-files":
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, 2**16))
    else:
        sys.exit(f"no rule {rule!r}")
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    main(*sys.argv[1:])
