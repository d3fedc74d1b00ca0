"""Runs one test program and sees that it leaves nothing behind.

    sandbox.py RESULT.json LOG SECONDS -- COMMAND...

The program gets a temporary directory of its own (TMPDIR, COMCH_RUNTIME_DIR below it), no
standard input, and SECONDS to end. Whatever it starts becomes a child of this process when
its parent dies, so that a process, a mount or a file that outlives the program is seen,
named in the result, and taken away. GoogleTest programs write their cases beside RESULT.

The result is {code, timed_out, seconds, left}; `left` holds one line per thing left behind.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
MNT_FORCE, MNT_DETACH = 1, 2
GRACE_SECONDS = 2.0  # For a daemon that was told to end and is ending.
TAKE_AWAY_SECONDS = 10.0

libc = ctypes.CDLL(None, use_errno=True)


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def children(parent=None):
    """The processes whose parent is `parent`, by default we; zombies not counted."""
    found = []
    for name in os.listdir("/proc"):
        fields = read(f"/proc/{name}/stat").rpartition(")")[2].split() if name.isdigit() else []
        if len(fields) > 1 and int(fields[1]) == (parent or os.getpid()) and fields[0] != "Z":
            found.append(int(name))
    return found


def descendants():
    found = children()
    for pid in found:  # Grows while it is walked.
        found += children(pid)
    return found


def describe(pid):
    """A process in one line, and where each of its threads waits: says why a test hangs."""
    command = read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()[:200]
    try:
        tasks = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    except OSError:
        tasks = []
    waits = [f"{read(f'/proc/{pid}/task/{t}/comm').strip()}:"
             f"{read(f'/proc/{pid}/task/{t}/wchan').strip() or '?'}" for t in tasks]
    return f"process {pid} ({command}) threads {' '.join(waits)}"


def reap():
    """Collects orphans that ended, so that they are not zombies for ever."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def mounts_under(directory):
    points = [line.split()[4].encode().decode("unicode_escape")
              for line in read("/proc/self/mountinfo").splitlines()]
    return [point for point in points if point.startswith(directory + "/")]


def files_under(directory):
    return [os.path.relpath(os.path.join(top, name), directory)
            for top, folders, files in os.walk(directory) for name in files + folders]


def take_away(directory):
    """Ends what is left. Mounts go first, by force: a process may hang in one of them."""
    for point in reversed(mounts_under(directory)):
        libc.umount2(point.encode(), MNT_FORCE | MNT_DETACH)
        if os.path.ismount(point) and shutil.which("fusermount3"):
            subprocess.run(["fusermount3", "-uz", point], check=False, capture_output=True)
    end = time.monotonic() + TAKE_AWAY_SECONDS
    while (pids := children()) and time.monotonic() < end:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)  # Ours to reap, so the number is not another's yet.
        time.sleep(0.01)
        reap()


def left_behind(directory):
    """Lines for what is there; processes and mounts are given a moment to go by themselves."""
    end = time.monotonic() + GRACE_SECONDS
    while (children() or mounts_under(directory)) and time.monotonic() < end:
        time.sleep(0.02)
        reap()
    lines = [describe(pid) for pid in children()]
    lines += [f"mount on {point}" for point in mounts_under(directory)]
    take_away(directory)
    return lines + [f"file {name}" for name in files_under(directory)]


def run(command, log, seconds, gtest_report):
    directory = os.path.realpath(tempfile.mkdtemp(prefix="comch."))
    files, runtime = os.path.join(directory, "tmp"), os.path.join(directory, "run")
    os.mkdir(files)
    os.mkdir(runtime)
    os.chmod(directory, 0o755)  # A test may become another user and must still get here.
    environment = dict(os.environ, TMPDIR=files, COMCH_RUNTIME_DIR=runtime,
                       GTEST_OUTPUT=f"xml:{gtest_report}", GTEST_COLOR="no", CI="true")
    started = time.monotonic()
    hung = []
    with open(log, "wb") as output:
        try:
            program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, env=environment)
            code = program.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code, hung = None, [describe(pid) for pid in descendants()]
        except OSError as error:
            code = 127
            output.write(f"{command[0]}: {error.strerror}\n".encode())
    seconds_taken = time.monotonic() - started
    if hung:
        take_away(directory)
        left = []
    else:
        left = [line.replace(directory, "TMPDIR")
                for line in left_behind(directory) if line not in ("file tmp", "file run")]
    shutil.rmtree(directory, ignore_errors=True)
    return {"code": code, "timed_out": bool(hung), "hung": hung,
            "seconds": seconds_taken, "left": left}


def main():
    result, log, seconds = sys.argv[1:4]
    if sys.argv[4] != "--":
        sys.exit(__doc__)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    outcome = run(sys.argv[5:], log, float(seconds), result.removesuffix(".json") + ".xml")
    with open(result, "w", encoding="utf-8") as file:
        json.dump(outcome, file)


if __name__ == "__main__":
    main()
