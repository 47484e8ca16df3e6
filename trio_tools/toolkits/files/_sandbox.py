"""Run as a program, `python -I -S _sandbox.py STARTER ROOT TOP PROGRAM ARGUMENT...`: becomes PROGRAM, shut into ROOT.

STARTER is the process that started it, ROOT and TOP are numbers of descriptors. The program starts in TOP and may read
files and folders below ROOT, wherever they are reached from, and nothing else: it opens no other file, writes none, and
can start nothing but itself. The kernel (Landlock, Linux 5.13) decides that by where a file lies when it is opened, so
that a link that is swapped in leads to a refusal. The program is killed when the thread that started it ends.

Only the standard library is to be had here. Ends with `REFUSED` and a line on stderr if the kernel will not do it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys

# The exit status for a kernel without Landlock. ripgrep itself ends with 0, 1 or 2.
REFUSED = 70
# Bytes of addresses that the program may have; what it holds is less. ripgrep has some 70 MB of them with its most
# threads and holds 15, but it holds the longest line whole, more than once. Its allocator reserves addresses first and
# takes them in use later, past every limit but that on addresses.
MAX_ADDRESS_BYTES = 134_217_728

# Numbers of system calls, the same on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
# Numbers of what prctl does.
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
# The number of the signal; to import it takes as long as half of the rest.
_SIGKILL = 9
# Rights of Landlock, a bit each.
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
# How many rights its versions know.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
# How many rights there are since version 5, of those that are about files.
_RIGHTS_SINCE_5 = 16
# A flag that asks for the version, from the kernel's header.
_VERSION_FLAG = 1
# A rule about what lies below a directory, from the kernel's header.
_BENEATH = 1


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return answer


def shut_in(root: int, program: int) -> None:
    """Take every right from this process but reading below `root` and running `program`; both are descriptors.

    Raises `OSError` if the kernel cannot.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = _checked(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG), "Landlock")
    rights = struct.pack("Q", (1 << _RIGHTS.get(version, _RIGHTS_SINCE_5)) - 1)
    rules = _checked(libc.syscall(_CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), 0), "a set of rules")
    for allowed, descriptor in ((_READ_FILE | _READ_DIR, root), (_READ_FILE | _EXECUTE, program)):
        rule = struct.pack("=Qi", allowed, descriptor)
        _checked(libc.syscall(_ADD_RULE, rules, _BENEATH, rule, 0), "a rule")
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    _checked(libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "ending with who started it")
    _checked(libc.syscall(_RESTRICT_SELF, rules, 0), "restricting")
    os.close(rules)


def main(starter: str, root: str, top: str, path: str, *arguments: str) -> None:
    os.fchdir(int(top))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    program = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    shut_in(int(root), program)
    if os.getppid() != int(starter):  # it ended before it was agreed that this one ends with it
        sys.exit(REFUSED)
    for descriptor in (root, top):
        os.set_inheritable(int(descriptor), False)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_BYTES, MAX_ADDRESS_BYTES))  # last: Python may need more
    os.execve(program, (path, *arguments), {})


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(REFUSED)
