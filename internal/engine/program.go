package engine

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/gogen"
	"irgl/internal/gogen/bundled"
	"irgl/internal/infile"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/suggest"
	"irgl/internal/tune"
	"irgl/rt"
	"irgl/syntax"
)

// Programs returns the names of the bundled programs, sorted.
func Programs() []string { return programs.Names() }

// Bundled returns a bundled program.
func Bundled(name string) (*Program, error) {
	text, ok := programs.Text(name)
	if !ok {
		return nil, fmt.Errorf("there is no bundled program %q (there are %s)%s",
			name, strings.Join(Programs(), ", "), suggest.Hint(name, Programs()))
	}
	return Parse(name+".irgl", text)
}

// Load reads and checks an .irgl file. A read that blocks, of a pipe, ends with ctx.
func Load(ctx context.Context, path string) (*Program, error) {
	text, err := infile.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse checks the text of a program. The name is for messages. The error
// of a program that breaks a rule holds all its diagnostics; see [Explain]. A text
// that is a bundled program's makes that program, whatever the name is: its
// switches, compiled code and reference answer go with it.
func Parse(name string, text []byte) (*Program, error) {
	if ext := filepath.Ext(name); ext == ".cu" || ext == ".cuh" {
		return nil, fmt.Errorf("%s is CUDA, and this command is for programs in IrGL: irgl cuda run %s runs it, irgl cuda build makes a program of it", name, name)
	}
	u, err := compile.Compile(source.NewFile(name, text), syntax.IrGL, "check", compile.Options{})
	if err != nil {
		return nil, err
	}
	p := &Program{name: programName(name), bundled: programs.Identify(text), file: u.Source, info: u.Info, warnings: u.Diags}
	// Each form checks as the one for a GPU with narrow distances does: int and long go to
	// the same places, and all branches of ifs are checked.
	form := func(wide, cpu bool) func() *check.Info {
		return sync.OnceValue(func() *check.Info {
			u, _ := compile.Compile(p.file, syntax.IrGL, "check", compile.Options{Wide: wide, CPU: cpu})
			return u.Info
		})
	}
	p.wide = form(true, false)
	p.cpu = [2]func() *check.Info{form(false, true), form(true, true)}
	for i := range p.spaces {
		p.spaces[i] = sync.OnceValues(func() (*tune.Space, error) { return tune.SpaceOf(p.info, i == 1) })
	}
	p.distances = sync.OnceValue(p.findDistances)
	return p, nil
}

// ParseGenerated is [Parse] for a program whose Go code, with distances of 32 and of 64
// bits, is compiled into this binary: [Program.GoPackage] has printed it. The device
// cpu runs that code.
func ParseGenerated(name string, text []byte, code []*rt.Program) (*Program, error) {
	p, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	hash := gogen.Hash(text)
	for _, c := range code {
		if c == nil || c.Source != hash {
			return nil, fmt.Errorf("%s: the Go code beside it was generated from another text (hint: run irgl gen again)", name)
		}
	}
	p.code = code
	return p, nil
}

// onCPU returns what is known of the program in its form for the CPU.
func (p *Program) onCPU(wide bool) *check.Info {
	switch {
	case p.info.DeviceConsts && wide:
		return p.cpu[1]()
	case p.info.DeviceConsts:
		return p.cpu[0]()
	case wide:
		return p.wide()
	}
	return p.info
}

// compiledIn returns the engine over code of the program that is compiled into this
// binary: what it came with, or a bundled program's.
func (p *Program) compiledIn(wide bool) (run.Engine, bool) {
	for _, c := range p.code {
		if c.Wide == wide {
			return gogen.Engine(c, p.file), true
		}
	}
	return bundled.Lookup(p.bundled, p.file.Content, wide)
}

// Name returns the program's name: its file's, without directory and ending.
func (p *Program) Name() string { return p.name }

// Warnings writes what [Parse] found in the program that is allowed and
// probably wrong, as [Explain] writes errors.
func (p *Program) Warnings(w io.Writer) { p.warnings.Render(w) }

// Source returns the program's text.
func (p *Program) Source() []byte { return slices.Clone(p.file.Content) }

// Doc returns the first paragraph of the comment that begins the program's
// text, on one line.
func (p *Program) Doc() string {
	var words []string
	for line := range strings.Lines(string(p.file.Content)) {
		text, comment := strings.CutPrefix(strings.TrimSpace(line), "//")
		if text = strings.TrimSpace(text); !comment || text == "" {
			break
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

// Params returns the parameters of the program's entry function, in order.
func (p *Program) Params() []Param {
	if p.info.Entry == nil {
		return nil
	}
	var out []Param
	for i, obj := range p.info.Entry.Params {
		param := Param{Name: obj.Name, Type: obj.Type.String()}
		if d := p.info.Entry.Decl.Params[i].Default; d != nil {
			param.Default = syntax.String(d)
		}
		out = append(out, param)
	}
	return out
}

// Needs reports whether the program runs on a graph, a mesh, or both.
func (p *Program) Needs() (graph, mesh bool) { return p.info.Graph != nil, p.info.Mesh != nil }

// Known reports whether [Executable.Verify] has an independent answer to compare the
// program's with.
func (p *Program) Known() bool { return programs.Problem(p.bundled) != "" }

// Outputs returns the names of the properties and globals that are the
// program's results, in order of declaration, properties first.
func (p *Program) Outputs() []string {
	var out []string
	for _, prop := range p.info.Props {
		if prop.Output {
			out = append(out, prop.Object.Name)
		}
	}
	for _, obj := range p.info.Globals {
		if obj.Attrs.Has(syntax.Output) {
			out = append(out, obj.Name)
		}
	}
	return out
}

// Forms returns the names of what [Emit] prints: the syntax tree, the
// tree as JSON (report, Listing 6), CUDA, the compiler's SSA form, analyses, PTX, and Go.
func Forms() []string { return []string{"ast", "json", "hir", "cu", "ssa", "analysis", "ptx", "go"} }

// Emit compiles the text of an .irgl, .json or .cu file, as the name's ending
// says, and writes one form of it: "ast", "json", "hir", "cu", "ssa", "analysis", "ptx", or "go"
// (the CPU's code); "json" and "go" are of IrGL programs only. Nothing is
// written when there is an error.
func Emit(w io.Writer, name string, text []byte, form string, o compile.Options) error {
	file := source.NewFile(name, text)
	dialect, err := dialectOf(name)
	if o.CUDA {
		dialect, err = syntax.CUDA, nil
	}
	if err != nil {
		return err
	}
	if form == "go" {
		if dialect != syntax.IrGL {
			return fmt.Errorf("%s is CUDA: Go code is made from .irgl files", name)
		}
		o.CPU = true
		u, err := compile.Compile(file, dialect, "check", o)
		if err != nil {
			return err
		}
		return writeGo(w, u.Info, name, text)
	}
	last, err := compile.StageFor(form)
	if err != nil {
		return err
	}
	u, err := compile.Compile(file, dialect, last, o)
	if err != nil {
		return err
	}
	return u.Emit(w, form)
}

// writeGo writes the Go file that Build compiles for a program.
func writeGo(w io.Writer, info *check.Info, name string, text []byte) error {
	code, err := gogen.Generate(info, gogen.Options{
		Package: "main", Program: programName(name), Source: gogen.Hash(text), RT: "irglprogram/rt",
	})
	if err != nil {
		return err
	}
	_, err = w.Write(code)
	return err
}

// programName returns the name of a program by its file's.
func programName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// dialectOf returns the language of a file by its ending.
func dialectOf(name string) (syntax.Dialect, error) {
	switch ext := filepath.Ext(name); ext {
	case ".irgl", ".json", "":
		return syntax.IrGL, nil
	case ".cu", ".cuh":
		return syntax.CUDA, nil
	default:
		return 0, fmt.Errorf("%s: a program's file ends in .irgl, .json or .cu, not in %s", name, ext)
	}
}

// Check reports what is wrong with the text of an .irgl or .cu file, warnings
// included, to w, and returns an error if the program is refused. CUDA text is compiled to PTX for
// that if it has inline PTX, clusters or much shared memory, which are checked last.
func Check(w io.Writer, name string, text []byte, o compile.Options) error {
	dialect, err := dialectOf(name)
	if o.CUDA {
		dialect, err = syntax.CUDA, nil
	}
	if err != nil {
		return err
	}
	last := "check"
	if dialect == syntax.CUDA {
		last = "ssagen"
	}
	u, err := compile.Compile(source.NewFile(name, text), dialect, last, o)
	if err == nil && dialect == syntax.CUDA {
		err = u.Finish()
	}
	u.Diags.Render(w)
	if err == nil {
		u.WriteDoubts(w)
	}
	return err
}

// Format returns the text of an .irgl file in canonical form, and that of a
// program in JSON as IrGL text.
func Format(name string, text []byte) ([]byte, error) {
	dialect, err := dialectOf(name)
	if err != nil {
		return nil, err
	}
	if dialect == syntax.CUDA {
		return nil, fmt.Errorf("%s: only .irgl files are formatted: a .cu file's preprocessor lines would be lost", name)
	}
	var diags source.List
	file := source.NewFile(name, text)
	if asdl.IsJSON(file) {
		text := asdl.Text(file, &diags)
		return text, diags.Err()
	}
	tree := syntax.Parse(file, dialect, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return []byte(syntax.String(tree)), nil
}

// Explain writes an error as the command shows it: the diagnostics of a
// program with their source lines and hints, any other error on one line.
func Explain(w io.Writer, err error) {
	if list := source.Diagnostics(err); list != nil {
		list.Render(w)
		return
	}
	fmt.Fprintf(w, "irgl: %v\n", err)
}

// basic returns the arithmetic type of an output.
func basic(t check.Type) check.Basic {
	b, _ := t.(check.Basic)
	return b
}
