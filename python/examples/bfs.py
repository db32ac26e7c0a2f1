"""Breadth-first search, level by level (IrGL paper, Listing 3)."""

from irgl.lang import INF, WL, Node, Output, graph, host, iterate, kernel, node


@graph
class roads:
    level: Output[Node[int]] = INF
    racy = {"level": "all writers of a call store the same LEVEL, and a node pushed twice is only looked at twice"}


@kernel
def BFS(roads, LEVEL: int):
    """Gives the neighbours of every node in the worklist their level."""
    for i in WL:
        n = WL.pop(i)
        for e in n.edges:
            if e.dst.level == INF:
                e.dst.level = LEVEL
                WL.push(e.dst.id)


@host
def bfs(src: node):
    src.level = 0
    LEVEL = 1
    with iterate(BFS, roads, LEVEL, initial=[src]):
        LEVEL += 1
