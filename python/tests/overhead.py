"""What a call costs, and how fast arrays are copied in: python3 -m tests.overhead, in the folder above. Not a test: it only measures."""

import time

import numpy as np

import irgl


def best(f, repeat=7, number=1):
    """The least time of a call, in seconds."""
    least = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            f()
        least = min(least, (time.perf_counter() - start) / number)
    return least


def main():
    g = irgl.Graph.generate("grid:10:10:wmax=0")
    r = irgl.bfs_st(g, source=0)
    took = best(lambda: irgl.bfs_st(g, source=0).level, number=300)
    print(f"bfs_st on 100 nodes: {took * 1e6:.0f} us a call, of which the run {r.stats.run_ms * 1e3:.0f} us")

    n = 32 << 20
    offsets, targets = np.array([0, n], dtype=np.int64), np.zeros(n, dtype=np.int32)
    long = targets.astype(np.int64)
    copy = np.empty_like(targets)
    print(f"numpy.copyto, {targets.nbytes >> 20} MiB: {targets.nbytes / best(lambda: np.copyto(copy, targets)) / 1e9:.1f} GB/s")
    from irgl import _copying
    from irgl._client import server
    from irgl._graph import _copied

    s = server()
    print(f"the same in threads: {targets.nbytes / best(lambda: _copying.copy('', copy, targets)) / 1e9:.1f} GB/s")
    start = time.perf_counter()
    first = _copied(s, "", targets, targets.dtype)
    print(f"to shared memory, new pages: {targets.nbytes / (time.perf_counter() - start) / 1e9:.1f} GB/s")
    del first
    time.sleep(1)
    again = best(lambda: _copied(s, "", targets, targets.dtype))
    print(f"to shared memory, pages that were used before: {targets.nbytes / again / 1e9:.1f} GB/s")
    print(f"from int64: {targets.nbytes / best(lambda: _copied(s, '', long, targets.dtype)) / 1e9:.1f} GB/s")
    print(f"Graph.from_csr, checked by the server: {targets.nbytes / best(lambda: irgl.Graph.from_csr(offsets, targets)) / 1e9:.1f} GB/s")


if __name__ == "__main__":
    main()
