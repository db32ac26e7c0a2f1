"""The devices of this machine."""

from dataclasses import dataclass

from ._client import server


@dataclass(frozen=True)
class Device:
    """A device that programs can run on."""

    device: str
    """As the option device takes it: "cuda:0", "cpu", "interp", "simt"."""
    name: str
    detail: str


def devices() -> list[Device]:
    """The devices of this machine: GPUs first, then those that are always there."""
    return [Device(**d) for d in server().request("devices")["devices"]]
