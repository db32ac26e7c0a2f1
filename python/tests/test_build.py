"""Wheels: their files, their list, and the tag that says which C library they need."""

import base64
import configparser
import hashlib
import importlib.util
import os
import sys
import tempfile
import types
import unittest
import unittest.mock
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def load():
    spec = importlib.util.spec_from_file_location("build_irgl", HERE / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wheels(unittest.TestCase):
    def test_write(self):
        build = load()
        build.version = lambda: "7.8"
        contents = {"irgl/b.py": (b"b" * 1000, 0o644), "irgl/bin/irgl": (b"\x7fELF", 0o755), "irgl-7.8.dist-info/WHEEL": (b"w", 0o644)}
        with tempfile.TemporaryDirectory() as folder:
            one, two = Path(folder) / "one.whl", Path(folder) / "two.whl"
            build.write(one, contents)
            build.write(two, dict(reversed(contents.items())))
            self.assertEqual(one.read_bytes(), two.read_bytes())
            self.assertEqual(sorted(os.listdir(folder)), ["one.whl", "two.whl"])
            with zipfile.ZipFile(one) as z:
                self.assertIsNone(z.testzip())
                names = z.namelist()
                self.assertTrue(names[-1].startswith("irgl-7.8.dist-info/"))
                self.assertEqual(z.getinfo("irgl/bin/irgl").external_attr >> 16 & 0o777, 0o755)
                rows = [line.split(",") for line in z.read("irgl-7.8.dist-info/RECORD").decode().splitlines()]
                self.assertEqual(sorted(r[0] for r in rows), sorted(names))
                for name, digest, size in rows:
                    if name.endswith("RECORD"):
                        self.assertEqual((digest, size), ("", ""))
                        continue
                    want = base64.urlsafe_b64encode(hashlib.sha256(z.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), (f"sha256={want}", len(z.read(name))))

    def test_networkx(self):
        """The wheel of nx_irgl has its entry points, and no command."""
        if not (HERE / "nx_irgl").is_dir():
            self.skipTest("this is no checkout")
        build = load()
        contents = build.nx_files()
        self.assertIn("_nx_irgl.py", contents)
        self.assertIn("nx_irgl/interface.py", contents)
        parser = configparser.ConfigParser()
        parser.read_string(contents[f"nx_irgl-{build.version()}.dist-info/entry_points.txt"][0].decode())
        for group in ("networkx.backends", "networkx.backend_info"):
            module = parser[group]["irgl"].partition(":")[0]
            self.assertTrue({module.replace(".", "/") + ".py"} <= contents.keys(), module)

    def test_environment(self):
        """What Go builds does not depend on the caller's choice of instructions."""
        build = load()
        caught = []
        build.subprocess = types.SimpleNamespace(run=lambda command, **options: caught.append(options["env"]))
        with unittest.mock.patch.dict(os.environ, {"GOAMD64": "v3", "GOEXPERIMENT": "x", "GOFLAGS": "-race"}):
            build.build_binary("linux", "amd64", Path("to"))
        self.assertEqual([caught[0][name] for name in ("GOAMD64", "GOEXPERIMENT", "GOFLAGS", "CGO_ENABLED")], ["v1", "", "", "0"])

    @unittest.skipUnless(sys.platform == "linux", "binaries of Linux are looked at")
    def test_glibc(self):
        build = load()
        newest = max(build.glibc(Path(path).read_bytes()) for path in (os.path.realpath(sys.executable), "/bin/sh"))
        self.assertTrue((2, 2) < newest <= tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))), newest)
        self.assertEqual(build.tag("linux", "x86_64", Path("/bin/sh").read_bytes()), "manylinux_{}_{}_x86_64".format(*max(build.glibc(Path("/bin/sh").read_bytes()), (2, 17))))
        self.assertEqual(build.tag("darwin", build.PLATFORMS["macos-arm64"][2], b""), "macosx_12_0_arm64")
        with self.assertRaises(SystemExit):
            build.glibc(b"MZ")


if __name__ == "__main__":
    unittest.main()
