package irgl_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl/graph"
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/engine"
	"irgl/internal/golden"
	"irgl/internal/klap"
	throughput "irgl/internal/opt"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/mesh"
)

// The tests in this file keep the documents true: every program in them runs
// and prints what they say, and what they list is what the code has.

//go:generate go test -run ^TestGenerated -update . ./internal/ssagen ./cmd/irgl

// everywhere lists the devices that every machine has.
var everywhere = []string{"cpu", "interp", "simt"}

// A block is a fenced block of a document.
type block struct {
	line int
	text string
	// shown is the indented text that follows: what the compiler says.
	shown string
}

// blocks returns the blocks of one language in a Markdown file.
func blocks(t *testing.T, file, language string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	lines := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "```"+language {
			continue
		}
		b := block{line: i + 2}
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
			b.text += lines[i]
		}
		for j := i + 2; j < len(lines) && strings.HasPrefix(lines[j], "    "); j++ {
			b.shown += strings.TrimPrefix(lines[j], "    ")
		}
		out = append(out, b)
	}
	return out
}

func TestLanguagePrograms(t *testing.T) {
	ran, refused := 0, 0
	for _, b := range blocks(t, "docs/language.md", "irgl") {
		switch {
		case strings.HasPrefix(b.text, "// run: "):
			ran++
		case strings.HasPrefix(b.text, "// error: "):
			refused++
		}
		t.Run(fmt.Sprintf("line%d", b.line), func(t *testing.T) {
			t.Parallel()
			first, _, _ := strings.Cut(b.text, "\n")
			p, err := engine.Parse("language.irgl", []byte(b.text))
			if code, ok := strings.CutPrefix(first, "// error: "); ok {
				expectCode(t, err, source.Code(code))
				if b.shown != "" {
					var out strings.Builder
					engine.Explain(&out, err)
					if diff := cmp.Diff(b.shown, out.String()); diff != "" {
						t.Errorf("-document +message:\n%s", diff)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			formatted, err := engine.Format("language.irgl", []byte(b.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Parse("formatted.irgl", formatted); err != nil {
				t.Errorf("the formatted program does not check: %v", err)
			}
			args, ok := strings.CutPrefix(first, "// run: ")
			if !ok {
				return
			}
			for _, device := range everywhere {
				if device == "cpu" && testing.Short() {
					continue // it runs the Go toolchain
				}
				if diff := cmp.Diff(wanted(b.text), runBlock(t, p, device, strings.Fields(args))); diff != "" {
					t.Errorf("%s (-document +run):\n%s", device, diff)
				}
			}
		})
	}
	if ran < 10 || refused < 5 {
		t.Errorf("%d programs to run and %d to refuse: the document has more", ran, refused)
	}
}

// TestExamples runs the programs in examples: each begins with what it is run
// on and what that prints, as the blocks of the language's description do.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("examples/*/*.irgl")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".irgl"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := engine.Load(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			args, ok := strings.CutPrefix(first, "// run: ")
			if !ok {
				t.Fatal("it does not say what it is run on")
			}
			for _, device := range everywhere {
				if device == "cpu" && testing.Short() {
					continue
				}
				if diff := cmp.Diff(wanted(string(text)), runBlock(t, p, device, strings.Fields(args))); diff != "" {
					t.Errorf("%s (-file +run):\n%s", device, diff)
				}
			}
		})
	}
}

func expectCode(t *testing.T, err error, code source.Code) {
	t.Helper()
	list := source.Diagnostics(err)
	if list == nil {
		t.Fatalf("no diagnostics: %v", err)
	}
	for _, d := range list.Diags {
		if d.Code == code {
			return
		}
	}
	t.Errorf("no %s: %v", code, err)
}

// wanted returns the output that a program's comment shows.
func wanted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if out, ok := strings.CutPrefix(line, "// | "); ok {
			b.WriteString(out)
		}
	}
	return b.String()
}

// runBlock runs a program on a generated graph: words are its specification
// and arguments such as src=0.
func runBlock(t *testing.T, p *engine.Program, device string, words []string) string {
	t.Helper()
	return runWith(t, p, engine.Options{Device: device}, words)
}

// runWith is runBlock with options.
func runWith(t *testing.T, p *engine.Program, o engine.Options, words []string) string {
	t.Helper()
	ctx := context.Background()
	var in engine.Input
	var err error
	if points, ok := strings.CutPrefix(words[0], "points:"); ok {
		n, _ := strconv.Atoi(points)
		in.Mesh, err = mesh.Generate(ctx, n, 1)
	} else {
		in.Graph, err = graph.Generate(ctx, words[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	args := engine.Args{}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		args[name] = n
	}
	var out bytes.Buffer
	o.Stdout = &out
	x, err := p.Compile(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	r, err := x.RunOn(ctx, in, args)
	if err != nil {
		t.Fatalf("%s: %v", o.Device, err)
	}
	if err := r.WriteSummary(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestLanguageBuiltins checks the table of builtins: each exists, in .irgl
// files, and operator code may use it.
func TestLanguageBuiltins(t *testing.T) {
	text, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Builtins\n")
	section, _, _ = strings.Cut(section, "\n## ")
	name := regexp.MustCompile("`([A-Za-z_0-9]+)`")
	types := map[string]bool{"int": true, "unsigned": true, "float": true, "double": true, "f": true, "long": true}
	n := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, "|")
		for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
			if types[m[1]] {
				continue
			}
			n++
			b := check.LookupBuiltin(m[1])
			switch {
			case b == nil:
				t.Errorf("there is no %s", m[1])
			case b.CUDAOnly || b.LowLevel != "":
				t.Errorf("%s is not part of IrGL", m[1])
			case b.Kind == builtin.Func && strings.Contains(cells[2], "kernels") && (b.Host || !b.Device):
				t.Errorf("%s is not for kernels alone", m[1])
			case b.Kind == builtin.Func && strings.Contains(cells[2], "everywhere") && !(b.Host && b.Device):
				t.Errorf("%s is not for both sides", m[1])
			case b.Kind == builtin.Func && strings.Contains(cells[2], "host") && b.Device:
				t.Errorf("%s is not for host functions alone", m[1])
			}
		}
	}
	if n < 80 {
		t.Errorf("the tables have only %d names", n)
	}
	_, exact, _ := strings.Cut(section, "\nOf the functions of floating numbers ")
	exact, _, _ = strings.Cut(exact, " are exact")
	said := map[string]bool{}
	for _, m := range name.FindAllStringSubmatch(exact, -1) {
		said[m[1]] = true
	}
	for name := range builtin.Names() {
		if b := builtin.Lookup(name); b.Rule == builtin.MathCall && !b.CUDAOnly && strings.Contains(b.Forms[0], "f(f") && said[name] == b.Inexact {
			t.Errorf("%s: the page says that it is exact: %v", name, said[name])
		}
	}
}

// generated compares a document with what the code prints, or rewrites it.
func generated(t *testing.T, file, want string) {
	t.Helper()
	golden.File(t, file, want)
}

// TestGeneratedGrammar keeps the grammar at the end of the reference equal to
// the file beside the parser.
func TestGeneratedGrammar(t *testing.T) {
	grammar, err := os.ReadFile("syntax/grammar.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), "```text\n")
	if !ok {
		t.Fatal("docs/language.md has no block for the grammar")
	}
	generated(t, "docs/language.md", before+"```text\n"+strings.TrimRight(string(grammar), "\n")+"\n```\n")
}

// TestGeneratedGenerators keeps the list of generated graphs equal to the one of the
// command.
func TestGeneratedGenerators(t *testing.T) {
	text, err := os.ReadFile("docs/graphs.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "```text\n")
	_, after, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("docs/graphs.md has no block for the generators")
	}
	generated(t, "docs/graphs.md", before+"```text\n"+graph.SpecHelp()+"```\n"+after)
}

// TestGeneratedHostCalls keeps the list of what host functions of .cu files may call
// equal to the table of builtins.
func TestGeneratedHostCalls(t *testing.T) {
	text, err := os.ReadFile("docs/cuda.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "```text\n")
	_, after, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("docs/cuda.md has no block for the calls")
	}
	var b strings.Builder
	width := 0
	for i, name := range slices.Sorted(builtin.HostCalls()) {
		switch {
		case i == 0:
		case width+1+len(name) > 100:
			b.WriteString("\n")
			width = 0
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(name)
		width += len(name)
	}
	generated(t, "docs/cuda.md", before+"```text\n"+b.String()+"\n```\n"+after)
}

func TestGeneratedPasses(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Passes\n\nGenerated from packages internal/klap, internal/opt and internal/ssa/opt by `go generate`; do not edit.\n\n" +
		"`irgl build` and `irgl run` switch passes with `--disable` and `--enable` and print\n" +
		"the program after them with `--print-after`. A pass that is run again has the\n" +
		"switch of its first run, and one of its own.\n\n" +
		"## Passes over trees\n\n" +
		"The passes run on an IrGL program in the order of the table. A throughput switch\n" +
		"turns its pass on, or off.\n\n")
	if err := throughput.Passes().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Passes over launches in device code\n\n" +
		"The passes run on CUDA text with `--promote`, `--threshold`, `--coarsen` or `--granularity`, in the order of the table.\n\n")
	if err := klap.Passes().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Scalar passes\n\nThe passes run on the SSA form of device code in the order of the table.\n\n")
	b.WriteString("`irgl opt` runs them on a program in SSA form, one or some of them in any order that\n" +
		"the second table allows, verifies the program after each, and prints it:\n\n" +
		"    irgl build bfs --emit=ssa --passes= -o bfs.ssa\n" +
		"    irgl opt bfs.ssa --passes=mem2reg,constfold --stats\n" +
		"    irgl opt bfs.ssa --emit=analysis=loops,divergence\n\n" +
		"`irgl opt --list` names the passes, and `irgl opt --help` the analyses.\n\n")
	if err := opt.Passes().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/passes.md", b.String())
}

// stages lists the packages with diagnostics, in the order of the pipeline.
var stages = []struct{ dir, title string }{
	{"internal/cpp", "Tokens and directives"},
	{"syntax", "Syntax"},
	{"internal/cxx/parse", "Syntax of CUDA C++"},
	{"internal/cxx/sema", "Names, types and templates of CUDA C++"},
	{"internal/cxx/lower", "Lowering of CUDA C++ to CUDA C"},
	{"internal/dynpar", "Launches in device code"},
	{"internal/klap/emit", "Transformed programs as text"},
	{"internal/asdl", "Programs as JSON"},
	{"internal/plan", "Attributes"},
	{"internal/check", "Names, types and rules"},
	{"internal/opt", "Throughput optimisations"},
	{"internal/lower", "Lowering to CUDA"},
	{"internal/ssagen", "Device code to SSA"},
	{"internal/ptxgen", "SSA to PTX"},
	{"internal/host", "Host code on a device"},
	{"internal/hosteval", "Host code of CUDA C++ that is evaluated"},
	{"internal/gogen", "Go code for the CPU"},
	{"internal/interp", "The interpreter"},
	{"internal/ssa", "SSA text"},
	{"internal/ptx", "PTX text"},
}

func TestGeneratedDiagnostics(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nGenerated from the comments of the codes.go files by `go generate`; do not edit.\n\n" +
		"The letter is the stage. Codes are stable: they are only added, and never used\n" +
		"again for something else. Where there is an example, it is the smallest text that has the fault.\n")
	seen := map[string]bool{}
	for _, s := range stages {
		fmt.Fprintf(&b, "\n## %s\n\nPackage %s.\n\n| code | meaning | example |\n|---|---|---|\n", s.title, s.dir)
		list := codes(t, filepath.Join(s.dir, "codes.go"))
		if len(list) == 0 {
			t.Errorf("%s has no codes", s.dir)
		}
		for _, c := range list {
			if seen[c.code] {
				t.Errorf("%s: %s is in use already", s.dir, c.code)
			}
			seen[c.code] = true
			if c.meaning == "" {
				t.Errorf("%s: %s is not documented", s.dir, c.code)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.code, cell(c.meaning), codeCell(c.example))
		}
	}
	generated(t, "docs/diagnostics.md", b.String())
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// codeCell returns s as code in a cell of a table.
func codeCell(s string) string {
	if s == "" {
		return ""
	}
	fence := "`"
	if strings.Contains(s, "`") {
		fence = "``"
	}
	return fence + cell(s) + fence
}

// A code is a diagnostic's entry in a codes.go file.
type code struct{ code, meaning, example string }

var (
	dialect     = regexp.MustCompile("; (IrGL|CUDA)$")
	instruction = regexp.MustCompile(`^(\.[a-z]+|bra|call|[a-z]+\.[a-z0-9.]+) `)
	capital     = regexp.MustCompile(`([A-Z])`)
)

// inWords makes "unknown op" of codeUnknownOp.
func inWords(name string) string {
	return strings.ToLower(strings.TrimSpace(capital.ReplaceAllString(strings.TrimPrefix(name, "code"), " $1")))
}

// codes reads the entries of a codes.go file. The comment before an entry is
// text with an indented example; one at the end of its line is an example and
// a meaning, or a meaning alone.
func codes(t *testing.T, file string) []code {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []code
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if sel, ok := v.Type.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Code" {
				continue
			}
			c := code{code: strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`)}
			switch {
			case v.Doc != nil:
				c.meaning, c.example = splitDoc(v.Doc.Text())
				c.meaning = strings.TrimPrefix(c.meaning, v.Names[0].Name+": ")
				if left, right, ok := strings.Cut(c.meaning, ": "); ok && c.example == "" {
					c.meaning, c.example = left, right
				}
				c.meaning = dialect.ReplaceAllString(strings.TrimSuffix(c.meaning, "."), " ($1)")
			case v.Comment != nil:
				c.meaning = strings.TrimSpace(v.Comment.Text())
				if left, right, ok := strings.Cut(c.meaning, "  "); ok {
					c.example, c.meaning = left, strings.TrimSpace(right)
				} else if instruction.MatchString(c.meaning) {
					c.example, c.meaning = c.meaning, inWords(v.Names[0].Name)
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// splitDoc parts a comment into its text and its indented lines.
func splitDoc(text string) (meaning, example string) {
	var words, lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ") {
			lines = append(lines, trimmed)
		} else if trimmed != "" {
			words = append(words, trimmed)
		}
	}
	return strings.Join(words, " "), strings.Join(lines, " ")
}

// TestPerformancePage: the page of figures stays one that is read at a sitting, and
// links to every table under docs/measurements.
func TestPerformancePage(t *testing.T) {
	text, err := os.ReadFile("docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 200 {
		t.Errorf("docs/performance.md has %d lines, limit 200: tables belong to docs/measurements", n)
	}
	tables, err := filepath.Glob("docs/measurements/*.md")
	if err != nil || len(tables) == 0 {
		t.Fatal("no measurements", err)
	}
	for _, file := range tables {
		if link := "(measurements/" + filepath.Base(file) + ")"; !bytes.Contains(text, []byte(link)) {
			t.Errorf("docs/performance.md does not link to %s", file)
		}
	}
}

// TestGraphFormats: the table of docs/graphs.md has every format, and the file that it shows of
// one is read as that.
func TestGraphFormats(t *testing.T) {
	text, err := os.ReadFile("docs/graphs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| format | `--format` |")
	table, _, closed := strings.Cut(table, "\n\n")
	if !ok || !closed {
		t.Fatal("docs/graphs.md has no table of formats")
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	known := map[graph.Format]bool{}
	for line := range strings.Lines(table + "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		var formats []graph.Format
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			formats = append(formats, graph.Format(m[1]))
			known[graph.Format(m[1])] = true
		}
		var file strings.Builder
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			file.WriteString(m[1] + "\n")
		}
		if file.Len() == 0 {
			continue // binary
		}
		g, err := graph.Read(t.Context(), cells[1], strings.NewReader(file.String()))
		if err != nil || len(formats) == 0 || g.Info.Format != formats[0] || g.Info.FileEdges != 2 {
			t.Errorf("%s: %v, %+v", cells[1], err, g)
		}
	}
	for _, f := range graph.Formats() {
		if !known[f] {
			t.Errorf("the table has no %s", f)
		}
	}
}

// TestLinks: the files and sections that the documents link to are there.
func TestLinks(t *testing.T) {
	pages := []string{"README.md", "benchmarks/bfs/README.md", "benchmarks/peers/cpu/README.md", "benchmarks/programs/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/measurements/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]+))?\)`)
	n := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			n++
			file := page
			if m[1] != "" {
				file = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if m[2] != "" && !sections(t, file)[m[2]] {
				t.Errorf("%s links to %s: %s has no such section", page, m[0], file)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d links", n)
	}
}

// sections returns the anchors of a page's headings.
func sections(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	mark := regexp.MustCompile("[^a-z0-9_ -]")
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			out[strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return out
}
