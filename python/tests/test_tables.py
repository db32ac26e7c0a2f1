"""Graphs of tables: by Arrow's C interface and by names of columns."""

import unittest

import numpy as np

import irgl

try:
    import pyarrow as pa
except ImportError:
    pa = None
try:
    import polars as pl
except ImportError:
    pl = None
try:
    import pandas as pd
except ImportError:
    pd = None

SOURCES, TARGETS, WEIGHTS = [0, 1, 2, 2], [1, 2, 3, 0], [5, 6, 7, 8]
NAMES = ["ann", "b", "a name that is too long for a view", "dörte"]


def edges(g):
    rows = g.arrays()
    return list(zip(rows.sources.tolist(), rows.targets.tolist(), rows.weights.tolist() if rows.weights is not None else [None] * g.nedges))


WANT = list(zip(SOURCES, TARGETS, WEIGHTS))
WANT.sort()


class Named(unittest.TestCase):
    def test_mapping(self):
        """A mapping of columns, and a structured array."""
        g = irgl.Graph.from_table({"a": SOURCES, "b": TARGETS, "w": WEIGHTS}, "a", "b", "w")
        self.assertEqual(sorted(edges(g)), WANT)
        self.assertIsNone(g.labels)
        a = np.array(list(zip(SOURCES, TARGETS)), dtype=[("source", "i8"), ("target", "u2")])
        self.assertEqual(sorted(e[:2] for e in edges(irgl.Graph.from_table(a, nodes=9))), [e[:2] for e in WANT])

    def test_labels(self):
        """Labels are numbered as they appear, first in the sources."""
        g = irgl.Graph.from_table({"source": ["x", "y", "x"], "target": ["z", "x", "y"]})
        self.assertEqual(g.labels.tolist(), ["x", "y", "z"])
        self.assertEqual(sorted(e[:2] for e in edges(g)), [(0, 1), (0, 2), (1, 0)])
        self.assertEqual(irgl.bfs(g, source=g.node("y")).level.tolist(), [1, 0, 2])
        self.assertEqual(g.symmetrized().node("z"), 2)
        with self.assertRaisesRegex(irgl.ArgumentError, "no node has the label 'q'"):
            g.node("q")
        g = irgl.Graph.from_table({"source": [70, 7, 70], "target": [9, 70, 7]}, labelled=True)
        self.assertEqual(g.labels.tolist(), [70, 7, 9])
        self.assertEqual(sorted(e[:2] for e in edges(g)), [(0, 1), (0, 2), (1, 0)])
        with self.assertRaisesRegex(irgl.ArgumentError, "label 70"):
            irgl.Graph.from_edges([0], [1]).node(70)

    def test_large(self):
        """Labels of 64 bits, with and without sign, stay apart."""
        g = irgl.Graph.from_table({"source": np.array([2**63 + 1, 2**63], "u8"), "target": np.array([-1, 5], "i8")}, labelled=True)
        self.assertEqual(g.labels.tolist(), [2**63 + 1, 2**63, -1, 5])

    def test_wrong(self):
        for table, names, error, text in [
            ({"source": ["a", None], "target": ["b", "c"]}, (), irgl.GraphError, "'source' has no value in row 1"),
            ({"source": ["a", "b"], "target": np.array([float("nan"), "c"], object)}, (), irgl.GraphError, "'target' has no value in row 0"),
            ({"source": ["a", "b"], "target": np.array(["c", 0.5], object)}, (), irgl.ArgumentError, "'target' has 0.5 in row 1"),
            ({"source": [0]}, (), irgl.ArgumentError, "dict has no column 'target'"),
            (7, (), irgl.ArgumentError, "int has no column 'source'"),
            ({"source": [0.5], "target": [1]}, (), irgl.ArgumentError, "elements of type float64, and should have integers"),
            ({"source": [-1], "target": [1]}, (), irgl.GraphError, "-1"),
            ({"source": [0, 1], "target": [1]}, (), irgl.GraphError, "2"),
            ({"source": [0], "target": [1], "w": ["heavy"]}, ("source", "target", "w"), irgl.ArgumentError, "weights are integers or floats"),
        ]:
            with self.assertRaisesRegex(error, text):
                irgl.Graph.from_table(table, *names)
        self.assertEqual(irgl.Graph.from_table({"source": [], "target": []}).nnodes, 0)


@unittest.skipIf(pa is None, "pyarrow is not here")
class Arrow(unittest.TestCase):
    def test_parts(self):
        """A table in parts, with slices and types of all sizes."""
        for kind in (pa.int8(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()):
            table = pa.table({"source": pa.chunked_array([SOURCES[:1], SOURCES[1:]], kind), "x": [0.5] * 4, "target": pa.array(TARGETS, kind), "w": WEIGHTS})
            self.assertEqual(sorted(edges(irgl.Graph.from_table(table, weight="w"))), WANT)
            sliced = edges(irgl.Graph.from_table(table.slice(1, 2), weight="w"))
            self.assertEqual(sliced, [e for e in WANT if e in zip(SOURCES[1:3], TARGETS[1:3], WEIGHTS[1:3])])
            batch = table.combine_chunks().to_batches()[0].slice(2)
            self.assertEqual(len(edges(irgl.Graph.from_table(batch))), 2)
        g = irgl.Graph.from_table(pa.table({"source": SOURCES, "target": TARGETS, "w": [0.5, 1, 2, 4]}), weight="w")
        self.assertEqual(g.weights, "float64")
        self.assertEqual(irgl.Graph.from_table(pa.table({"source": pa.array([], pa.int32()), "target": pa.array([], pa.int64())})).nnodes, 0)

    def test_strings(self):
        """Strings of each layout, short and long, in slices and dictionaries."""
        a, b = [NAMES[i] for i in SOURCES], [NAMES[i] for i in TARGETS]
        for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.large_string())):
            table = pa.table({"source": pa.array(["", *a]).cast(kind), "target": pa.array(["", *b]).cast(kind)}).slice(1)
            g = irgl.Graph.from_table(pa.concat_tables([table.slice(0, 3), table.slice(3)]))
            self.assertEqual(g.labels.tolist(), NAMES)
            self.assertEqual(sorted(e[:2] for e in edges(g)), [e[:2] for e in WANT])

    def test_wrong(self):
        for columns, error, text in [
            ({"source": [0, None, 1], "target": [1, 1, 1]}, irgl.GraphError, "'source' has no value in row 1"),
            ({"source": ["a", "b"], "target": ["a", None]}, irgl.GraphError, "'target' has no value in row 1"),
            ({"source": [True], "target": [1]}, irgl.ArgumentError, "type 'b'"),
            ({"from": [1], "target": [1]}, irgl.ArgumentError, "no column 'source' .hint: it has 'from', 'target'"),
        ]:
            with self.assertRaisesRegex(error, text):
                irgl.Graph.from_table(pa.table(columns))
        parts = pa.table({"source": pa.chunked_array([[0], [1, None]]), "target": [0, 1, 2]})
        with self.assertRaisesRegex(irgl.GraphError, "row 2"):
            irgl.Graph.from_table(parts)

    def test_rows(self):
        """Rows and words of dictionaries without values, and errors of later parts."""
        rows = pa.array([{"source": 1, "target": 2}, None, {"source": 0, "target": 1}])
        with self.assertRaisesRegex(irgl.GraphError, "the table has no value in row 3"):
            irgl.Graph.from_table(pa.chunked_array([rows.slice(2), rows.slice(2), rows]))
        self.assertEqual(edges(irgl.Graph.from_table(pa.chunked_array([rows.slice(2)]))), [(0, 1, None)])
        for kind in (pa.string(), pa.string_view()):
            for words, text in ((["a", None, "b"], None), (["a", "b", None], "'source' has no value in row 3")):
                part = pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), pa.array(words, kind))
                table = pa.table({"source": pa.chunked_array([part[:1], part[:1], part]), "target": ["c"] * 4})
                if text is None:
                    self.assertEqual(irgl.Graph.from_table(table).labels.tolist(), ["a", "b", "c"])
                else:
                    with self.assertRaisesRegex(irgl.GraphError, text):
                        irgl.Graph.from_table(table)
        far = pa.table({"source": pa.chunked_array([[0], [1, 2**40]]), "target": [0, 1, 2]})
        with self.assertRaisesRegex(irgl.GraphError, r"'source'.2. is 1099511627776"):
            irgl.Graph.from_table(far)

    def test_columns(self):
        """Labels of a table without rows, and one column for both ends."""
        none = pa.array([], pa.dictionary(pa.int8(), pa.string()))
        for column in (none, pa.array([], pa.string())):
            self.assertEqual(irgl.Graph.from_table(pa.table({"source": column, "target": column})).labels.tolist(), [])
        self.assertEqual(edges(irgl.Graph.from_table(pa.table({"source": [0, 1]}), "source", "source")), [(0, 0, None), (1, 1, None)])

    def test_memory(self):
        """The table's memory is given back, after errors too, and each column is copied once."""
        before = pa.total_allocated_bytes()
        table = pa.table({"source": pa.array(np.arange(100000)), "target": pa.array(np.zeros(100000, dtype=np.int64)), "s": pa.array(["x"] * 100000)})
        g = irgl.Graph.from_table(table)
        self.assertEqual(g.bytes_copied, 8 * 100000)
        for name in ("none", "s"):
            with self.assertRaises(irgl.Error):
                irgl.Graph.from_table(table, weight=name)
        del table
        self.assertEqual(pa.total_allocated_bytes(), before)
        self.assertEqual(g.nedges, 100000)


class Frames(unittest.TestCase):
    @unittest.skipIf(pl is None, "polars is not here")
    def test_polars(self):
        frame = pl.DataFrame({"source": SOURCES, "target": TARGETS, "w": WEIGHTS})
        self.assertEqual(sorted(edges(irgl.Graph.from_table(frame, weight="w"))), WANT)
        names = pl.DataFrame({"source": [NAMES[i] for i in SOURCES], "target": [NAMES[i] for i in TARGETS]})
        for frame in (names, names.with_columns(pl.all().cast(pl.Categorical))):
            g = irgl.Graph.from_table(pl.concat([frame[:2], frame[2:]], rechunk=False))
            self.assertEqual(g.labels.tolist(), NAMES)
            self.assertEqual(sorted(e[:2] for e in edges(g)), [e[:2] for e in WANT])

    @unittest.skipIf(pd is None, "pandas is not here")
    def test_pandas(self):
        frame = pd.DataFrame({"source": SOURCES, "target": TARGETS, "w": WEIGHTS}, index=[5, 6, 7, 8])
        self.assertEqual(sorted(edges(irgl.Graph.from_table(frame, weight="w"))), WANT)
        frame = pd.DataFrame({"source": [NAMES[i] for i in SOURCES], "target": [NAMES[i] for i in TARGETS]})
        g = irgl.Graph.from_table(frame[frame.source != "ann"])
        self.assertEqual(g.labels.tolist(), [NAMES[1], NAMES[2], NAMES[3], NAMES[0]])
