package programs

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"irgl/internal/run"
)

//go:embed *.irgl
var texts embed.FS

// Names returns the names of the bundled programs, sorted.
func Names() []string {
	entries, err := texts.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	slices.Sort(names)
	return names
}

// Text returns the text of a bundled program.
func Text(name string) ([]byte, bool) {
	if strings.ContainsAny(name, "/\\.") {
		return nil, false
	}
	b, err := texts.ReadFile(name + ".irgl")
	return b, err == nil
}

// ErrNoReference says that there is no independent answer to verify a
// program's result with.
var ErrNoReference = errors.New("there is no reference answer for this program")

// A reference verifies one program's result.
type reference func(ctx context.Context, in run.Input, res *run.Result) error

var references = map[string]reference{
	"bfs":      verifyBFS,
	"bfs_do":   verifyBFS,
	"bfs_st":   verifyBFS,
	"sssp":     verifySSSP,
	"sssp_bf":  verifySSSP,
	"sssp_nf":  verifySSSP,
	"sssp_ds":  verifySSSP,
	"cc":       verifyCC,
	"cc_af":    verifyCC,
	"pr":       verifyPR,
	"pr_dd":    verifyPRDD,
	"pr_pull":  verifyPR,
	"mst":      verifyMST,
	"mst_lock": verifyMST,
	"mis":      verifyMIS,
	"tri":      verifyTri,
	"tri_or":   verifyTri,
	"dmr":      verifyDMR,
}

// families lists the programs that solve the same problem, by its name.
var families = map[string][]string{
	"bfs":  {"bfs_do", "bfs", "bfs_st"},
	"sssp": {"sssp_ds", "sssp", "sssp_nf", "sssp_bf"},
	"cc":   {"cc_af", "cc"},
	"pr":   {"pr_pull", "pr", "pr_dd"},
	"tri":  {"tri_or", "tri"},
	"mis":  {"mis"},
	"mst":  {"mst", "mst_lock"},
	"dmr":  {"dmr"},
}

// Problems returns the names of the problems that bundled programs solve,
// sorted.
func Problems() []string {
	return slices.Sorted(maps.Keys(families))
}

// Family returns the names of the bundled programs that solve a problem, in the
// order in which to try them: the one that is likely to be the fastest on a GPU
// comes first. They take the same arguments, but for those with defaults, and
// give the same outputs; of sets of which there are several, and of ranks, one
// program's may differ from another's within what Verify accepts. It is nil for
// what is no problem; the name of a program stands for its problem, too.
func Family(problem string) []string {
	if list := families[problem]; list != nil {
		return slices.Clone(list)
	}
	for _, name := range Problems() {
		if list := families[name]; slices.Contains(list, problem) {
			return slices.Clone(list)
		}
	}
	return nil
}

// Verify compares res, the result of running the bundled program on in, with
// an independent answer.
func Verify(ctx context.Context, name string, in run.Input, res *run.Result) error {
	ref := references[name]
	if ref == nil {
		return ErrNoReference
	}
	if err := ref(ctx, in, res); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// mismatches collects the nodes whose value is wrong.
type mismatches struct {
	first error
	count int
}

func (m *mismatches) add(format string, args ...any) {
	if m.count++; m.count == 1 {
		m.first = fmt.Errorf(format, args...)
	}
}

func (m *mismatches) err() error {
	if m.count <= 1 {
		return m.first
	}
	return fmt.Errorf("%w (and %d more nodes differ)", m.first, m.count-1)
}

// column returns an output property with a value for each of n nodes.
func column(res *run.Result, name string, n int) (*run.Column, error) {
	c := res.Column(name)
	if c == nil {
		return nil, fmt.Errorf("the result has no property %s", name)
	}
	if c.Len() != n {
		return nil, fmt.Errorf("property %s has %d values for %d nodes", name, c.Len(), n)
	}
	return c, nil
}

// Problem returns the name of the problem that a bundled program solves, or "".
func Problem(program string) string {
	for _, name := range Problems() {
		if slices.Contains(families[name], program) {
			return name
		}
	}
	return ""
}
