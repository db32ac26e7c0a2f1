package programs

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
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

// Identify returns the name of the bundled program whose text this is, "" for none:
// what is known of a program holds for its text, whatever its file is called.
func Identify(text []byte) string {
	for _, name := range Names() {
		if own, _ := Text(name); bytes.Equal(own, text) {
			return name
		}
	}
	return ""
}

// ErrNoReference says that there is no independent answer to verify a
// program's result with.
var ErrNoReference = errors.New("there is no reference answer for this program")

// A reference verifies one program's result.
type reference func(ctx context.Context, in run.Input, res *run.Result) error

// A row is what is known of a bundled program beside its text.
type row struct {
	name, problem string
	verify        reference
	// one says that there is but one answer to the problem, of integers, which no
	// parameter with a default changes: two runs give the same bytes.
	one bool
	// rounds names the output that counts the rounds of a loop which is no Iterate or
	// Pipe; "" when there is none.
	rounds string
	// allowed has the parameters whose values are restricted beyond their type.
	allowed map[string]bound
}

// rows has the programs by the problem that they solve. Of a problem the one that is
// likely to be the fastest on a GPU comes first.
var rows = []row{
	{name: "bfs_do", problem: "bfs", verify: verifyBFS, one: true},
	{name: "bfs", problem: "bfs", verify: verifyBFS, one: true},
	{name: "bfs_st", problem: "bfs", verify: verifyBFS, one: true},
	{name: "sssp_ds", problem: "sssp", verify: verifySSSP, one: true, allowed: adaptive},
	{name: "sssp", problem: "sssp", verify: verifySSSP, one: true},
	{name: "sssp_nf", problem: "sssp", verify: verifySSSP, one: true, allowed: bands},
	{name: "sssp_bf", problem: "sssp", verify: verifySSSP, one: true},
	{name: "cc_af", problem: "cc", verify: verifyCC, one: true},
	{name: "cc", problem: "cc", verify: verifyCC, one: true},
	{name: "pr_pull", problem: "pr", verify: verifyPR, rounds: "rounds", allowed: iterated},
	{name: "pr", problem: "pr", verify: verifyPR, rounds: "rounds", allowed: iterated},
	{name: "pr_row", problem: "pr", verify: verifyPR, rounds: "rounds", allowed: iterated},
	{name: "pr_dd", problem: "pr", verify: verifyPRDD, rounds: "rounds", allowed: residual},
	{name: "tri_or", problem: "tri", verify: verifyTri, one: true},
	{name: "tri", problem: "tri", verify: verifyTri, one: true},
	{name: "mis", problem: "mis", verify: verifyMIS},
	{name: "mst", problem: "mst", verify: verifyMST},
	{name: "mst_lock", problem: "mst", verify: verifyMST},
	{name: "dmr", problem: "dmr", verify: verifyDMR, rounds: "rounds", allowed: angles},
}

// of returns the row of a program; that of an unknown one is empty.
func of(name string) row {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
	if i < 0 {
		return row{}
	}
	return rows[i]
}

// Problem returns the name of the problem that a bundled program solves, or "".
func Problem(program string) string { return of(program).problem }

// OneAnswer reports whether there is but one answer to the problem that a program
// solves: every run of every program that solves it gives the same bytes for the same
// input, whatever its parameters with defaults are.
func OneAnswer(program string) bool { return of(program).one }

// Rounds returns the name of the output in which a program counts the rounds of a
// loop that the runtime does not count; "" for none.
func Rounds(program string) string { return of(program).rounds }

// Problems returns the names of the problems that bundled programs solve,
// sorted.
func Problems() []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.problem)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Family returns the names of the bundled programs that solve a problem, in the
// order in which to try them: the one that is likely to be the fastest on a GPU
// comes first. They take the same arguments, but for those with defaults, and
// give the same outputs; of sets of which there are several, and of ranks, one
// program's may differ from another's within what Verify accepts. It is nil for
// what is no problem; the name of a program stands for its problem, too.
func Family(problem string) []string {
	if solved := Problem(problem); solved != "" {
		problem = solved
	}
	var names []string
	for _, r := range rows {
		if r.problem == problem {
			names = append(names, r.name)
		}
	}
	return names
}

// Verify compares res, the result of running the bundled program on in, with
// an independent answer.
func Verify(ctx context.Context, name string, in run.Input, res *run.Result) error {
	ref := of(name).verify
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
