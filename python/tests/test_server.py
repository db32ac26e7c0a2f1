"""The child process: threads, interrupts, crashes, forks, and that nothing is left behind however either side ends."""

import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import weakref

import numpy as np

import irgl
from irgl import _client

# It ends when it is told to.
ENDLESS = "Graph g { Output Node int n = 0; }\nKernel K(g) { ForAll (v In g.nodes) { v.n += 1; } }\nHost main() { go = 1; while (go) { Invoke K(g); } }\n"

# Whole numbers of the tests that take long: IRGL_LONG=1 has them.
LONG = os.environ.get("IRGL_LONG", "") != ""
KILLS = 100 if LONG else 20

# Of a long wait for something that comes soon, unless the machine is very busy.
PATIENCE = 60


def gone(pid):
    """Whether a process has ended, waiting for it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def python(text, *args, **options):
    """A process that runs a program."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(text), *args], stdout=subprocess.PIPE, text=True, **options)


class Threads(unittest.TestCase):
    def test_many(self):
        """Calls of several threads get their own answers."""
        graphs = [irgl.Graph.generate(f"path:{n}") for n in range(2, 10)]
        errors = []

        def work(k):
            try:
                for i in range(40):
                    g = graphs[(k + i) % len(graphs)]
                    level = irgl.bfs(g, source=0, program=("bfs", "bfs_do", "bfs_st")[i % 3]).level
                    if level.tolist() != list(range(g.nnodes)):
                        errors.append(level)
                    if i % 10 == 0:
                        n = 3 + k
                        irgl.Graph.from_edges(np.arange(n - 1), np.arange(1, n)).close()
            except BaseException as err:
                errors.append(err)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])

    def test_closing(self):
        """Far more is given up at once than there may be requests without a reply."""
        results = [irgl.Graph.generate("path:2") for _ in range(1500)]
        del results
        gc.collect()
        for _ in range(5):
            self.assertEqual(irgl.Graph.generate("path:2").nnodes, 2)
        self.assertLess(len(_client.server()._closed), 1500)

    def test_progress(self):
        """Long runs say what they do, and an exception of the listener ends them."""
        seen = []

        def listen(p):
            seen.append(p)
            if p.phase == "running":
                raise StopIteration("enough")

        p = irgl.compile(ENDLESS)
        with self.assertRaisesRegex(StopIteration, "enough"):
            p.run(irgl.Graph.generate("path:3"), device="interp", progress=listen)
        self.assertEqual(seen[-1].phase, "running")
        np.testing.assert_array_equal(irgl.bfs(irgl.Graph.generate("path:3"), source=0).level, [0, 1, 2])


class Interrupts(unittest.TestCase):
    def test_run(self):
        """An interrupt ends the run, and not the server."""
        g = irgl.Graph.generate("path:3")
        p = irgl.compile(ENDLESS)
        child = _client.server().child
        for device in ("interp", "simt"):
            timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                p.run(g, device=device)
            timer.join()
            np.testing.assert_array_equal(irgl.bfs(g, source=0, device=device).level, [0, 1, 2])
        self.assertEqual(_client.server().child, child)

    def test_any_moment(self):
        """Wherever an interrupt comes, the next call is right, and nothing is left waiting."""
        g = irgl.Graph.generate("path:50")
        rng = random.Random(4)
        caught = 0
        for _ in range(60):
            timer = threading.Timer(rng.random() * 0.01, os.kill, [os.getpid(), signal.SIGINT])
            try:
                timer.start()  # on a busy machine the interrupt may come here
                while True:
                    irgl.bfs(g, source=0)
            except KeyboardInterrupt:
                caught += 1
            timer.join()
            self.assertEqual(irgl.bfs(g, source=0).level[-1], 49)
        self.assertEqual(caught, 60)
        s = _client.server()
        gc.collect()
        irgl.Graph.generate("path:2").close()
        self.assertLess(len(s._slots), 10)


def footprint(pid):
    """The bytes of a process's memory that are there, not counting what it shares by files, and its descriptors."""
    with open(f"/proc/{pid}/statm") as f:
        _, resident, shared = map(int, f.read().split()[:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{pid}/fd"))


def children():
    """The processes that this one has started and that are there."""
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as f:
        return set(f.read().split())


@unittest.skipIf(not os.path.isdir("/proc/self/fd"), "there is no /proc here")
class Growth(unittest.TestCase):
    def test_calls(self):
        """Calls and graphs by the thousand leave no memory, no descriptor and no process behind."""
        child = _client.server().child
        rng = np.random.default_rng(3)

        def work(graphs, calls):
            kept = []
            for i in range(graphs):
                g = irgl.Graph.from_edges(rng.integers(0, 2000, 9000), rng.integers(0, 2000, 9000), rng.integers(1, 50, 9000), nodes=2000)
                kept.append(g)
                for k in range(calls // graphs):
                    f = (irgl.bfs, irgl.sssp, irgl.cc, irgl.pr)[k % 4]
                    f(g, source=k % 2000) if k % 4 < 2 else f(g)
            del kept
            gc.collect()
            irgl.Graph.generate("path:2").close()  # which tells the server what was given up

        graphs, calls = (100, 10000) if LONG else (40, 1200)
        work(graphs, 4 * graphs)  # what is kept, such as compiled programs, and a heap for that many graphs
        before, family = (footprint(os.getpid()), footprint(child)), children()
        work(graphs, calls)
        for (memory, files), pid in zip(before, (os.getpid(), child)):
            end = time.monotonic() + PATIENCE
            while True:
                now = footprint(pid)
                if (now[0] < memory + (24 << 20) and now[1] <= files) or time.monotonic() > end:
                    break
                time.sleep(0.2)
            self.assertLess(now[0], memory + (24 << 20), f"process {pid} of {memory} bytes")
            self.assertLessEqual(now[1], files, f"process {pid}: {os.listdir(f'/proc/{pid}/fd')}")
        self.assertEqual(_client.server().child, child)
        self.assertLessEqual(children(), family)


class Ends(unittest.TestCase):
    def test_crash(self):
        """A server that is killed is an exception, arrays stay, and the next call starts another one."""
        g = irgl.Graph.generate("path:4")
        level = irgl.bfs(g, source=0).level
        p = irgl.compile(ENDLESS)
        first = _client.server().child
        timer = threading.Timer(0.3, os.kill, [first, signal.SIGKILL])
        timer.start()
        with self.assertRaisesRegex(irgl.ServerError, "signal 9"):
            p.run(g, device="interp")
        np.testing.assert_array_equal(level, [0, 1, 2, 3])
        with self.assertRaisesRegex(irgl.ServerError, "make it again"):
            irgl.bfs(g, source=0)
        g = irgl.Graph.generate("path:4")
        self.assertNotEqual(_client.server().child, first)
        np.testing.assert_array_equal(irgl.bfs(g, source=0).level, [0, 1, 2, 3])  # the program is compiled again

    def test_stop(self):
        g = irgl.Graph.generate("path:4")
        child = _client.server().child
        irgl.stop()
        irgl.stop()
        self.assertTrue(gone(child))
        with self.assertRaises(irgl.ServerError):
            irgl.bfs(g, source=0)
        self.assertEqual(irgl.Graph.generate("path:4").nnodes, 4)

    def test_stop_frees(self):
        """A server that was stopped leaves no memory behind, though programs have run on it."""
        irgl.bfs(irgl.Graph.generate("path:4"), source=0)
        arena = weakref.ref(_client.server().arena)
        irgl.stop()
        end = time.monotonic() + PATIENCE
        while arena() is not None and time.monotonic() < end:
            gc.collect()
            time.sleep(0.01)  # the reader thread ends
        self.assertIsNone(arena())

    def test_kill_server(self):
        """Killed at random moments, the server takes with it what was asked of it, and no more."""
        rng = random.Random(5)
        for i in range(KILLS):
            child = _client.server().child
            timer = threading.Timer(rng.random() * 0.05, os.kill, [child, signal.SIGKILL])
            timer.start()
            with self.assertRaises(irgl.ServerError):
                while True:
                    g = irgl.Graph.from_edges(np.arange(1000), np.arange(1, 1001))
                    self.assertEqual(irgl.bfs(g, source=0).level[-1], 1000)
            timer.join()
            self.assertTrue(gone(child), i)
            g = irgl.Graph.from_edges([0, 1], [1, 2])
            self.assertEqual(irgl.bfs(g, source=0).level.tolist(), [0, 1, 2])

    def test_kill_python(self):
        """Python killed at random moments leaves no process, and no file."""
        rng = random.Random(6)
        with tempfile.TemporaryDirectory() as folder:
            before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
            for i in range(KILLS):
                p = python(
                    """
                    import irgl, numpy as np
                    from irgl import _client
                    print(_client.server().child, flush=True)
                    while True:
                        g = irgl.Graph.from_edges(np.arange(1000), np.arange(1, 1001))
                        irgl.bfs(g, source=0, device=["cpu", "interp"][g.nnodes % 2])
                    """,
                    env={**os.environ, "TMPDIR": folder},
                )
                child = int(p.stdout.readline())
                time.sleep(rng.random() * 0.1)
                p.kill()
                p.wait()
                p.stdout.close()
                self.assertTrue(gone(child), i)
            self.assertEqual(os.listdir(folder), [])
            self.assertEqual(set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set(), before)

    def test_exits(self):
        """The server ends with Python, by whichever way: also while a thread waits for an endless run."""
        for ending, status in [("", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("raise KeyError", 1), ("os.kill(os.getpid(), 15)", -15), ("os.abort()", -6)]:
            p = python(
                f"""
                import irgl, os, sys, threading, time
                from irgl import _client
                g, p = irgl.Graph.generate("path:3"), irgl.compile({ENDLESS!r})
                def work():
                    try:
                        p.run(g, device="interp")
                    except irgl.ServerError:
                        pass
                threading.Thread(target=work, daemon=True).start()
                time.sleep(0.05)
                print(_client.server().child, flush=True)
                {ending}
                """,
                stderr=subprocess.DEVNULL,
            )
            child = int(p.stdout.readline())
            self.assertEqual(p.wait(PATIENCE), status, ending)
            p.stdout.close()
            self.assertTrue(gone(child), ending)

    def test_terminal(self):
        """An interrupt of the terminal goes to the whole group of processes, and ends only the run."""
        p = python(
            f"""
            import irgl
            g, p = irgl.Graph.generate("path:3"), irgl.compile({ENDLESS!r})
            print("ready", flush=True)
            try:
                p.run(g, device="interp")
            except KeyboardInterrupt:
                print(irgl.bfs(g, source=0).level.tolist())
            """,
            process_group=0,
        )
        self.assertEqual(p.stdout.readline(), "ready\n")
        time.sleep(0.3)
        os.killpg(p.pid, signal.SIGINT)
        self.assertEqual(p.communicate(timeout=PATIENCE)[0], "[0, 1, 2]\n")


class Forks(unittest.TestCase):
    def test_fork(self):
        """A forked child has a server of its own, and does not keep its parent's alive, or disturb it."""
        g = irgl.Graph.generate("path:4")
        r = irgl.bfs(g, source=0)
        parent = _client.server().child
        in_, out = os.pipe()
        done, end = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            os.close(end)
            try:
                try:
                    irgl.bfs(g, source=0)
                except irgl.ServerError as err:
                    status = 0 if "forked" in str(err) else 2
                if r.level.tolist() != [0, 1, 2, 3]:
                    status = 3
                h = irgl.Graph.generate("path:3")
                if _client.server().child == parent or irgl.bfs(h, source=0).level.tolist() != [0, 1, 2]:
                    status = 4
                del g, r, h
                gc.collect()
                irgl.stop()
                os.write(out, b"x")
                os.read(done, 1)  # while the parent stops its own, or is gone
            finally:
                os._exit(status)
        os.read(in_, 1)
        self.assertEqual(irgl.bfs(g, source=0).level.tolist(), [0, 1, 2, 3])
        start = time.monotonic()
        irgl.stop()
        self.assertLess(time.monotonic() - start, 7)  # it ends by itself: after 8 seconds it would be killed
        self.assertTrue(gone(parent))
        os.write(end, b"x")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        for d in (in_, out, done, end):
            os.close(d)

    def test_rows(self):
        """What a forked child inherits makes no requests of its parent's server."""
        r = irgl.mst(irgl.Graph.generate("path:4"))
        pipe = _client.server()._in
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                with tempfile.TemporaryFile() as f:
                    os.dup2(f.fileno(), pipe)  # the number that the pipe had
                    signal.alarm(PATIENCE)
                    try:
                        r.rows()
                    except irgl.ServerError as err:
                        status = 0 if "forked" in str(err) and os.fstat(pipe).st_size == 0 else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertEqual(len(r.rows().targets), 6)

    def test_multiprocessing(self):
        import multiprocessing

        irgl.Graph.generate("path:4")  # there is a server already
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(components, [2, 3, 4]), [1, 1, 1])


def components(n):
    return irgl.cc(irgl.Graph.generate(f"path:{n}")).components


class Command(unittest.TestCase):
    def test_module(self):
        """python -m irgl is the command, with its exit status."""
        run = subprocess.run([sys.executable, "-m", "irgl", "run", "bfs", "--gen", "path:4", "--source", "0"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("level: set on 4 of 4", run.stdout)
        run = subprocess.run([sys.executable, "-m", "irgl", "run", "bfd"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)

    def test_missing(self):
        p = python("import irgl\ntry:\n irgl.devices()\nexcept FileNotFoundError as err:\n print(err)", env={**os.environ, "IRGL_BINARY": "/nowhere"})
        self.assertIn("hint: ", p.communicate(timeout=PATIENCE)[0])

    def test_wrong_replies(self):
        """What is no reply ends the server, and what waits for one hears of it."""
        script = f"""\
            #!{sys.executable}
            import os, struct, sys
            sys.path[:0] = {sys.path!r}
            from irgl import _cbor
            while length := sys.stdin.buffer.read(4):
                m = _cbor.loads(sys.stdin.buffer.read(struct.unpack("<I", length)[0]))
                said = _cbor.dumps({{"id": m["id"], "protocol": [1, 3], "irgl": "x"}})
                if m["do"] != "hello":
                    said = {{"no id": _cbor.dumps({{"error": None}}), "list": _cbor.dumps([1]), "tag": b"\\xc0\\x01", "long": b"x" * (2 << 20)}}[os.environ["SAID"]]
                sys.stdout.buffer.write(struct.pack("<I", len(said)) + said)
                sys.stdout.flush()
            """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "server")
            with open(path, "w") as f:
                f.write(textwrap.dedent(script))
            os.chmod(path, 0o755)
            for said in ("no id", "list", "tag", "long"):
                p = python("import irgl\ntry:\n irgl.devices()\nexcept irgl.ServerError as err:\n print(err)", env={**os.environ, "IRGL_BINARY": path, "SAID": said})
                try:
                    self.assertIn("cannot be read", p.communicate(timeout=PATIENCE)[0], said)
                finally:
                    p.kill()

    def test_log(self):
        """Of a long log, the beginning and the end are shown: the reason comes first."""
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as f:
            f.write("#!/bin/sh\necho reason >&2\nhead -c 100000 /dev/zero | tr '\\\\0' x >&2\necho last >&2\nexit 3\n")
        os.chmod(f.name, 0o755)
        try:
            p = python("import irgl\ntry:\n irgl.devices()\nexcept irgl.ServerError as err:\n print(err)", env={**os.environ, "IRGL_BINARY": f.name})
            said = p.communicate(timeout=PATIENCE)[0]
            self.assertRegex(said, r"(?s)reason.*last")
            self.assertLess(len(said), 10000)
        finally:
            os.unlink(f.name)

    def test_not_a_server(self):
        """What is no server is an error, and not a hang."""
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as f:
            f.write("#!/bin/sh\necho trouble >&2\nexit 3\n")
        os.chmod(f.name, 0o755)
        try:
            p = python("import irgl\ntry:\n irgl.devices()\nexcept irgl.ServerError as err:\n print(err)", env={**os.environ, "IRGL_BINARY": f.name})
            self.assertRegex(p.communicate(timeout=PATIENCE)[0], r"(?s)status 3.*trouble")
        finally:
            os.unlink(f.name)


if __name__ == "__main__":
    unittest.main()
