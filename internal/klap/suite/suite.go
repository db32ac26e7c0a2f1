package suite

import (
	"context"
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/atomicfile"
	"irgl/internal/infile"
)

//go:embed src
var texts embed.FS

// A Kind is the transformation that a benchmark is for.
type Kind uint8

// The kinds.
const (
	Aggregation Kind = iota
	Promotion
)

// A Size is a choice of data.
type Size uint8

// The sizes. For aggregation Large is the paper's data set; for promotion Small, Medium and
// Large are the paper's. Test is for the emulator.
const (
	Test Size = iota
	Small
	Medium
	Large
)

func (s Size) String() string { return [...]string{"test", "small", "medium", "large"}[s] }

// A Form says which program a source becomes.
type Form uint8

// The forms.
const (
	Plain Form = iota // kernels launch kernels
	NoDP              // without dynamic parallelism
)

// A Stream says where the plain form's kernels launch.
type Stream uint8

// The streams.
const (
	Null    Stream = iota // the block's NULL stream
	Private               // a stream made for the launch
	Forget                // cudaStreamFireAndForget
	Tail                  // cudaStreamTailLaunch
)

// A Benchmark is a program of the paper's Table I.
type Benchmark struct {
	Name, Doc     string
	Kind          Kind
	Data          string   // the paper's data set
	Parent, Child int      // threads of a block of the parent and of the child
	Inputs        []string // real inputs, by the names of their files; the first is the paper's
	Options       []string // macros beside NO_DP and STREAM
	Note          string   // where the plain form differs from the paper's
	headers       []string
}

const (
	slides = "small=16384, medium=204800, large=25174016"
	square = "small=120x120, medium=450x450, large=4600x4600"
)

var table = []*Benchmark{
	{Name: "bfs", Doc: "breadth-first search", Data: "random, 10000 nodes, 1000 degree", Parent: 1024, Child: 128, Inputs: []string{"cnr-2000.el"},
		Note: "children of 128 threads, where the paper's have 32; cnr-2000 is not of the paper"},
	{Name: "bh", Doc: "Barnes-Hut forces", Data: "4096 bodies, 4 time steps", Parent: 256, Child: 256, Options: []string{"GROUP"},
		Note: "a child has the bodies of a cell; the host builds the trees, which is not timed"},
	{Name: "bt", Doc: "tessellation of Bezier curves", Data: "25600 lines", Parent: 64, Child: 32, Options: []string{"DEVICE_MALLOC", "MAX_POINTS", "CURVATURE"},
		Note: "points are in one buffer unless DEVICE_MALLOC is defined"},
	{Name: "ccl", Doc: "connected components of frames", Data: "8 frames, 4 host streams", Parent: 2, Child: 256,
		Note: "launched from the host where the paper's waits for its children"},
	{Name: "gc", Doc: "graph colouring", Data: "bcsstk13.mtx", Parent: 256, Child: 64, Inputs: []string{"bcsstk13.mtx"},
		Note: "children of 64 threads, where the paper's have 256"},
	{Name: "mstf", Doc: "minimum spanning tree, find", Data: "rmat12.sym.gr", Parent: 1024, Child: 128, Inputs: []string{"rmat12.sym.gr"}, headers: []string{"mst.cuh"},
		Note: "children of 128 threads, where the paper's have 1024"},
	{Name: "mstv", Doc: "minimum spanning tree, verify", Data: "rmat12.sym.gr", Parent: 1024, Child: 128, Inputs: []string{"rmat12.sym.gr"}, headers: []string{"mst.cuh"},
		Note: "children of 128 threads, where the paper's have 1024"},
	{Name: "qt", Doc: "quadtree", Data: "40000 points, depth 12, 1 point a node", Parent: 128, Child: 128, Options: []string{"DEVICE_MALLOC"},
		Note: "nodes are in one buffer unless DEVICE_MALLOC is defined; a block does four small nodes"},
	{Name: "sp", Doc: "survey propagation", Data: "random-42000-10000-3.cnf, 10000 literals", Parent: 384, Child: 64, Inputs: []string{"random-42000-10000-3.cnf"}},
	{Name: "sssp", Doc: "single-source shortest paths", Data: "rmat12.sym.gr", Parent: 512, Child: 128, Inputs: []string{"rmat12.sym.gr"},
		Note: "parents of 512 threads, where the paper's have 128"},
	{Name: "los", Doc: "line of sight", Kind: Promotion, Data: "small=511, medium=6399, large=49407", Parent: 256, Child: 256, headers: []string{"tiles.cuh"}},
	{Name: "pd", Doc: "padding", Kind: Promotion, Data: square, Parent: 512, Child: 512, headers: []string{"tiles.cuh"}},
	{Name: "pt", Doc: "partition", Kind: Promotion, Data: slides, Parent: 512, Child: 512, headers: []string{"tiles.cuh"}},
	{Name: "sc", Doc: "stream compaction", Kind: Promotion, Data: slides, Parent: 512, Child: 512, headers: []string{"tiles.cuh"}},
	{Name: "unq", Doc: "unique", Kind: Promotion, Data: slides, Parent: 512, Child: 512, headers: []string{"tiles.cuh"}},
	{Name: "upd", Doc: "unpadding", Kind: Promotion, Data: square, Parent: 512, Child: 512, headers: []string{"tiles.cuh"}},
}

// All returns the benchmarks in the order of Table I. They must not be changed.
func All() []*Benchmark { return slices.Clone(table) }

// Find returns the benchmark with the name, or nil.
func Find(name string) *Benchmark {
	if i := slices.IndexFunc(table, func(b *Benchmark) bool { return b.Name == name }); i >= 0 {
		return table[i]
	}
	return nil
}

// Source returns the text of the benchmark, without its headers.
func (b *Benchmark) Source() string { return source(b.Name + ".cu") }

func source(name string) string {
	text, err := texts.ReadFile("src/" + name)
	if err != nil {
		panic(err) // it is in the table, which a test compares with the folder
	}
	return string(text)
}

// Write writes the benchmark and the headers that it includes into a folder, and returns the
// path of the source.
func (b *Benchmark) Write(dir string) (string, error) {
	path := filepath.Join(dir, b.Name+".cu")
	for _, name := range append([]string{"common.cuh", b.Name + ".cu"}, b.headers...) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source(name)), 0o666); err != nil {
			return "", err
		}
	}
	return path, nil
}

// WriteAll writes all benchmarks and their headers into a folder.
func WriteAll(dir string) error {
	for _, b := range table {
		if _, err := b.Write(dir); err != nil {
			return err
		}
	}
	return nil
}

// Flags returns the macros for a form, as a compiler takes them. A form without launches in
// kernels has no stream.
func Flags(f Form, s Stream) []string {
	if f == NoDP {
		return []string{"-DNO_DP"}
	}
	return []string{"-DSTREAM=" + strconv.Itoa(int(s))}
}

// Arguments returns the arguments for a size; input is a path, or "" for generated data.
func (b *Benchmark) Arguments(s Size, input string) []string {
	args := []string{"--size", s.String()}
	if input != "" {
		args = append(args, "--input", input)
	}
	return args
}

// Input looks for one of the benchmark's inputs in a folder of data, compressed or not, and
// writes it into dir as the programs read it. The error is fs.ErrNotExist if it is not there.
func Input(ctx context.Context, name, data, dir string) (string, error) {
	for _, suffix := range []string{"", ".gz", ".zst"} {
		f, err := infile.Open(ctx, filepath.Join(data, name+suffix))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		err = atomicfile.Write(ctx, path, func(w io.Writer) error { return unpack(w, f) })
		return path, errors.Join(err, f.Close())
	}
	return "", &fs.PathError{Op: "open", Path: filepath.Join(data, name), Err: fs.ErrNotExist}
}

func unpack(w io.Writer, f *infile.File) error {
	u, err := infile.Unpack(f, nil)
	if err != nil {
		return err
	}
	text, err := infile.ReadAll(u, u.Bounds(f.Size()))
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// A Result is what a program has printed.
type Result struct {
	Milliseconds float64
	Launches     int64  // 0 where they are not counted
	Check        string // "ok", or what is wrong
	// Parts are the milliseconds of the longest launch of the host, whole and with more and more parts switched off.
	Parts     []float64
	Round     int     // which launch that is
	Occupancy float64 // in percent; 0 where it is not measured
}

// ErrOutput says that an output has no time or no check: the program did not end.
var ErrOutput = errors.New("the program has printed no time or no check")

// ParseOutput reads the standard output of a program.
func ParseOutput(text string) (Result, error) {
	var r Result
	timed := false
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch key {
		case "time":
			timed = true
			r.Milliseconds, err = strconv.ParseFloat(strings.TrimSuffix(value, " ms"), 64)
		case "launches":
			r.Launches, err = strconv.ParseInt(value, 10, 64)
		case "round":
			r.Round, err = strconv.Atoi(value)
		case "occupancy":
			r.Occupancy, err = strconv.ParseFloat(strings.TrimSuffix(value, " %"), 64)
		case "check":
			r.Check = strings.TrimPrefix(value, "FAILED ")
		}
		if strings.HasPrefix(key, "part ") {
			var ms float64
			ms, err = strconv.ParseFloat(strings.TrimSuffix(value, " ms"), 64)
			r.Parts = append(r.Parts, ms)
		}
		if err != nil {
			return r, err
		}
	}
	if !timed || r.Check == "" {
		return r, ErrOutput
	}
	return r, nil
}
