package tune

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"irgl/graph"
	"irgl/internal/infile"
	"irgl/internal/lower"
)

// fileVersion is the version of the file format.
const fileVersion = 1

// A File holds measurements: one entry per program, graph, device and version
// of the compiler.
type File struct {
	Version int     `json:"version"`
	Entries []Entry `json:"entries"`
}

// An Entry is the result of one search. The arguments with which the program ran are no
// part of it: switches are chosen by the program, the device and the graph.
type Entry struct {
	Program     string `json:"program"`      // its name, for people
	ProgramHash string `json:"program_hash"` // [ProgramHash] of its text
	Device      string `json:"device"`       // the device's name
	Compiler    string `json:"compiler"`     // the version of irgl
	Graph       Input  `json:"graph"`

	Switches string  `json:"switches"` // the best, as lower.ParseOptions reads them
	Metric   string  `json:"metric"`   // "ms" by the device's clock, or "cost" (see [Cost])
	Time     float64 `json:"time"`     // the best: median of Repeats runs
	Default  float64 `json:"default"`  // with the default switches; 0 if unknown
	Plain    float64 `json:"plain"`    // without switches; 0 if unknown
	Repeats  int     `json:"repeats"`
}

// An Input identifies the input of a program.
type Input struct {
	Name string `json:"name"` // the file or generator, for people
	ID   string `json:"id"`   // [Identity] of the graph after preparation
	Features
	Points int `json:"points,omitempty"` // number of points of the mesh
}

// InputOf describes a graph, nil for none, and a mesh of the given number of points.
func InputOf(g *graph.Graph, points int) Input {
	in := Input{ID: Identity(g), Features: FeaturesOf(g), Points: points}
	if g != nil {
		in.Name = g.Info.Name
	}
	return in
}

// DefaultPath returns the path of the user's own file: irgl/tuning.json in the
// user's configuration directory.
func DefaultPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "irgl", "tuning.json"), nil
}

// ReadFile reads a file. A missing file is an empty one; a damaged file, or
// one of a later version, is an error, and is not changed.
func ReadFile(path string) (*File, error) {
	text, err := infile.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Version: fileVersion}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tuning file: %w", err)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("tuning file %s: %w; the file was not changed", path, err)
	}
	return f, nil
}

// Parse parses the contents of a file.
func Parse(text []byte) (*File, error) {
	var head struct {
		Version int `json:"version"`
	}
	// The version first: later versions may have fields that would be lost.
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, place(text, err)
	}
	if head.Version != fileVersion {
		return nil, fmt.Errorf("it is of version %d, and this irgl reads version %d", head.Version, fileVersion)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	f := new(File)
	if err := d.Decode(f); err != nil {
		return nil, place(text, err)
	}
	for i := range f.Entries {
		if err := f.Entries[i].check(); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return f, nil
}

// place adds the line number to an error of package json.
func place(text []byte, err error) error {
	offset := int64(-1)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = e.Offset
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = e.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:offset], []byte("\n")), err)
}

// check rejects entries that no search writes. Switches unknown to this compiler
// are from another version, and are kept.
func (e *Entry) check() error {
	switch {
	case e.ProgramHash == "" || e.Device == "" || e.Graph.ID == "":
		return errors.New("program_hash, device or graph.id is missing")
	case e.Metric != "ms" && e.Metric != "cost":
		return fmt.Errorf("metric %q is neither ms nor cost", e.Metric)
	case !(e.Time >= 0) || !(e.Default >= 0) || !(e.Plain >= 0):
		return errors.New("a time is negative")
	}
	return nil
}

// compare orders entries by program, device, graph and compiler.
func (e *Entry) compare(o *Entry) int {
	return cmp.Or(cmp.Compare(e.Program, o.Program), cmp.Compare(e.ProgramHash, o.ProgramHash), cmp.Compare(e.Device, o.Device),
		cmp.Compare(e.Graph.Name, o.Graph.Name), cmp.Compare(e.Graph.ID, o.Graph.ID), cmp.Compare(e.Compiler, o.Compiler))
}

// Add inserts an entry, replacing one for the same program, device, graph and
// compiler.
func (f *File) Add(e Entry) {
	f.Entries = slices.DeleteFunc(f.Entries, func(o Entry) bool {
		return o.ProgramHash == e.ProgramHash && o.Device == e.Device && o.Graph.ID == e.Graph.ID && o.Graph.Points == e.Graph.Points && o.Compiler == e.Compiler
	})
	f.Entries = append(f.Entries, e)
	slices.SortStableFunc(f.Entries, func(a, b Entry) int { return a.compare(&b) })
}

// Encode returns the contents of the file.
func (f *File) Encode(w io.Writer) error {
	if f.Entries == nil {
		f.Entries = []Entry{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(f)
}

// Write writes the file at path, creating its directory if necessary. An
// existing file is replaced atomically. A symbolic link is followed.
func (f *File) Write(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("tuning file: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".tuning-*.tmp")
	if err != nil {
		return fmt.Errorf("tuning file: %w", err)
	}
	err = f.Encode(tmp)
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("tuning file: %w", errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// Update adds entries to the current contents of the file at path.
func Update(path string, entries []Entry) error {
	f, err := ReadFile(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		f.Add(e)
	}
	return f.Write(path)
}

// MaxDistance is the maximum distance between two graphs for which a measurement
// on one is used for the other.
const MaxDistance = 2.0

// Distance is a measure of how different two inputs are: twice the nodes count 0.5, twice
// the mean degree 1, twice the maximum degree 0.25, twice the levels (4 or fewer are the
// same) 1, and a hub share larger by 0.1 counts 0.5. It is infinite between inputs of
// different kinds.
func (a Input) Distance(b Input) float64 {
	if (a.Nodes == 0) != (b.Nodes == 0) || (a.Points == 0) != (b.Points == 0) {
		return math.Inf(1)
	}
	times := func(x, y float64) float64 { return math.Abs(math.Log2((x + 1e-3) / (y + 1e-3))) }
	return times(float64(a.Nodes), float64(b.Nodes))/2 + times(a.MeanDegree, b.MeanDegree) +
		times(float64(a.MaxDegree), float64(b.MaxDegree))/4 + times(float64(max(a.Levels, 4)), float64(max(b.Levels, 4))) +
		5*math.Abs(a.HubShare-b.HubShare) + times(float64(a.Points), float64(b.Points))/2
}

// Has reports whether there is an entry for a program on a device: whether
// computing the graph's features is worthwhile.
func (f *File) Has(hash, device string) bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.ProgramHash == hash && e.Device == device })
}

// HasSize reports whether there is one for a graph of so many nodes: others are not for the
// same graph.
func (f *File) HasSize(hash, device string, nodes int) bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool {
		return e.ProgramHash == hash && e.Device == device && e.Graph.Features.Nodes == nodes
	})
}

// Lookup returns the entry for a program on a device: that of the same input, or
// else of the nearest input within MaxDistance, and its distance. Among entries at
// the same distance one of the given compiler is preferred. Entries with switches
// unknown to this compiler are ignored.
func (f *File) Lookup(hash, device, compiler string, in Input) (best Entry, distance float64, ok bool) {
	rank := func(e *Entry) float64 {
		if e.Graph.ID == in.ID && e.Graph.Points == in.Points {
			return -1
		}
		return e.Graph.Distance(in)
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.ProgramHash != hash || e.Device != device {
			continue
		}
		if _, err := lower.ParseOptions(e.Switches); err != nil {
			continue
		}
		d := rank(e)
		if d > MaxDistance || ok && (d > distance || d == distance && (best.Compiler == compiler || e.Compiler != compiler)) {
			continue
		}
		best, distance, ok = *e, d, true
	}
	return best, max(distance, 0), ok
}
