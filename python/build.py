"""Builds wheels of irgl, and that of nx_irgl, into python/dist: python3 python/build.py [PLATFORM...]

A platform is one of those below; without one it is this machine's. A wheel is the package with the command for
the platform inside, which Go builds from this checkout: it needs Go and git. nx_irgl is Python alone, for all platforms. The same
checkout gives the same bytes.

A wheel is a zip file with a list of its files, so it is written here: a build backend would have to be told what the
binary is, which tag it has, and to leave the time out, in as many lines, and be downloaded first.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# The platforms: Go's names, and the tag; that of Linux ends with the C library that the binary needs.
PLATFORMS = {
    "linux-x86_64": ("linux", "amd64", "x86_64"),
    "linux-aarch64": ("linux", "arm64", "aarch64"),
    "macos-arm64": ("darwin", "arm64", "macosx_{}_arm64"),
    "windows-x86_64": ("windows", "amd64", "win_amd64"),
}
# Go 1.26 supports macOS from 12 on.
MACOS = "12_0"
# The time of all files: zip has none before.
TIME = (1980, 1, 1, 0, 0, 0)


def here() -> str:
    """The name of this machine's platform."""
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(platform.system(), platform.system())
    machine = {"AMD64": "x86_64", "arm64": "arm64" if system == "macos" else "aarch64"}.get(platform.machine(), platform.machine())
    return f"{system}-{machine}"


def build_binary(system: str, machine: str, to: Path) -> None:
    """Builds the command for a platform."""
    own = {"CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine, "GOAMD64": "v1", "GOARM64": "v8.0", "GOFLAGS": "", "GOEXPERIMENT": "", "GOFIPS140": "off", "GODEBUG": ""}
    env = {**os.environ, **own}  # what would change the bytes is not the caller's
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", str(to), "./cmd/irgl"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def glibc(binary: bytes) -> tuple[int, int]:
    """The version of glibc that a 64-bit ELF file needs: the newest of its symbols' versions. (0, 0) for a static one."""
    if binary[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("the command is not a 64-bit ELF file")
    offset, size, count = struct.unpack_from("<Q", binary, 40)[0], *struct.unpack_from("<HH", binary, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", binary, offset + i * size) for i in range(count)]
    versions = [(0, 0)]
    for _, kind, _, _, at, _, link, info, _, _ in sections:
        if kind != 0x6FFFFFFE:  # the versions that are needed
            continue
        strings = sections[link][4]
        for _ in range(info):
            _, entries, _, aux, following = struct.unpack_from("<HHIII", binary, at)
            here = at + aux
            for _ in range(entries):
                _, _, _, name, after = struct.unpack_from("<IHHII", binary, here)
                text = binary[strings + name : binary.index(b"\0", strings + name)].decode()
                if match := re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", text):
                    versions.append((int(match[1]), int(match[2])))
                here += after
            at += following
    return max(versions)


def tag(system: str, form: str, binary: bytes) -> str:
    """The wheel's tag of the platform."""
    if system == "linux":
        major, minor = max(glibc(binary), (2, 17))
        return f"manylinux_{major}_{minor}_{form}"
    return form.format(MACOS)


def version() -> str:
    match = re.search(r'__version__ = "([^"]+)"', (HERE / "irgl" / "_version.py").read_text())
    assert match
    return match[1]


def metadata() -> str:
    """The METADATA of the package."""
    return f"""Metadata-Version: 2.4
Name: irgl
Version: {version()}
Summary: Graph algorithms on GPUs and CPUs: numpy and scipy in, arrays out
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: numpy>=1.26
Description-Content-Type: text/markdown

""" + (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def nx_metadata() -> str:
    """The METADATA of nx_irgl."""
    return f"""Metadata-Version: 2.4
Name: nx-irgl
Version: {version()}
Summary: NetworkX's functions by irgl
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: irgl=={version()}
Requires-Dist: networkx>=3.4
Description-Content-Type: text/markdown

""" + (ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")


NX_ENTRY_POINTS = """[networkx.backends]
irgl = nx_irgl.interface

[networkx.backend_info]
irgl = _nx_irgl:get_info
"""


def sources(*paths: str) -> dict[str, tuple[bytes, int]]:
    """The files of a package in this checkout."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *paths], cwd=HERE, check=True, capture_output=True, text=True)
    return {name: ((HERE / name).read_bytes(), 0o644) for name in listed.stdout.splitlines() if (HERE / name).exists()}


def nx_files() -> dict[str, tuple[bytes, int]]:
    """The files of the wheel of nx_irgl but for its list."""
    info = f"nx_irgl-{version()}.dist-info"
    return {
        **sources("nx_irgl", "_nx_irgl.py"),
        f"{info}/METADATA": (nx_metadata().encode(), 0o644),
        f"{info}/WHEEL": (b"Wheel-Version: 1.0\nGenerator: irgl\nRoot-Is-Purelib: true\nTag: py3-none-any\n", 0o644),
        f"{info}/entry_points.txt": (NX_ENTRY_POINTS.encode(), 0o644),
        f"{info}/licenses/LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
    }


def files(binary: bytes, system: str, wheel_tag: str) -> dict[str, tuple[bytes, int]]:
    """The files of a wheel but for its list: their contents and modes."""
    out = sources("irgl")
    out["irgl/bin/irgl.exe" if system == "windows" else "irgl/bin/irgl"] = binary, 0o755
    info = f"irgl-{version()}.dist-info"
    out[f"{info}/METADATA"] = metadata().encode(), 0o644
    out[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: irgl\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n".encode(), 0o644
    out[f"{info}/entry_points.txt"] = b"[console_scripts]\nirgl = irgl.__main__:main\n", 0o644
    out[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes(), 0o644
    return out


def write(path: Path, contents: dict[str, tuple[bytes, int]]) -> None:
    """Writes a wheel, complete or not at all."""
    record = next(name for name in contents if name.endswith(".dist-info/WHEEL")).removesuffix("WHEEL") + "RECORD"
    lines = []
    for name, (data, _) in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    contents = {**contents, record: ("".join([*lines, f"{record},,\n"]).encode(), 0o644)}
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name in sorted(contents, key=lambda n: (".dist-info/" in n, n)):
            data, mode = contents[name]
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3  # Unix, whose modes these are
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    part.replace(path)


def build(name: str, to: Path) -> Path:
    """Builds the wheel of a platform and returns its path."""
    system, machine, form = PLATFORMS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "irgl"
        build_binary(system, machine, path)
        binary = path.read_bytes()
    wheel_tag = f"py3-none-{tag(system, form, binary)}"
    to.mkdir(parents=True, exist_ok=True)
    wheel = to / f"irgl-{version()}-{wheel_tag}.whl"
    write(wheel, files(binary, system, wheel_tag))
    return wheel


def main() -> int:
    parser = argparse.ArgumentParser(description="Build wheels of irgl.")
    parser.add_argument("platform", nargs="*", help=f"one of {', '.join(PLATFORMS)}, or all (default: this machine's)")
    parser.add_argument("--to", type=Path, default=HERE / "dist", help="the folder of the wheels (default: python/dist)")
    args = parser.parse_args()
    names = list(PLATFORMS) if args.platform == ["all"] else args.platform or [here()]
    for name in names:
        if name not in PLATFORMS:
            parser.error(f"there is no platform {name}: there are {', '.join(PLATFORMS)}")
    wheels = [build(name, args.to) for name in names]
    wheels.append(args.to / f"nx_irgl-{version()}-py3-none-any.whl")
    write(wheels[-1], nx_files())
    for wheel in wheels:
        print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
