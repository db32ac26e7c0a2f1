"""Everything that has to do with a mesh, with locks and with barriers: triangles
marked as bad get a point in their middle, as in Delaunay refinement (report,
Listings 2 and 4), without the care for shape that a real one takes."""

from irgl.lang import (
    WL, Element, Node, Output, Point, array, atomic, atomicAdd, c_block, element, exclusive, float32, function, graph, host,
    int32, invoke, iterate, kernel, launch_bounds, local_barrier, mesh, names, pipe, printf, rem, respawn, retry,
    sync_running_threads,
)

names("TRACE")
c_block("#define TRACE 0", reads=[], writes=[])

lock: int = 0
split: Output[int] = 0
tries: Output[int] = 0
todo: array[int, 8]


@mesh
class tri:
    requires = ["delaunay"]
    bad: Output[Element[int]] = 1
    height: Output[Point[float]] = 0.0
    shades: Element[array[float32, 3]]
    racy = {"deleted": "only the winner of a triangle deletes it"}


@graph
class net:
    mark: Output[Node[int]] = 0


@function
def middle(t: element) -> float:
    return (t.points[0].x + t.points[1].x + t.points[2].x) / 3


@kernel
@launch_bounds(256, 2)
def refine(tri):
    global split
    for i in WL:
        t: element = WL.pop(i)
        cavity: array[int, 4]
        size = 0
        for k in range(3):
            if t.neighbors[k] >= 0:
                cavity[size] = t.neighbors[k]
                size += 1
        cavity[size] = t
        if exclusive(tri, cavity[: size + 1]):
            p = tri.add_point(middle(t), t.points[0].y)
            p.height = 1.5
            tri.add_element(t.points[0], t.points[1], p)
            t.deleted = True
            t.shades[2] = 0.5
            with atomic(lock):
                split += 1
        else:
            retry(t, merge=True)
        sync_running_threads()
        with exclusive(tri.points, cavity[0:size:2], 1, cavity):
            t.bad = 0
        local_barrier()
        if TRACE > 0:
            c_block("atomicAdd(&graph.bad[t], __popc(size));", reads=[size], writes=["bad"])


@kernel
def again(net, tri):
    for n in net.nodes:
        with exclusive(net, 1, todo):
            n.mark = 1
    for t in tri.elements:
        if t.bad == 2:
            if atomic(lock):
                atomicAdd(tries, 1)
            else:
                WL.push(t)
    for i in WL:
        n = WL.pop(i)
        if rem(n, 2) == 1:
            respawn(n)


@host
def main(n: int32 = 3):
    for i in range(8):
        todo[i] = i
    with pipe(once=True, initial=[todo[:n]], size=2 * n):
        invoke(refine, tri)
    with pipe(initial=[7, todo[1:n:2]]):
        invoke(refine, tri)
    iterate(again, net, tri, initial=[n], size=10, and_=tries < 100)
    for t in tri.elements:
        for k in range(3):
            printf("%d %g\n", t.neighbors[k], t.points[k].x)
