package irgltest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/syntax"

	"github.com/rogpeppe/go-internal/txtar"
)

// The tests run the programs of few seeds. IRGL_SEEDS=n runs n, IRGL_FIRST=s
// begins at seed s, and IRGL_REDUCE=1m takes so long to reduce what fails.

var specs = []string{"empty:1", "path:5", "star:9", "clique:6", "grid:4:4", "rmat:6:4"}

// rtDir is where the sources of package rt are.
var rtDir = filepath.Join("..", "..", "rt")

func mustGenerate(t testing.TB, specs ...string) []*graph.Graph {
	t.Helper()
	var list []*graph.Graph
	for _, s := range specs {
		g, err := graph.Generate(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	return list
}

// seeds returns the seeds to run, n of them when nothing else is asked for.
func seeds(t testing.TB, n int) []uint64 {
	t.Helper()
	number := func(name string, v int) int {
		if s := os.Getenv(name); s != "" {
			var err error
			if v, err = strconv.Atoi(s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		return v
	}
	if testing.Short() {
		n = max(1, n/8)
	}
	var list []uint64
	first := number("IRGL_FIRST", 0)
	for i := range number("IRGL_SEEDS", n) {
		list = append(list, uint64(first+i))
	}
	return list
}

func mustLoad(t testing.TB, seed uint64) *Program {
	t.Helper()
	p, err := Load(fmt.Sprintf("seed%d", seed), Generate(seed))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return p
}

// TestGenerate: every program checks, and a seed always gives the same.
func TestGenerate(t *testing.T) {
	for _, seed := range seeds(t, 150) {
		p := mustLoad(t, seed)
		if Generate(seed) != p.Text {
			t.Fatalf("seed %d gives two programs", seed)
		}
	}
}

// TestGenerateKinds: the programs have every kind of statement that package syntax
// declares, but for empty ones and those that only a CUDA compiler understands.
func TestGenerateKinds(t *testing.T) {
	names, err := filepath.Glob("../../syntax/*.go")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "stmt" && len(m.Body.List) == 0 {
				missing[m.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = true
			}
		}
	}
	if len(missing) < 20 {
		t.Fatalf("%d kinds of statements", len(missing))
	}
	for _, kind := range []string{"CBlock", "AsmStmt", "EmptyStmt"} {
		delete(missing, kind)
	}
	for seed := uint64(0); len(missing) > 0 && seed < 300; seed++ {
		var diags source.List
		for n := range syntax.Preorder(syntax.Parse(source.NewFile("p.irgl", []byte(Generate(seed))), syntax.IrGL, &diags)) {
			delete(missing, reflect.TypeOf(n).Elem().Name())
		}
	}
	for kind := range missing {
		t.Errorf("no generated program has a %s", kind)
	}
}

// TestEngines compares the interpreter and the emulator.
func TestEngines(t *testing.T) {
	for _, seed := range seeds(t, 6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, seed)
			if f := emulated(p, mustGenerate(t, specs...), Variants); f != nil {
				t.Errorf("%v\n%s", f, reduced(t, p, f))
			}
		})
	}
}

// throughput returns a way to run a program with throughput passes, by number.
func throughput(k uint64) Variant {
	o := lower.Options{NP: lower.Schedulers(k % 32), Coop: lower.CoopLevel(k / 32 % 4), Batch: 1 << (k / 96 % 4), Eager: k%3 == 0, Deal: k%7 < 3, GridLoop: 3 + int(k%5)*4}
	o.BlockThreads = []int{32, 64, 48, 256}[k/384%4]
	o.Backoff = lower.Backoff{Order: lower.Order(k / 5 % 4), N: []int{1, 2, 3}[k/7%3], Serial: []int{0, 4}[k/3%2]}
	o.Bounds, o.Outline.Auto = k/2%3 == 0, k/11%2 == 0 && o.BlockThreads%32 == 0
	if k/13%3 == 0 {
		o.Outline = lower.Outline{Auto: true, Launches: true}
	}
	name := fmt.Sprintf("simt-np=%v-coop=%d-batch=%d-block=%d-outline=%v", o.NP, o.Coop, o.Batch, o.BlockThreads, o.Outline)
	return Variant{Name: name, Wide: k%5 == 0, Plain: k%7 == 0, Seed: k % 11, Capacity: int(k % 2), Lower: o}
}

// TestThroughput compares the interpreter and the emulator with throughput
// passes, in many combinations.
func TestThroughput(t *testing.T) {
	for _, seed := range seeds(t, 12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p := mustLoad(t, seed)
			var variants []Variant
			for k := range uint64(5) {
				variants = append(variants, throughput(seed*37+k*131+1))
			}
			if f := emulated(p, mustGenerate(t, "path:5", "star:70", "rmat:6:6"), variants); f != nil {
				t.Errorf("%v\n%s", f, reduced(t, p, f))
			}
		})
	}
}

// FuzzEngines compares the interpreter and the emulator in one variant.
func FuzzEngines(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := mustLoad(t, seed)
		v := Variants[seed%uint64(len(Variants))]
		if f := emulated(p, mustGenerate(t, "empty:1", "star:9", "rmat:4:4"), []Variant{v}); f != nil {
			t.Errorf("%v\n%s", f, reduced(t, p, f))
		}
	})
}

// TestGo compares the interpreter and generated Go, also on what was found once.
func TestGo(t *testing.T) {
	gs := mustGenerate(t, specs...)
	b := NewBatch(t.TempDir())
	programs := regressions(t)
	for _, seed := range seeds(t, 12) {
		programs = append(programs, mustLoad(t, seed))
	}
	for _, p := range programs {
		want, f := p.Answers(context.Background(), gs)
		if f != nil {
			t.Errorf("%s: %v", p.Name, f)
			continue
		}
		b.Add(p, gs, want)
	}
	runBatch(t, b)
}

// regressions returns what was found once and reduced.
func regressions(t *testing.T) []*Program {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	var list []*Program
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil || len(a.Files) != 1 {
			t.Fatalf("%s: %d files, %v", name, len(a.Files), err)
		}
		p, err := Load(strings.TrimSuffix(filepath.Base(name), ".txtar"), string(a.Files[0].Data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, p)
	}
	return list
}

// TestRegressions runs what was found once on the emulator, in every variant; with
// -short each in one.
func TestRegressions(t *testing.T) {
	gs := mustGenerate(t, specs...)
	for i, p := range regressions(t) {
		variants := Variants
		if testing.Short() {
			variants = Variants[i%len(Variants):][:1]
		}
		if f := emulated(p, gs, variants); f != nil {
			t.Errorf("%s: %v", p.Name, f)
		}
	}
}

// runBatch reports what is wrong with the programs of a batch.
func runBatch(t *testing.T, b *Batch) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go toolchain: generated Go is not compared")
	}
	found, err := b.Run(context.Background(), rtDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Programs {
		if f := found[p]; f != nil {
			t.Errorf("%s: %v\n%s", p.Name, f, reduced(t, p, f))
		}
	}
}

// TestBatchFinds: a wrong answer and a refused program are found, each at its
// program.
func TestBatchFinds(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go toolchain")
	}
	gs := mustGenerate(t, "path:2")
	b := NewBatch(t.TempDir())
	texts := []string{
		"Output int g; Host main() { g = 3; }",
		"union u { int i; float f; }; Output int g; Host main() { union u x; x.i = 3; g = x.i; }",
		"Output int g; Host main() { g = 4; }",
	}
	for _, text := range texts {
		p, err := Load("p", text)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(p, gs, []Outcome{{Text: "iterations 0\ng: 3\nprinted:\n"}})
	}
	found, err := b.Run(context.Background(), rtDir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range b.Programs {
		f := found[p]
		if f == nil {
			f = &Finding{}
		}
		got = append(got, f.Engine+" "+f.Kind)
	}
	if want := "[  gogen refused gogen-1 differs]"; fmt.Sprint(got) != want {
		t.Errorf("found %v, want %s", got, want)
	}
}

// TestReduce: what does not matter goes, what matters stays.
func TestReduce(t *testing.T) {
	text := Generate(8)
	p, err := Load("p", strings.Replace(text, "Host main(", "int needle(int a) { if (a) { a = a * 77; } return a; }\nHost main(", 1))
	if err != nil {
		t.Fatal(err)
	}
	got := Reduce(p.Text, 20*time.Second, func(p *Program) bool { return strings.Contains(p.Text, "* 77") })
	if len(got) > 300 || !strings.Contains(got, "* 77") || !strings.Contains(got, "Host ") {
		t.Errorf("reduced to\n%s", got)
	}
}

// emulated returns what is wrong with a program in the interpreter and on the
// emulator.
func emulated(p *Program, gs []*graph.Graph, variants []Variant) *Finding {
	ctx := context.Background()
	want, f := p.Answers(ctx, gs)
	if f != nil {
		return f
	}
	return p.Compare(ctx, gs, want, variants)
}

// reduced returns the part of a program for which the finding stays.
func reduced(t *testing.T, p *Program, f *Finding) string {
	limit, err := time.ParseDuration(os.Getenv("IRGL_REDUCE"))
	if err != nil {
		return "set IRGL_REDUCE=1m to have the program reduced"
	}
	gs := mustGenerate(t, specs...)
	if f.Graph != "-" {
		gs = mustGenerate(t, f.Graph)
	}
	var variants []Variant
	for _, v := range Variants {
		if v.Name == f.Engine {
			variants = append(variants, v)
		}
	}
	return Reduce(p.Text, limit, func(p *Program) bool {
		var g *Finding
		switch {
		case strings.HasPrefix(f.Engine, "gogen"):
			g = built(p, gs)
		case f.Kind == "refused":
			g = p.Compare(context.Background(), nil, nil, variants)
		default:
			g = emulated(p, gs, variants)
		}
		return g != nil && g.Engine == f.Engine && g.Kind == f.Kind && gist(g.Detail) == gist(f.Detail)
	})
}

// gist is what two details of the same finding have in common: the code of a
// diagnostic, or the first words.
func gist(s string) string {
	if _, after, ok := strings.Cut(s, " ["); ok {
		return after[:min(6, len(after))]
	}
	w := strings.Fields(s)
	return strings.Join(w[:min(2, len(w))], " ")
}

// built returns what is wrong with a program as generated Go.
func built(p *Program, gs []*graph.Graph) *Finding {
	dir, err := os.MkdirTemp("", "irgltest-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	want, f := p.Answers(context.Background(), gs)
	if f != nil {
		return nil
	}
	b := NewBatch(dir)
	b.Add(p, gs, want)
	found, err := b.Run(context.Background(), rtDir)
	if err != nil {
		return nil
	}
	return found[p]
}
