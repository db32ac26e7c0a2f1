package engine

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"irgl/internal/check"
	"irgl/internal/gogen"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// This file writes a Go package for a program: its arguments and results as structs
// with Go types, over the public package irgl, and its code for the CPU.

// A GoPackage is a Go package for a program. Its files are Go code, and the program's
// text, which is embedded and from which the code for a GPU is made.
type GoPackage struct {
	Files map[string][]byte // by name
	// Absent are files that the package of another text of the program may have.
	Absent []string
	// Note says why there is no Go code of the program in the package, so that the
	// interpreter runs it on the CPU; "" if there is.
	Note string
}

// GoPackage returns a package of that name for the program; with "" the name is made
// from the program's.
func (p *Program) GoPackage(name string) (*GoPackage, error) {
	if p.info.Entry == nil {
		return nil, fmt.Errorf("%s has no Host function to run", p.file.Name)
	}
	if name == "" {
		name = goPackageName(p.name)
	}
	if !token.IsIdentifier(name) || strings.Trim(name, "_") == "" || name == "main" {
		return nil, fmt.Errorf("%q cannot be the name of a Go package that is imported", name)
	}
	d := p.goProgram(name)
	out := &GoPackage{Files: map[string][]byte{d.File: p.Source()}}
	for _, wide := range []bool{false, true} {
		file := d.base() + "_cpu.go"
		if wide {
			file = d.base() + "_cpu_wide.go"
		}
		if out.Note != "" || wide && !p.wide().Distances {
			out.Absent = append(out.Absent, file)
			continue
		}
		variable, code, err := p.goCode(name, wide)
		if err != nil && source.Diagnostics(err) == nil {
			return nil, err
		}
		if err != nil { // the language has what generated Go has not
			out.Note, _ = gogen.Fallback(err, p.name)
			out.Absent = append(out.Absent, file)
			continue
		}
		out.Files[file] = code
		d.Code = append(d.Code, variable)
	}
	var b bytes.Buffer
	d.write(&b)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated package is not Go: %w", err)
	}
	out.Files[d.base()+".go"] = text
	return out, nil
}

// goCode returns the program's Go code as a file of a package, and the name of the
// variable in it that holds the program.
func (p *Program) goCode(name string, wide bool) (variable string, code []byte, err error) {
	info := p.onCPU(wide)
	o := gogen.Options{Package: name, Program: p.name, Source: gogen.Hash(p.file.Content), RT: "irgl/rt", Wide: wide}
	code, err = gogen.Generate(info, o)
	return o.VarName(), code, err
}

// A goProgram is what the package shows of a program.
type goProgram struct {
	Package, Name, File string
	Code                []string // variables with its Go code
	Doc                 []string
	Graph, Mesh         bool
	Params              []goParam
	Outputs             []goOutput
	Math                bool // it needs package math
}

// base returns what the names of the package's files begin with. It has no underscores,
// behind which Go looks for the name of a system, or "test".
func (d *goProgram) base() string { return strings.ReplaceAll(d.Package, "_", "") }

type goParam struct{ Field, Name, Type, Default, Doc string }

type goOutput struct {
	Field, Name, Type string // of an element
	Doc               string
	One               bool // an output variable, not a property or array
	Wide, Bool        bool
}

// goProgram describes the program for [goProgram.write].
func (p *Program) goProgram(name string) *goProgram {
	d := &goProgram{Package: name, Name: p.name, Doc: wrapped(p.Doc(), 76)}
	d.File = d.base() + ".irgl"
	if filepath.Ext(p.file.Name) == ".json" {
		d.File = d.base() + ".json"
	}
	d.Graph, d.Mesh = p.Needs()
	used, params := map[string]bool{"Result": true}, map[string]bool{}
	for i, param := range p.Params() {
		t := basic(p.info.Entry.Params[i].Type)
		g := goParam{Field: fieldName(param.Name, params), Name: param.Name, Type: goType(t), Doc: "parameter " + param.Name}
		if t == check.Node {
			g.Type, g.Doc = "irgl.Node", g.Doc+", a node's number in the graph's file"
		}
		if init := p.info.Entry.Decl.Params[i].Default; init != nil {
			if c := p.info.Consts[init]; c != nil {
				v := run.Value{Type: basic(p.info.Types[init]), Int: c.Int, Float: c.Float}.Convert(t)
				g.Default, g.Doc = v.String(), g.Doc+", by default "+param.Default
				if math.IsInf(v.Float, 0) {
					d.Math, g.Default = true, fmt.Sprintf("%s(math.Inf(%d))", g.Type, int(math.Copysign(1, v.Float)))
				}
			}
		} else {
			g.Doc += ", which must be given"
		}
		d.Params = append(d.Params, g)
	}
	for _, prop := range p.info.Props {
		if prop.Output {
			t, n := basic(prop.Object.Type), prop.Object.Name
			o := goOutput{Field: fieldName(n, used), Name: n, Type: goType(t), Doc: fmt.Sprintf("%s, one for each %s, by index", p.typeName(prop.Object), strings.ToLower(prop.Of.String()))}
			o.Wide = p.distances()[prop.Object]
			d.Outputs = append(d.Outputs, o)
		}
	}
	for _, obj := range p.info.Globals {
		if obj.Attrs.Has(syntax.Output) {
			t, array := obj.Type, false
			if a, ok := t.(*check.Array); ok {
				t, array = a.Elem, true
			}
			o := goOutput{Field: fieldName(obj.Name, used), Name: obj.Name, Type: goType(basic(t)), One: !array, Doc: p.typeName(obj)}
			o.Wide, o.Bool = p.distances()[obj], basic(t) == check.Bool && !array
			d.Outputs = append(d.Outputs, o)
		}
	}
	return d
}

// goType returns the Go type of values of a type.
func goType(t check.Basic) string {
	if t == check.Bool {
		return "bool"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", run.NewColumn("", syntax.NodeDomain, t, 0).Data), "[]")
}

// fieldName returns an exported name that is not in used, and adds it.
func fieldName(name string, used map[string]bool) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case r == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if out == "" || !token.IsExported(out) {
		out = "X" + out
	}
	for used[out] {
		out += "_"
	}
	used[out] = true
	return out
}

// goPackageName returns a package name made of a program's.
func goPackageName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	if out == "" || unicode.IsDigit(rune(out[0])) || token.IsKeyword(out) || out == "main" || out == "irgl" || out == "graph" || out == "mesh" {
		out = "program" + out
	}
	return out
}

// wrapped returns text in lines of at most width columns.
func wrapped(text string, width int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// write writes the package, but for its layout, which is gofmt's work. It is no
// template: with package text/template the linker keeps every method of every type.
func (d *goProgram) write(b *bytes.Buffer) {
	// In a piece of text $P is the package, $N the program, $F the file of its text,
	// and $C the variables with its Go code.
	code := ""
	for _, variable := range d.Code {
		code += ", " + variable
	}
	names := strings.NewReplacer("$P", d.Package, "$N", d.Name, "$F", d.File, "$C", code)
	text := func(on bool, s string) {
		if on {
			b.WriteString(names.Replace(s))
		}
	}
	text(true, goHead)
	text(code != "", "// For the CPU its code is compiled in, and no Go toolchain is needed when it runs.\n")
	for i, line := range d.Doc {
		if i == 0 {
			b.WriteString("//\n")
		}
		fmt.Fprintf(b, "// %s\n", line)
	}
	text(true, "package $P\n\nimport (\n\"context\"\n_ \"embed\"\n")
	text(d.Math, "\"math\"\n")
	text(true, "\n\"irgl\"\n")
	text(d.Graph, "\"irgl/graph\"\n")
	text(d.Mesh, "\"irgl/mesh\"\n")
	text(true, goCompile)
	if len(d.Params) > 0 {
		b.WriteString("\n// Args are the arguments of a run.\ntype Args struct {\n")
		for _, p := range d.Params {
			fmt.Fprintf(b, "%s %s // %s\n", p.Field, p.Type, p.Doc)
		}
		b.WriteString("}\n\n// Defaults returns the arguments with the program's defaults.\nfunc Defaults() Args {\nreturn Args{")
		for _, p := range d.Params {
			if p.Default != "" {
				fmt.Fprintf(b, "%s: %s, ", p.Field, p.Default)
			}
		}
		b.WriteString("}\n}\n")
	}
	b.WriteString("\n// A Result is what a run left behind. The slices are its own, not copies")
	text(slices.ContainsFunc(d.Outputs, func(o goOutput) bool { return o.Wide }), "; those of dist_t\n// are copies where distances have 32 bits")
	b.WriteString(".\ntype Result struct {\n*irgl.Result\n")
	for _, o := range d.Outputs {
		fmt.Fprintf(b, "%s %s // %s\n", o.Field, o.goType(), o.doc())
	}
	b.WriteString("}\n")
	d.writeRun(b)
}

// writeRun writes the method Run.
func (d *goProgram) writeRun(b *bytes.Buffer) {
	b.WriteString("\n// Run runs the program.\nfunc (p *Program) Run(ctx context.Context")
	in := ""
	if d.Graph {
		b.WriteString(", g *graph.Graph")
		in = "Graph: g, "
	}
	if d.Mesh {
		b.WriteString(", m *mesh.Mesh")
		in += "Mesh: m"
	}
	args := "nil"
	if len(d.Params) > 0 {
		b.WriteString(", args Args")
		args = "irgl.Args{\n"
		for _, p := range d.Params {
			args += fmt.Sprintf("%q: args.%s,\n", p.Name, p.Field)
		}
		args += "}"
	}
	const fails = "if err != nil {\nreturn nil, err\n}\n"
	fmt.Fprintf(b, ") (*Result, error) {\nin := irgl.Input{%s}\nr, err := p.x.Run(ctx, in, %s)\n%sout := &Result{Result: r}\n", strings.TrimSuffix(in, ", "), args, fails)
	for _, o := range d.Outputs {
		fmt.Fprintf(b, "%s, err := irgl.Values[%s](r, %q)\n", o.Field, o.stored(), o.Name)
		value := o.Field
		if o.One {
			value += "[0]"
		}
		if o.Bool {
			value += " != 0"
		}
		fmt.Fprintf(b, "%sout.%s = %s\n", fails, o.Field, value)
	}
	b.WriteString("return out, nil\n}\n")
}

// stored returns the type with which the output's values are asked for.
func (o goOutput) stored() string {
	switch {
	case o.Type == "bool":
		return "uint8"
	case o.Wide:
		return "int64"
	}
	return o.Type
}

// goType returns the type of the output's field.
func (o goOutput) goType() string {
	t := o.stored()
	if o.Bool {
		t = "bool"
	}
	if !o.One {
		t = "[]" + t
	}
	return t
}

func (o goOutput) doc() string {
	if o.Wide {
		return o.Doc + "; math.MaxInt64 for none"
	}
	return o.Doc
}

const goHead = `// Code generated by irgl gen from the program $N. DO NOT EDIT.

// Package $P runs the IrGL program $N, on a GPU or the CPU.
`

const goCompile = `)

//go:embed $F
var text []byte

// A Program is $N, compiled for a device. Several goroutines may use it at once:
// their calls take turns.
type Program struct{ x *irgl.Executable }

// Compile makes the program ready to run on the device of o, which is opened here.
func Compile(ctx context.Context, o irgl.Options) (*Program, error) {
	p, err := irgl.Generated("$F", text$C)
	if err != nil {
		return nil, err
	}
	x, err := p.Compile(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Program{x}, nil
}

// Executable returns what runs the program: for its device, its notes and Prepare.
func (p *Program) Executable() *irgl.Executable { return p.x }

// Close gives the device and all its memory back.
func (p *Program) Close() error { return p.x.Close() }
`
