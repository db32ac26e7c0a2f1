"""Graphs, which the server keeps."""

import math
import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _copying
from ._arena import Lease, leased
from ._arrow import Columns
from ._client import Progress, Server, server
from .errors import ArgumentError, GraphError, OutOfMemoryError, ServerError

# The types of the server's own arrays: others are converted on the way.
_OFFSETS, _NODES, _WEIGHTS, _REALS = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.int32), np.dtype(np.float64)
_MOST_NODES = 2**31 - 1


class Rows(NamedTuple):
    """The rows of a graph, as scipy.sparse.csr_array has them: the edges of node v are those from offsets[v] to offsets[v + 1]."""

    offsets: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int32] | npt.NDArray[np.float64] | None
    """None for a graph without weights."""
    names: npt.NDArray[np.uint64] | None
    """The numbers of the nodes in the graph's file; None if they are those from 0 on."""

    @property
    def sources(self) -> npt.NDArray[np.int32]:
        """The node that each edge leaves, in a new array."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))


@dataclass(frozen=True)
class Statistics:
    """Facts about a graph. Degrees are numbers of edges that leave a node; components are weakly connected."""

    nodes: int
    edges: int
    self_loops: int
    duplicates: int
    """Edges beyond the first from one node to one other."""
    symmetric: bool
    sorted: bool
    min_degree: int
    max_degree: int
    mean_degree: float
    isolated: int
    """Nodes without edges in or out."""
    components: int
    largest_component: int
    weight_min: float
    """All 0 for a graph without weights."""
    weight_max: float
    weight_sum: float


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.int32) -> npt.NDArray[Any]:
    """An array of zeros in memory that is shared with the server: a graph of it is made without a copy.

    The memory is given back when the array, its views, and the graphs made of it are gone.
    """
    kind = np.dtype(dtype)
    if kind.hasobject or kind.subdtype is not None or kind.itemsize == 0:
        raise ArgumentError(f"arrays of {kind} are in no memory that can be shared")
    try:
        dimensions = tuple(operator.index(d) for d in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        raise ArgumentError(f"an array of shape {shape}") from None
    if min(dimensions, default=0) < 0:
        raise ArgumentError(f"an array of shape {shape}")
    s = server()
    count = math.prod(dimensions)
    if count * kind.itemsize > s.arena.size:
        raise OutOfMemoryError(f"{count * kind.itemsize} bytes of shared memory: there are at most {s.arena.size}")
    return _room(s, s.request("room", making=True, size=count * kind.itemsize), kind, dimensions)


def _room(s: Server, reply: dict[str, Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return s.arena.array(reply["at"], dtype, shape, s.lease(reply["as"]), writable=True)


def _copied(s: Server, name: str, a: npt.NDArray[Any], dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], int]:
    """A copy of an array in the arena, with the type of the server's own, and where it is."""
    r = s.request("room", making=True, size=len(a) * dtype.itemsize, lazy=s.arena.populates)
    room = _room(s, r, dtype, a.shape)
    _copying.copy(name, room, a, _copying.Fresh(s.arena, r["at"]) if s.arena.populates and not r["dirty"] else None)
    return room, r["at"]


class Graph:
    """A directed graph that the server keeps, with or without weights of edges. It does not change.

    Make one by from_edges, from_csr, from_scipy, from_table, from_file or generate. It is given back when nothing refers to it any
    more, or at the end of a with statement. Several threads may use it at once.
    """

    def __init__(self, s: Server, reply: dict[str, Any], copied: int) -> None:
        self._server = s
        self._lease: Lease | None = s.lease(reply["as"])
        self.nnodes: int = reply["nodes"]
        """The number of nodes."""
        self.nedges: int = reply["edges"]
        """The number of directed edges; an undirected edge is two."""
        self.weights: str = reply["weights"]
        """The type of the weights, "int32" or "float64"; "" for a graph without weights."""
        self.named: bool = reply["named"]
        """Whether the nodes have other numbers than those from 0 on: arrays() has them."""
        self.notes: list[str] = reply["notes"] or []
        """What a reader of the file may not expect."""
        self.bytes_copied: int = copied
        """The bytes of arrays that were copied to make it."""
        self.labels: npt.NDArray[Any] | None = None
        """The labels of the nodes, by their numbers, of a graph that from_table made of labels; None for others."""
        self._numbers: dict[Any, int] | None = None  # of labels

    @classmethod
    def from_edges(
        cls, sources: npt.ArrayLike, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, nodes: int | None = None,
        symmetrize: bool = False,
    ) -> "Graph":
        """A graph of arrays of edges: edge i leads from sources[i] to targets[i], two nodes counted from 0.

        nodes is their number, one more than the largest that appears if it is not given. Weights are integers of 32 bits,
        or floats. symmetrize adds the reverse of every edge, and drops self-loops and all but the lightest of several edges
        between two nodes. GraphError for nodes or weights out of range. Each array is copied once, but for those of
        irgl.empty and of results with the type of the server (nodes int32, weights int32 or float64).
        """
        src, dst = _integers("sources", sources), _integers("targets", targets)
        if nodes is None:
            nodes = 1 + max((int(a.max()) for a in (src, dst) if len(a)), default=-1)
        return cls._of_arrays({"sources": (src, _NODES), "targets": (dst, _NODES)}, weights, nodes, symmetrize=symmetrize)

    @classmethod
    def from_csr(cls, offsets: npt.ArrayLike, targets: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> "Graph":
        """A graph of its rows: the edges of node v lead to targets[offsets[v]:offsets[v + 1]].

        There is one offset more than nodes. Weights are integers of 32 bits, or floats. GraphError for arrays that do not fit each other.
        Each is copied once, but for those of irgl.empty and of results with the types of the server (offsets int64, targets
        int32, weights int32 or float64): these are used in place, and become read-only, with the arrays that they are views of.
        Other views of the same memory stay as they are, and must not be written.
        """
        rows, dst = _integers("offsets", offsets), _integers("targets", targets)
        if len(rows) == 0:
            raise GraphError("there are no offsets: a graph without nodes has one, which is 0")
        return cls._of_arrays({"offsets": (rows, _OFFSETS), "targets": (dst, _NODES)}, weights, len(rows) - 1)

    @classmethod
    def from_scipy(cls, matrix: Any, *, weighted: bool = True) -> "Graph":
        """A graph of a square scipy.sparse matrix or array: element [u, v] is the weight of an edge from u to v.

        The formats csr, csc and coo are taken as they are, others by way of csr; elements that are stored and zero are edges. weighted=False
        leaves the weights out. A matrix of booleans has none.
        """
        shape: tuple[int, ...] = getattr(matrix, "shape", ())
        form = getattr(matrix, "format", None)
        if len(shape) != 2 or shape[0] != shape[1] or form is None:
            raise ArgumentError(f"a graph is a square sparse matrix, not {type(matrix).__name__} of shape {shape}")
        if form not in ("csr", "csc", "coo"):
            matrix, form = matrix.tocsr(), "csr"
        values = matrix.data if weighted and matrix.data.dtype.kind != "b" else None
        if form == "coo":
            row, col = matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)
            return cls.from_edges(row, col, values, nodes=shape[0])
        used = int(matrix.indptr[-1])  # there may be room for more behind
        values = values[:used] if values is not None else None
        arrays: dict[str, tuple[npt.NDArray[Any], np.dtype[Any]]] = {"offsets": (matrix.indptr, _OFFSETS), "targets": (matrix.indices[:used], _NODES)}
        return cls._of_arrays(arrays, values, shape[0], transpose=form == "csc")

    @classmethod
    def from_table(
        cls, table: Any, source: str = "source", target: str = "target", weight: str | None = None, *, nodes: int | None = None, labelled: bool = False,
        symmetrize: bool = False,
    ) -> "Graph":
        """A graph of a table with a row for each edge: a pyarrow, polars or pandas table, or any other with Arrow's C stream interface or columns by name.

        source, target and weight name the columns. Columns of integers have the numbers of nodes, counted from 0. Columns of strings, or of any
        integers with labelled=True, have labels: the nodes are numbered in the order in which the labels appear in the column of sources and then
        in that of targets, and the graph's labels and node() say which is which. Weights, nodes and symmetrize are those of from_edges. GraphError for a row
        without a value. Each column is copied once.
        """
        names = [source, target] + ([weight] if weight is not None else [])
        with _columns(table, names) as columns:
            parts = [columns.chunks[name] for name in names]
            labels = None
            if labelled or any(a.dtype.kind == "O" for chunks in parts[:2] for a in chunks):
                parts[:2], labels = _numbered(parts[:2])
                nodes = len(labels) if nodes is None else nodes
                if nodes < len(labels):
                    raise GraphError(f"{nodes} nodes, and {len(labels)} labels")
            arrays: list[npt.NDArray[Any]] = []
            copied = 0
            for name, chunks in zip(names, parts):
                whole, n = _joined(name, chunks, _integers if len(arrays) < 2 else _one)
                arrays.append(whole)
                copied += n
            g = cls.from_edges(arrays[0], arrays[1], arrays[2] if weight is not None else None, nodes=nodes, symmetrize=symmetrize)
        g.bytes_copied += copied
        g.labels = labels
        return g

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], *, format: str = "", symmetrize: bool = False, progress: Callable[[Progress], object] | None = None,
    ) -> "Graph":
        """The graph in a file: Galois, DIMACS, SNAP or another edge list, Matrix Market, METIS, compressed or not (docs/graphs.md).

        The format is found by the content; format says which, where several fit. GraphError, with its line, for what cannot be read.
        """
        s = server()
        return cls(s, s.request("graph", making=True, progress=progress, path=os.path.abspath(os.fsdecode(path)), format=format, symmetrize=symmetrize), 0)

    @classmethod
    def generate(cls, spec: str, *, progress: Callable[[Progress], object] | None = None) -> "Graph":
        """A graph made by rule, such as "rmat:20:8", "road:512:512" or "grid:4:3:wmax=0": the same for the same text everywhere.

        The kinds and options are those of irgl graph gen (docs/graphs.md).
        """
        s = server()
        return cls(s, s.request("graph", making=True, progress=progress, generate=spec), 0)

    @classmethod
    def _of_arrays(
        cls, arrays: dict[str, tuple[npt.NDArray[Any], np.dtype[Any]]], weights: npt.ArrayLike | None, nodes: int, **options: bool,
    ) -> "Graph":
        if not 0 <= nodes <= _MOST_NODES:
            raise GraphError(f"{nodes} nodes: there are 0 to {_MOST_NODES}")
        if weights is not None:
            values = _one("weights", weights)
            if values.dtype.kind not in "biuf":
                raise ArgumentError(f"weights are integers or floats, not {values.dtype}")
            arrays["weights"] = (values, _REALS if values.dtype.kind == "f" else _WEIGHTS)
        s = server()
        args: dict[str, Any] = {}
        copied = 0
        kept, shared = [], []
        for name, (a, dtype) in arrays.items():
            at = leased(a, s.arena) if a.dtype == dtype else None
            if at is None:
                room, at = _copied(s, name, a, dtype)
                copied += room.nbytes
                kept.append(room)
            else:
                shared.append(a)
            args[name] = {"at": at, "type": dtype.name, "length": len(a)}
        r = s.request("graph", args | options, making=True, nodes=nodes, share=True)
        for a in shared:
            _freeze(a)
        return cls(s, r, copied + r["copied"])

    @property
    def _handle(self) -> int:
        if self._lease is None:
            raise ArgumentError("the graph is closed")
        if self._server.pid != os.getpid():
            raise ServerError("the graph is of the process that this one was forked from (hint: make it again here)")
        if not self._server.alive:
            raise ServerError("the graph was lost with the server that kept it (hint: make it again)")
        return self._lease.handle

    def node(self, label: Any) -> int:
        """The number of the node with a label; ArgumentError if there is none."""
        if self._numbers is None:
            self._numbers = {v: i for i, v in enumerate(self.labels.tolist())} if self.labels is not None else {}
        try:
            return self._numbers[label]
        except KeyError:
            raise ArgumentError(f"no node has the label {label!r}") from None

    def _derived(self, **options: Any) -> "Graph":
        g = Graph(self._server, self._server.request("graph", {"from": self._handle, **options}, making=True), 0)
        g.labels, g._numbers = self.labels, self._numbers
        return g

    def symmetrized(self) -> "Graph":
        """The graph with the reverse of every edge, without self-loops, and with the lightest of several edges between two nodes.

        Programs that need it do this by themselves."""
        return self._derived(symmetrize=True)

    def transposed(self) -> "Graph":
        """The graph with every edge reversed."""
        return self._derived(transpose=True)

    def with_random_weights(self, largest: int, *, seed: int = 0) -> "Graph":
        """The graph with random weights from 1 to largest, the same in both directions and for the same seed."""
        if largest < 1:
            raise ArgumentError(f"random weights up to {largest}: want 1 or more")
        return self._derived(random=largest, seed=seed)

    def statistics(self) -> Statistics:
        """Facts about the graph, found in some passes over it."""
        r = self._server.request("statistics", graph=self._handle)
        return Statistics(**{f: r[f.replace("_", "")] for f in Statistics.__dataclass_fields__})

    def arrays(self) -> Rows:
        """The rows of the graph, in new arrays in shared memory."""
        return rows_of(self._server, self._server.request("arrays", making=True, graph=self._handle))

    def to_scipy(self) -> Any:
        """The graph as a scipy.sparse.csr_array; edges without weights are 1."""
        import scipy.sparse

        rows = self.arrays()
        values = rows.weights if rows.weights is not None else np.ones(len(rows.targets), dtype=np.int32)
        return scipy.sparse.csr_array((values, rows.targets, rows.offsets), shape=(self.nnodes, self.nnodes))

    def close(self) -> None:
        """Gives the graph back now. Results stay."""
        self._lease = None

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<irgl.Graph of {self.nnodes} nodes and {self.nedges} edges" + (f", weights {self.weights}>" if self.weights else ">")


def rows_of(s: Server, reply: dict[str, Any]) -> Rows:
    """The arrays of a reply."""
    lease: Lease = s.lease(reply["as"])

    def array(ref: dict[str, Any]) -> Any:
        return s.arena.array(ref["at"], ref["type"], (ref["length"],), lease, writable=True)

    weights, names = reply["weights"], reply["names"]
    return Rows(array(reply["offsets"]), array(reply["targets"]), array(weights) if weights else None, array(names) if names else None)


class _Named:
    """The columns of a table without Arrow's interface: a mapping, or a structured array."""

    def __init__(self, table: Any, names: list[str]) -> None:
        self.chunks: dict[str, list[npt.NDArray[Any]]] = {}
        for name in names:
            try:
                a = _one(f"column {name!r}", table[name])
            except (TypeError, KeyError, IndexError, ValueError):
                raise ArgumentError(f"{type(table).__name__} has no column {name!r}") from None
            self.chunks[name] = [a.astype(object) if a.dtype.kind in "US" else _present(name, a)]

    def __enter__(self) -> "_Named":
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def _present(name: str, a: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array; an error if it has objects that are no labels."""
    for i, v in enumerate(a.tolist() if a.dtype.kind == "O" else []):
        if v is None or isinstance(v, float) and v != v:
            raise GraphError(f"column {name!r} has no value in row {i}")
        if not isinstance(v, (str, bytes, int, np.integer)):
            raise ArgumentError(f"column {name!r} has {v!r} in row {i}, and should have numbers or strings")
    return a


def _columns(table: Any, names: list[str]) -> "Columns | _Named":
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return Columns(table, names)
        except ImportError:  # pandas has the interface by pyarrow
            pass
    return _Named(table, names)


def _numbered(columns: list[list[npt.NDArray[Any]]]) -> tuple[list[list[npt.NDArray[Any]]], npt.NDArray[Any]]:
    """The numbers of labels, and the labels in the order in which they appear."""
    columns = [[a if a.dtype.kind == "O" else _integers("a column of labels", a) for a in c] for c in columns]
    chunks = [a for c in columns for a in c]
    if np.result_type(*chunks).kind not in "iu":  # but for strings, signed integers and unsigned ones of 64 bits
        number: dict[Any, int] = {}
        out = [[np.fromiter((number.setdefault(v, len(number)) for v in a.tolist()), dtype=_NODES, count=len(a)) for a in c] for c in columns]
        labels = np.empty(len(number), dtype=object)
        labels[:] = list(number)
        return out, labels
    whole = np.concatenate(chunks)
    values, first, at = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), dtype=_NODES)
    place[order] = np.arange(len(order), dtype=_NODES)
    numbers = place[at]
    middle = sum(len(a) for a in columns[0])
    return [[numbers[:middle]], [numbers[middle:]]], values[order]


def _joined(name: str, chunks: list[npt.NDArray[Any]], check: Callable[[str, npt.NDArray[Any]], npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], int]:
    """The parts of a column as one array, in shared memory if there are several, and the bytes that were copied for that."""
    what = f"column {name!r}"
    chunks = [check(what, a) for a in chunks if len(a) > 0]
    if len(chunks) < 2:
        return chunks[0] if chunks else np.empty(0, dtype=_NODES), 0
    kind = chunks[0].dtype.kind
    dtype = _REALS if kind == "f" else _NODES
    room = empty(sum(len(a) for a in chunks), dtype)
    at = 0
    for a in chunks:
        _copying.copy(what, room[at : at + len(a)], a, first=at)
        at += len(a)
    return room, room.nbytes


def _freeze(a: Any) -> None:
    """Makes an array read-only, and those that it is a view of."""
    while isinstance(a, np.ndarray):
        a.setflags(write=False)
        a = a.base


def _one(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    a = np.asarray(values)
    if a.ndim != 1:
        raise ArgumentError(f"{name} has {a.ndim} dimensions, and should have one")
    return a


def _integers(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    a = _one(name, values)
    if len(a) == 0:
        a = a.astype(np.int32)
    if a.dtype.kind not in "iu":
        raise ArgumentError(f"{name} has elements of type {a.dtype}, and should have integers")
    return a
