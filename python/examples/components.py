"""Weakly connected components by label propagation, with everything else that
the front end has: constants, globals, functions, reductions, pipes, ranges."""

from irgl.lang import (
    Node, Output, array, atomicAdd, div, function, graph, host, int64, invoke, iterate, kernel, node, pipe, printf,
    reduce_and_return, rem, serial,
)

BUCKETS = 4

rounds: Output[int] = 0
total: Output[int64] = 0
histogram: Output[array[int, BUCKETS]]


@graph
class net:
    requires = ["symmetric"]
    label: Output[Node[node]] = id
    share: Node[float] = 0.0
    racy = {"label": "labels only fall, and a round that lowers one asks for another"}


@function
def bucket(degree: int) -> int:
    """The bucket of a degree: its binary logarithm, up to a limit."""
    for b in range(1, BUCKETS):
        if degree < 1 << b:
            return b - 1
    return BUCKETS - 1


@kernel
def spread(net):
    for n in net.nodes:
        low: int = n.label
        for e in serial(n.edges):
            low = min(low, int(e.dst.label))
        if low < n.label:
            n.label = low
            reduce_and_return(True)


@kernel
def measure(net, scale):
    for n in net.nodes:
        atomicAdd(histogram[bucket(n.degree)], 1)
        atomicAdd(total, int64(n.degree))
        n.share = n.degree / scale if n.degree > 0 and not n.label == n else 0.0


@host
def main(scale: int = 8):
    global rounds
    for _ in iterate(spread, net, while_=any):
        rounds += 1
        if rounds >= 1000:
            break
    with pipe(once=True):
        invoke(measure, net, scale)
    if any(invoke(spread, net)):
        printf("not finished: %d\n", rem(rounds, 7))
    else:
        for i in range(BUCKETS - 1, -1, -1):
            printf("%d nodes of degree %d, a half is %d\n", histogram[i], 1 << i, div(histogram[i], 2))
