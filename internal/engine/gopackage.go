package engine

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/syntax"
)

// This file writes a Go package for a program: its arguments and results as structs
// with Go types, over the public package irgl.

// GoPackage returns the files of a Go package of that name, "" for one made of the
// program's, by their names: Go code, and the program's text, which it embeds.
func (p *Program) GoPackage(name string) (map[string][]byte, error) {
	if p.info.Entry == nil {
		return nil, fmt.Errorf("%s has no Host function to run", p.file.Name)
	}
	if name == "" {
		name = goPackageName(p.name)
	}
	if !token.IsIdentifier(name) || name == "_" || name == "main" {
		return nil, fmt.Errorf("%q cannot be the name of a Go package that is imported", name)
	}
	d := p.goProgram(name)
	var b bytes.Buffer
	if err := goPackage().Execute(&b, d); err != nil {
		return nil, err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated package is not Go: %w", err)
	}
	return map[string][]byte{name + ".go": text, d.File: p.Source()}, nil
}

// A goProgram is what the template shows of a program.
type goProgram struct {
	Package, Name, File string
	Doc                 []string
	Graph, Mesh         bool
	Params              []goParam
	Outputs             []goOutput
	Wide                bool // some output has distances
	Math                bool // it needs package math
}

type goParam struct{ Field, Name, Type, Default, Doc string }

type goOutput struct {
	Field, Name, Type string // of an element
	Doc               string
	One               bool // an output variable, not a property or array
	Wide, Bool        bool
}

// goProgram describes the program for the template.
func (p *Program) goProgram(name string) *goProgram {
	d := &goProgram{Package: name, Name: p.name, File: name + ".irgl", Doc: wrapped(p.Doc(), 76)}
	if p.file.Name != "" && filepath.Ext(p.file.Name) == ".json" {
		d.File = name + ".json"
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
	wide := p.wide()
	for _, prop := range p.info.Props {
		if prop.Output {
			t, n := basic(prop.Object.Type), prop.Object.Name
			o := goOutput{Field: fieldName(n, used), Name: n, Type: goType(t), Doc: fmt.Sprintf("%s, one for each %s, by index", prop.Object.Type, strings.ToLower(prop.Of.String()))}
			o.Wide = basic(wide.PropOf(n).Object.Type) != t
			d.Outputs = append(d.Outputs, o)
		}
	}
	for i, obj := range p.info.Globals {
		if obj.Attrs.Has(syntax.Output) {
			t, array := obj.Type, false
			if a, ok := t.(*check.Array); ok {
				t, array = a.Elem, true
			}
			o := goOutput{Field: fieldName(obj.Name, used), Name: obj.Name, Type: goType(basic(t)), One: !array, Doc: obj.Type.String()}
			o.Wide, o.Bool = wide.Globals[i].Type.String() != obj.Type.String(), basic(t) == check.Bool && !array
			d.Outputs = append(d.Outputs, o)
		}
	}
	for _, o := range d.Outputs {
		d.Wide, d.Math = d.Wide || o.Wide, d.Math || o.Wide
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

// goPackage is the text of the package; it is parsed when it is needed.
var goPackage = sync.OnceValue(func() *template.Template { return template.Must(template.New("package").Parse(goPackageText)) })

const goPackageText = `// Code generated by irgl gen from the program {{.Name}}. DO NOT EDIT.

// Package {{.Package}} runs the IrGL program {{.Name}}, on a GPU or the CPU.
{{- if .Doc}}
//{{range .Doc}}
// {{.}}{{end}}{{end}}
package {{.Package}}

import (
	"context"
	_ "embed"
{{- if .Math}}
	"math"
{{- end}}

	"irgl"
{{- if .Graph}}
	"irgl/graph"
{{- end}}
{{- if .Mesh}}
	"irgl/mesh"
{{- end}}
)

//go:embed {{.File}}
var text []byte

// A Program is {{.Name}}, compiled for a device. Several goroutines may use it at once:
// their calls take turns.
type Program struct{ x *irgl.Executable }

// Compile makes the program ready to run on the device of o, which is opened here.
func Compile(ctx context.Context, o irgl.Options) (*Program, error) {
	p, err := irgl.Parse("{{.File}}", text)
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
{{if .Params}}
// Args are the arguments of a run.
type Args struct {
{{- range .Params}}
	{{.Field}} {{.Type}} // {{.Doc}}
{{- end}}
}

// Defaults returns the arguments with the program's defaults.
func Defaults() Args {
	return Args{ {{- range .Params}}{{if .Default}}{{.Field}}: {{.Default}}, {{end}}{{end -}} }
}
{{end}}
// A Result is what a run left behind. The slices are its own, not copies.
type Result struct {
	*irgl.Result
{{- range .Outputs}}
	{{.Field}} {{if not .One}}[]{{end}}{{if .Wide}}int64{{else if .Bool}}bool{{else if eq .Type "bool"}}uint8{{else}}{{.Type}}{{end}} // {{.Doc}}{{if .Wide}}; math.MaxInt64 for none{{end}}
{{- end}}
}

// Run runs the program.
func (p *Program) Run(ctx context.Context{{if .Graph}}, g *graph.Graph{{end}}{{if .Mesh}}, m *mesh.Mesh{{end}}{{if .Params}}, args Args{{end}}) (*Result, error) {
	in := irgl.Input{ {{- if .Graph}}Graph: g, {{end}}{{if .Mesh}}Mesh: m{{end -}} }
	r, err := p.x.Run(ctx, in, {{if .Params}}irgl.Args{
{{- range .Params}}
		"{{.Name}}": args.{{.Field}},
{{- end}}
	}{{else}}nil{{end}})
	if err != nil {
		return nil, err
	}
	out := &Result{Result: r}
{{- range .Outputs}}
	{{- if .Wide}}
	{{.Field}}, err := distances(r, "{{.Name}}")
	{{- else}}
	{{.Field}}, err := irgl.Values[{{if eq .Type "bool"}}uint8{{else}}{{.Type}}{{end}}](r, "{{.Name}}")
	{{- end}}
	if err != nil {
		return nil, err
	}
	out.{{.Field}} = {{.Field}}{{if .One}}[0]{{end}}{{if .Bool}} != 0{{end}}
{{- end}}
	return out, nil
}
{{if .Wide}}
// distances returns distances as 64-bit integers: those of 32 bits, which suffice for
// most graphs, are copied.
func distances(r *irgl.Result, name string) ([]int64, error) {
	if wide, err := irgl.Values[int64](r, name); err == nil {
		return wide, nil
	}
	narrow, err := irgl.Values[int32](r, name)
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(narrow))
	for i, d := range narrow {
		if out[i] = int64(d); d == math.MaxInt32 {
			out[i] = math.MaxInt64
		}
	}
	return out, nil
}
{{end}}`
