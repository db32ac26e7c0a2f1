package paper

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/golden"
	"irgl/internal/measured"
)

func reportOf(t *testing.T, o Options) *Report {
	t.Helper()
	o.Device = "simt"
	rep, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func inputs(specs ...string) []Input {
	var out []Input
	for _, s := range specs {
		out = append(out, InputOf(s))
	}
	return out
}

// written returns all forms of a report.
func written(t *testing.T, rep *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := rep.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if err := measured.Write(&b, []*measured.Block{rep.Block()}); err != nil {
		t.Fatal(err)
	}
	for _, table := range rep.Tables() {
		if err := table.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: %d columns, %d in %v", table.Name, len(table.Columns), len(row), row)
			}
		}
		if table.Chart == nil {
			continue
		}
		if err := table.Chart.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, g := range table.Chart.Groups {
			if len(g.Values) != len(table.Chart.Series) {
				t.Errorf("%s: %d series, %d in %s", table.Name, len(table.Chart.Series), len(g.Values), g.Name)
			}
		}
	}
	return b.String()
}

// TestPaper measures a program on a tiny graph, twice: every table is there,
// nothing fails, and both times all bytes are the same. What the switches are for
// shows in what is counted.
func TestPaper(t *testing.T) {
	o := Options{Programs: []string{"bfs"}, Inputs: inputs("rmat:5:6"), Candidates: 3}
	rep := reportOf(t, o)
	var names []string
	for _, table := range rep.Tables() {
		names = append(names, table.Name)
	}
	if got := strings.Join(names, " "); got != "problems gaps answers figure1 table1 table2 table4 figure7 figure8 figure9" {
		t.Errorf("tables: %s", got)
	}
	if rep.Failures() > 0 || len(rep.Left) > 0 {
		t.Errorf("failed: %d, left out: %v\n%s", rep.Failures(), rep.Left, written(t, rep))
	}
	for _, in := range rep.Inputs {
		host, outlined := rep.cell("bfs", in, compile.MustSwitches("")), rep.cell("bfs", in, compile.MustSwitches("outline=auto"))
		if outlined.Launches != 2 || host.Launches <= 2 || outlined.Busy <= host.Busy {
			t.Errorf("%s: host loop %+v, outlined %+v", in, host, outlined)
		}
		id := key{program: "bfs", input: in}
		if rep.cell("bfs", in, rep.tuned[id]).Value > rep.cell("bfs", in, rep.defaults[id]).Value {
			t.Errorf("%s: tuned is slower than the default", in)
		}
		plain, warp, block := rep.cell(listing5Name, in, compile.MustSwitches("")), rep.cell(listing5Name, in, compile.MustSwitches("coop=warp")), rep.cell(listing5Name, in, compile.MustSwitches("coop=block np=tb,wp,fg"))
		if 8*warp.Twin.AtomicsGlobal > plain.Twin.AtomicsGlobal || block.Twin.AtomicsGlobal > warp.Twin.AtomicsGlobal || block.Twin.AtomicsGlobal == 0 {
			t.Errorf("%s: %d, %d and %d atomics", in, plain.Twin.AtomicsGlobal, warp.Twin.AtomicsGlobal, block.Twin.AtomicsGlobal)
		}
	}
	if one, two := written(t, rep), written(t, reportOf(t, o)); one != two {
		t.Errorf("two measurements differ:\n%s\n%s", one, two)
	}
	golden.Equal(t, "the report made of its block", written(t, rep), written(t, readBack(t, rep)))
}

// readBack returns the report of a report's block, written and read.
func readBack(t *testing.T, rep *Report) *Report {
	t.Helper()
	var b bytes.Buffer
	if err := measured.Write(&b, []*measured.Block{rep.Block()}); err != nil {
		t.Fatal(err)
	}
	blocks, err := measured.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again, err := FromBlock(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestFromBlock refuses blocks that are not of a report.
func TestFromBlock(t *testing.T) {
	for _, tt := range []struct{ head, row, want string }{
		{"# repeats: 3\n# metric: s", "a,b,,,1", `"s" is neither ms nor cost`},
		{"# repeats: many\n# metric: ms", "a,b,,,1", "repeats"},
		{"# repeats: 3\n# metric: ms\n# switches: np=all", "a,b,,,1", "all"},
		{"# repeats: 3\n# metric: ms", "a,b,np=all,,1", "row 1: "},
		{"# repeats: 3\n# metric: ms", "a,b,,best,1", `row 1: choice: "best"`},
		{"# repeats: 3\n# metric: ms", "a,b,,,fast", "row 1: column value"},
		{"# repeats: 3\n# metric: ms", "a,b,,,1\na,b,none,,2", "row 2: a on b with none is there twice"},
	} {
		blocks, err := measured.Parse([]byte(tt.head + "\nprogram,input,switches,choice,value\n" + tt.row + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FromBlock(blocks[0]); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestTwins checks that what a small input counts goes to the cells of its large
// one, and that there is one for each kind that is measured by default.
func TestTwins(t *testing.T) {
	for _, in := range append(Inputs("cuda"), Inputs("simt")...) {
		if in.Twin == "" {
			t.Errorf("%s has no twin", in.Spec)
		}
		if _, err := open(context.Background(), in.Twin); err != nil {
			t.Errorf("%s: %v", in.Twin, err)
		}
	}
	ctx := context.Background()
	var cells []*Cell
	for _, switches := range parsed("", "outline=auto", "outline=77") {
		cells = append(cells, &Cell{Program: "cc", Input: "large", Switches: switches, Value: 5})
	}
	p, err := engine.Bundled("cc")
	if err != nil {
		t.Fatal(err)
	}
	twins := newTwinRuns(ctx)
	for _, c := range cells {
		twins.add(p, "path:9", c)
	}
	twins.finish(nil)
	host, outlined, refused := cells[0], cells[1], cells[2]
	if host.Value != 5 || host.Twin == nil || host.TwinLaunches <= outlined.TwinLaunches || host.Failed != "" {
		t.Errorf("%+v, %+v", host, outlined)
	}
	if !strings.HasPrefix(refused.Failed, "on the emulator, path:9: ") || refused.Twin != nil {
		t.Errorf("%+v", refused)
	}
}

// TestBudget checks that a budget leaves cells out and says so, and that what is
// not there is no part of a table.
func TestBudget(t *testing.T) {
	rep := reportOf(t, Options{Programs: []string{"bfs"}, Inputs: inputs("path:9", "points:9"), Budget: time.Nanosecond, Candidates: 3})
	if len(rep.Cells) > 0 || len(rep.Left) != 6 || len(rep.Tables()) > 0 {
		t.Errorf("%d cells, left out %v, %d tables", len(rep.Cells), rep.Left, len(rep.Tables()))
	}
	if text := written(t, rep); !strings.Contains(text, "### Left out") {
		t.Error(text)
	}
	for _, spec := range []string{"points:1", "points:x", "moon:3"} {
		if _, err := Run(context.Background(), Options{Device: "simt", Inputs: inputs(spec)}); err == nil {
			t.Errorf("%s was measured", spec)
		}
	}
	if _, err := Run(context.Background(), Options{Device: "simt", Programs: []string{"bfz"}}); err == nil {
		t.Error("bfz was measured")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Device: "simt", Inputs: inputs("path:9")}); err == nil {
		t.Error("an ended context was ignored")
	}
}

// TestWrongAnswers checks that the traversal is verified, and that the listing is
// the one of the examples.
func TestWrongAnswers(t *testing.T) {
	text, err := os.ReadFile("../../examples/listings/paper5_traversal.irgl")
	if err != nil || !bytes.Equal(text, listing5) {
		t.Errorf("listing5.irgl is not that of the examples: %v", err)
	}
	ctx := context.Background()
	p, err := engine.Parse("other.irgl", bytes.Replace(listing5, []byte("WL.push(e.dst)"), []byte("WL.push(n)"), 1))
	if err != nil {
		t.Fatal(err)
	}
	in, err := open(ctx, "rmat:5:6")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := engine.OpenSession(engine.Options{Device: "simt", Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := &runner{s: &session{ctx: ctx, dev: dev}, p: p, in: in}
	defer r.close()
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	c := &Cell{}
	if _, err := r.measure(c); err == nil || !strings.Contains(err.Error(), engine.ErrNoReference.Error()) {
		t.Errorf("a program that has no answer to verify with: %+v, %v", c, err)
	}
	res, err := r.once(r.x.RunOn)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifyTraversal(in, res); err == nil || !strings.HasPrefix(err.Error(), "wrong answer") {
		t.Errorf("%v", err)
	}
}

// TestSwitches checks that all that the tables ask for can be read, and that no stage
// measures a choice twice; and what comes first.
func TestSwitches(t *testing.T) {
	s := &session{o: Options{Candidates: 1}}
	rep := newReport(&s.o)
	id := key{program: "bfs", input: "path:9"}
	rep.defaults[id], rep.tuned[id] = outlined(), compile.MustSwitches("batch=4")
	var order []string
	for _, st := range s.stages() {
		order = append(order, st.name)
		list := st.choices(rep, id)
		seen := map[compile.Switches]bool{}
		for _, s := range list {
			seen[s] = true
		}
		if len(list) == 0 || len(seen) != len(list) {
			t.Errorf("%s: %v", st.name, list)
		}
	}
	if got := strings.Join(order, ", "); got != "default and tuned, search, Figure 1 and Table 1, Table 2, Table 4, Figures 7 to 9" {
		t.Error(got)
	}
	var names []string
	for _, name := range strings.Fields("bfs bfs_do bfs_st cc cc_af dmr mis mst mst_lock pr pr_dd pr_pull pr_row sssp sssp_bf sssp_ds sssp_nf tri tri_or") {
		p, err := engine.Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		s.programs = append(s.programs, p)
	}
	for _, tier := range tiers(s.programs) {
		for _, p := range tier {
			names = append(names, p.Name())
		}
		names = append(names, "|")
	}
	if got := strings.Join(names, " "); got != "bfs_do sssp_ds cc_af pr_pull tri_or mis mst dmr | bfs sssp cc pr tri mst_lock | bfs_st sssp_nf pr_row | sssp_bf pr_dd |" {
		t.Error(got)
	}
}

// differ returns the first line in which two texts differ.
func differ(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %s\nwant %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// TestResume checks that a run that was killed at any point goes on, and ends with
// what one that was not would have ended with; and that a report is made of what there
// was, without a device.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	o := Options{Programs: []string{"cc", "bfs"}, Inputs: inputs("path:9"), Candidates: 4, Fastest: 3, Best: true, Journal: path}
	rep := reportOf(t, o)
	rep.Notes = nil
	want := written(t, rep)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Device: "simt", Journal: path}); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a journal was overwritten: %v", err)
	}
	again := o
	again.Replay, again.NoCounts = true, true
	if got := written(t, reportOf(t, again)); got != want {
		t.Errorf("a replay differs: %s", differ(got, want))
	}
	for _, part := range []int{1, 40, 97} {
		if err := os.WriteFile(path, text[:len(text)*part/100], 0o666); err != nil {
			t.Fatal(err)
		}
		if part == 1 { // there is nothing to replay
			if _, err := Run(context.Background(), Options{Device: "simt", Journal: path, Replay: true}); err == nil {
				t.Error("half a line was replayed")
			}
		} else if rep := reportOf(t, again); len(rep.Left) == 0 || len(rep.Cells) == 0 {
			t.Errorf("%d %%: a replay has %d cells, left out %v", part, len(rep.Cells), rep.Left)
		}
		o.Resume = true
		said := 0
		o.Progress = func(text string) { said += strings.Count(text, " on ") }
		rep := reportOf(t, o)
		if part > 90 && said > 2 || part < 10 && said < 6 {
			t.Errorf("%d %%: %d choices were measured", part, said)
		}
		rep.Notes = nil
		if got := written(t, rep); got != want {
			t.Errorf("%d %%: after a kill: %s", part, differ(got, want))
		}
	}
	o.Device = "simt"
	if err := os.WriteFile(path, []byte("half\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{o, again} {
		if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("what is no journal was read: %v", err)
		}
	}
}

// TestGivenSwitches checks the table of choices that were asked for.
func TestGivenSwitches(t *testing.T) {
	rep := reportOf(t, Options{Programs: []string{"bfs", "dmr"}, Inputs: inputs("path:20"), Switches: parsed("", "np=fg  outline=auto")})
	tables := rep.Tables()
	if len(tables) != 2 || len(tables[0].Rows) != 2 || tables[0].Rows[1][2] != "outline=auto np=fg" || rep.Failures() > 0 {
		t.Errorf("%d failed:\n%s", rep.Failures(), written(t, rep))
	}
	if text := written(t, rep); !strings.Contains(text, "### Given switches") {
		t.Error(text)
	}
}

// TestTable1DP checks that the programs of the paper's Table 1 are measured by launches in device code, too, and
// that the table has what was measured.
func TestTable1DP(t *testing.T) {
	if got := len(launchingChoices("bfs")); got != 2 {
		t.Errorf("%d choices for bfs, want 2", got)
	}
	rep := newReport(&Options{})
	for i, switches := range launchingChoices("sssp_nf") {
		c := &Cell{Program: "sssp_nf", Input: "grid:9:9", Switches: switches}
		c.Value, c.Launches = []float64{6, 2, 4}[i], int64([]int{30, 2, 62}[i])
		rep.add(c)
	}
	rows := rep.table1DP().Rows
	if len(rows) != 1 || strings.Join(rows[0][:6], " ") != "sssp_nf grid:9:9 62 4.000 1.50 2.00" {
		t.Errorf("rows: %q", rows)
	}
}
