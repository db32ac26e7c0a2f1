package mesh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"irgl/internal/atomicfile"
	"irgl/internal/infile"
)

// Open reads the mesh at path.
//
// For a path that ends in .node, .ele, .poly or .edge all files with the same stem
// are read: the nodes from STEM.node or STEM.poly, the triangles from STEM.ele,
// and, if these exist, segments from STEM.poly and marked edges from STEM.edge. The
// stem alone will do too. Any other file is read as [Read] does. Each file may be
// compressed with gzip or zstd, and then have .gz or .zst behind its name.
//
// A mesh without triangles is an error, unlike in the program Triangle, which makes
// them for a .node or .poly file alone: those of the convex hull, or with -p those
// inside of the segments. A forgotten .ele file would be another mesh without a
// word. [Read] and [Delaunay] together triangulate points.
//
// Edges of the boundary and between regions that the files do not list as segments
// are added as such: see [Mesh.AddBoundary]. Triangles are kept in the order of the file, clockwise or not: see
// [Mesh.Orient] and [Check]. Errors about the content are of type *ReadError.
func Open(ctx context.Context, path string) (*Mesh, error) {
	stem, pack := cutPack(path)
	switch ext := strings.ToLower(filepath.Ext(stem)); ext {
	case ".node", ".ele", ".poly", ".edge":
		return openTriangle(ctx, strings.TrimSuffix(stem, filepath.Ext(stem)), pack)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if name := sibling(stem, ".node", pack); name != "" {
			return openTriangle(ctx, stem, pack)
		}
	}
	data, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	m, err := parse(ctx, path, data)
	if err == nil && len(m.Triangles) == 0 {
		return nil, notTriangulated(m, path, "")
	}
	return m, err
}

// notTriangulated is the error for a mesh that was read from name and has no
// triangles; ele is where they would be, if that is known.
func notTriangulated(m *Mesh, name, ele string) error {
	has, command := fmt.Sprintf("%d nodes", len(m.X)), "triangle"
	if strings.Contains(name, ".poly") {
		has, command = fmt.Sprintf("%d nodes and %d segments", len(m.X), len(m.Segments)), "triangle -p"
	}
	if ele == "" {
		return fmt.Errorf("open mesh: %s is not triangulated: it has %s, and no triangles", name, has)
	}
	return fmt.Errorf("open mesh: %s is not triangulated: it has %s, and no triangles are in %s (the program Triangle makes them: %s %s)", name, has, ele, command, filepath.Base(name))
}

// cutPack takes .gz or .zst off a path, and returns both parts.
func cutPack(path string) (string, string) {
	switch ext := filepath.Ext(path); strings.ToLower(ext) {
	case ".gz", ".zst":
		return strings.TrimSuffix(path, ext), ext
	}
	return path, ""
}

// sibling returns the name of an existing file of a stem, preferably one that
// is compressed like the file that was asked for; "" if there is none.
func sibling(stem, ext, pack string) string {
	for _, p := range []string{pack, "", ".gz", ".zst"} {
		if st, err := os.Stat(stem + ext + p); err == nil && !st.IsDir() {
			return stem + ext + p
		}
	}
	return ""
}

// openTriangle reads the files of one stem.
func openTriangle(ctx context.Context, stem, pack string) (*Mesh, error) {
	m, found, last := &Mesh{}, false, ""
	for _, part := range []struct {
		ext  string
		read func(*scanner, *Mesh)
	}{{".node", (*scanner).readNodesOnly}, {".poly", (*scanner).readPoly}, {".ele", (*scanner).readEle}, {".edge", (*scanner).readEdges}} {
		name := sibling(stem, part.ext, pack)
		if part.ext == ".edge" && found && len(m.Triangles) == 0 {
			return nil, notTriangulated(m, last, stem+".ele")
		}
		if name == "" || part.ext == ".edge" && !found {
			continue
		}
		last = name
		if part.ext == ".ele" && len(m.X) == 0 {
			return nil, fmt.Errorf("open mesh: %s has triangles, and there are no nodes in %s.node or %s.poly", name, stem, stem)
		}
		data, err := readFile(ctx, name)
		if err != nil {
			return nil, err
		}
		s := &scanner{ctx: ctx, file: name, data: data}
		if part.read(s, m); s.err != nil {
			return nil, s.err
		}
		found = true
	}
	if !found {
		return nil, fmt.Errorf("open mesh: no file %s.node, %s.poly or %s.ele", stem, stem, stem)
	}
	m.AddBoundary()
	m.noteBorders()
	return m, nil
}

// readNodesOnly reads a .node file, to its end.
func (s *scanner) readNodesOnly(m *Mesh) {
	s.readNodes(m)
	s.end()
}

// Read reads a mesh, or points for [Delaunay], from r, which messages call name. The
// extension of name distinguishes .gr3, .grd and .14 files from .node and .poly files;
// for any other extension the first line does, which in the latter is a number, 2, and
// at most two small numbers. Compression is undone.
func Read(ctx context.Context, name string, r io.Reader) (*Mesh, error) {
	data, err := load(name, infile.NewReader(ctx, r), -1)
	if err != nil {
		return nil, err
	}
	return parse(ctx, name, data)
}

// parse reads content of any kind.
func parse(ctx context.Context, name string, data []byte) (*Mesh, error) {
	s := &scanner{ctx: ctx, file: name, data: data}
	m := &Mesh{}
	base, _ := cutPack(name)
	switch strings.ToLower(filepath.Ext(base)) {
	case ".gr3", ".grd", ".14":
		s.readGR3(m)
	case ".node", ".poly":
		s.readPoly(m)
	case ".ele", ".edge":
		return nil, fmt.Errorf("read %s: triangles alone are no mesh: open the file by its name, with the .node file beside it", name)
	default:
		switch {
		case isNodes(data):
			s.readPoly(m)
		case isGrid(data):
			s.readGR3(m)
		default:
			s.line = 1
			s.errorf("no known mesh format: a .node or .poly file starts with the number of nodes and 2, a .gr3 file has two numbers on its second line")
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	m.AddBoundary()
	m.noteBorders()
	return m, nil
}

// isNodes reports whether data looks like a .node or .poly file.
func isNodes(data []byte) bool {
	s := &scanner{ctx: context.Background(), data: data}
	if !s.next("#") || len(s.fields) < 2 || len(s.fields) > 4 {
		return false
	}
	for i := range s.fields {
		s.integer(i, 0, MaxNodes, "")
	}
	return s.err == nil && s.integer(1, 0, MaxNodes, "") == 2
}

// isGrid reports whether data looks like a .gr3 file.
func isGrid(data []byte) bool {
	s := &scanner{ctx: context.Background(), data: data}
	if _, ok := s.rawLine(); !ok || !s.next(gr3Marks) || len(s.fields) < 2 {
		return false
	}
	s.integer(0, 0, MaxTriangles, "")
	s.integer(1, 0, MaxNodes, "")
	return s.err == nil
}

// readFile reads and unpacks a file.
func readFile(ctx context.Context, path string) ([]byte, error) {
	f, err := infile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open mesh: %w", err)
	}
	data, err := load(path, f, f.Size())
	return data, errors.Join(err, f.Close())
}

// load reads all of r, which has size bytes or an unknown number, -1, and unpacks it.
// All formats are text: the first byte that cannot be text ends the reading.
func load(name string, r io.Reader, size int64) ([]byte, error) {
	u, err := infile.Unpack(r, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer u.Close()
	b := u.Bounds(size)
	line := 1
	b.Check = func(piece []byte, offset int64) error {
		if offset == 0 {
			if format, advice, ok := infile.Identify(piece); ok {
				return &ReadError{name, 1, strings.TrimSuffix(format+", not a mesh: "+advice, ": ")}
			}
		}
		if i := bytes.IndexByte(piece, 0); i >= 0 {
			return &ReadError{name, line + bytes.Count(piece[:i], []byte("\n")), "a zero byte: the file is binary, and meshes are text"}
		}
		line += bytes.Count(piece, []byte("\n"))
		return nil
	}
	data, err := infile.ReadAll(u, b)
	if _, ok := errors.AsType[*ReadError](err); err != nil && !ok {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return data, err
}

// CheckPath returns an error if [Write] has no format for the ending of a path.
func CheckPath(path string) error {
	stem, _ := cutPack(path)
	ext := filepath.Ext(stem)
	switch strings.ToLower(ext) {
	case ".gr3", ".grd", ".14", ".svg", ".node", ".ele", ".poly", ".edge", "", ".":
		return nil
	}
	if _, err := strconv.Atoi(ext[1:]); err == nil {
		return nil // Triangle numbers its meshes: box.1.node
	}
	return fmt.Errorf("%s: there is no format for meshes in files that end in %s (there are .node, .ele, .poly, .gr3, .grd, .14 and .svg; a name without an ending is that of a .node, an .ele and a .poly file)", path, ext)
}

// Write stores m at path: a .gr3, .grd or .14 file, a picture if path ends in
// .svg, and otherwise STEM.node, STEM.ele and STEM.poly, where path is STEM or
// any of the three. STEM may end in a number, as in box.1; another ending is an
// error. A .gz or .zst at the end compresses each file. A file appears complete or not
// at all: it is written beside its place and renamed.
// [Mesh.Losses] tells what the files do not hold.
func Write(ctx context.Context, path string, m *Mesh) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	stem, pack := cutPack(path)
	ext := filepath.Ext(stem)
	switch strings.ToLower(ext) {
	case ".gr3", ".grd", ".14":
		return writeFile(ctx, path, m, WriteGR3)
	case ".svg":
		return writeFile(ctx, path, m, func(w io.Writer, m *Mesh) error { return WriteSVG(w, m, SVGOptions{}) })
	case ".node", ".ele", ".poly", ".edge":
		stem = strings.TrimSuffix(stem, ext)
	}
	for _, part := range []struct {
		ext   string
		write func(io.Writer, *Mesh) error
	}{{".node", WriteNode}, {".ele", WriteEle}, {".poly", WritePoly}} {
		if err := writeFile(ctx, stem+part.ext+pack, m, part.write); err != nil {
			return err
		}
	}
	return nil
}

// Losses says what of m the files that Write makes for a path do not hold, and what in
// them keeps programs from taking them, a line each.
func (m *Mesh) Losses(path string) []string {
	stem, _ := cutPack(path)
	var lost []string
	count := func(n int, what string) {
		if n > 0 {
			lost = append(lost, fmt.Sprintf("%s does not hold %s: %d", filepath.Base(path), what, n))
		}
	}
	switch strings.ToLower(filepath.Ext(stem)) {
	case ".svg":
	case ".gr3", ".grd", ".14":
		outer := (&Mesh{X: m.X, Y: m.Y, Triangles: m.Triangles}).AddBoundary()
		count(max(0, len(m.Segments)-outer), "segments that are not on the boundary")
		count(len(m.NodeMarks), "markers of nodes")
		count(len(m.SegmentMarks), "markers of segments")
		count(max(0, len(m.NodeAttributes)-1), "attributes of nodes but the first, the depth")
		count(len(m.TriangleAttributes), "attributes of triangles")
		count(len(m.Holes), "holes")
		count(len(m.Regions), "regions")
	default:
		count(len(m.Boundaries), "lists of boundary nodes")
		if n := m.loose(); n > 0 {
			lost = append(lost, fmt.Sprintf("%s has segments that are no edge of a triangle, with which no program takes it: %d", filepath.Base(path), n))
		}
	}
	return lost
}

// loose returns how many segments are no edge of a triangle.
func (m *Mesh) loose() int {
	index := m.segmentIndex()
	for _, v := range m.Triangles {
		for k, u := range v {
			delete(index, key(u, v[after[k]]))
		}
	}
	return len(index)
}

// writeFile writes one file.
func writeFile(ctx context.Context, path string, m *Mesh, write func(io.Writer, *Mesh) error) error {
	err := atomicfile.WriteCompressed(ctx, path, func(w io.Writer) error { return write(&cancelWriter{ctx, w}, m) })
	if _, named := errors.AsType[*fs.PathError](err); err == nil || named {
		return err // which names the file
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// A cancelWriter fails when its context ends.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

// Write writes p.
func (c *cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
