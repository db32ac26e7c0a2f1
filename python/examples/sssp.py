"""Single-source shortest paths: only nodes whose distance fell in the last
round are looked at. Weights must not be negative."""

from irgl.lang import INF, WL, Node, Output, atomicExch, atomicMin, graph, host, iterate, kernel, node


@graph
class roads:
    requires = ["weights"]
    dist: Output[Node[int]] = INF
    seen: Node[int] = 0
    racy = {"dist": "a distance read too early is too large, and whoever lowers it pushes the node again"}


@kernel
def relax(roads, ROUND: int):
    for i in WL:
        n = WL.pop(i)
        near = n.dist
        for e in n.edges:
            d = near + e.weight
            if d < e.dst.dist and d < atomicMin(e.dst.dist, d):
                # Push each node once a round, however often its distance falls.
                if atomicExch(e.dst.seen, ROUND) != ROUND:
                    WL.push(e.dst.id)


@host
def sssp(src: node):
    src.dist = 0
    ROUND = 1
    with iterate(relax, roads, ROUND, initial=[src]):
        ROUND += 1
