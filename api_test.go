package irgl_test

import (
	"errors"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl"
	"irgl/graph"
	"irgl/syntax"
)

// TestExportedNames lists the package's exported names: each one more is a promise.
func TestExportedNames(t *testing.T) {
	_, pkgs := loadHouse(t)
	var got []string
	for path, f := range pkgs["."].files {
		if isTest(path) {
			continue
		}
		for _, d := range f.Decls {
			got = append(got, topLevel(d)...)
		}
	}
	slices.Sort(got)
	want := strings.Fields(`Args Bundled Choose Device Devices ErrNoReference Executable Generated Input InterruptedError Kernel Load
		MemoryError NoDeviceError Node Options Output Param Parse Program ProgramError Programs Result Switches
		ParseSwitches TypeError Value Values`)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRunErrors: a run fails with a *ProgramError where a statement fails, and with a
// hint where the graph does not suit the program or kernels race.
func TestRunErrors(t *testing.T) {
	g, err := graph.Generate(t.Context(), "path:3:wmax=0")
	if err != nil {
		t.Fatal(err)
	}
	failed := func(text string) error {
		p, err := irgl.Parse("p.irgl", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		x, err := p.Compile(t.Context(), irgl.Options{Device: "simt"})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		_, err = x.Run(t.Context(), irgl.Input{Graph: g}, nil)
		return err
	}
	const kernel = "Kernel K(graph) { ForAll (n In graph.nodes) { %s } } Host main() { Invoke K(graph); }"
	if e, ok := errors.AsType[*irgl.ProgramError](failed("Graph graph { } " + fmt.Sprintf(kernel, "assert(n.id < 2);"))); !ok {
		t.Errorf("a failed assert is no *ProgramError: %v", e)
	}
	for name, text := range map[string]string{
		"weights": "Graph graph { Node int a = 0; Requires weights; } " + fmt.Sprintf(kernel, "ForAll (e In n.edges) { atomicAdd(&n.a, e.weight); }"),
		"race":    "Graph graph { } int a; " + fmt.Sprintf(kernel, "a = n.id;"),
	} {
		err := failed(text)
		var h interface{ Hint() string }
		if !errors.As(err, &h) || h.Hint() == "" {
			t.Errorf("%s: no hint: %v", name, err)
		}
	}
}

// topLevel returns the exported names that a declaration adds to its package.
func topLevel(d ast.Decl) []string {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	var out []string
	for _, n := range names {
		if n.IsExported() {
			out = append(out, n.Name)
		}
	}
	return out
}

// TestNoInternalTypes follows the types of the exported functions, fields and
// methods: other modules must be able to name each of them.
func TestNoInternalTypes(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if strings.Contains(typ.PkgPath(), "internal/") && strings.HasPrefix(typ.PkgPath(), "irgl/") {
			t.Errorf("%s is of the internal type %v", path, typ)
			return
		}
		own := typ.PkgPath() == "irgl" || typ == reflect.TypeFor[syntax.Diagnostic]() || typ == reflect.TypeFor[syntax.Error]()
		if typ.PkgPath() != "" && !own {
			return // the other packages have tests of their own
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(path, typ.Elem())
		case reflect.Map:
			walk(path, typ.Key())
			walk(path, typ.Elem())
		case reflect.Struct:
			for f := range typ.Fields() {
				if f.IsExported() {
					walk(path+"."+f.Name, f.Type)
				}
			}
		case reflect.Func:
			for in := range typ.Ins() {
				walk(path, in)
			}
			for out := range typ.Outs() {
				walk(path, out)
			}
		}
		if own && typ.Kind() != reflect.Pointer {
			for m := range reflect.PointerTo(typ).Methods() {
				walk(path+"."+m.Name, m.Type)
			}
		}
	}
	for name, v := range map[string]any{
		"Load": irgl.Load, "Parse": irgl.Parse, "Generated": irgl.Generated, "Bundled": irgl.Bundled, "Choose": irgl.Choose, "Programs": irgl.Programs, "Devices": irgl.Devices,
		"ParseSwitches": irgl.ParseSwitches, "Values": irgl.Values[int32], "Options": irgl.Options{}, "Args": irgl.Args{},
		"InterruptedError": irgl.InterruptedError{}, "MemoryError": irgl.MemoryError{}, "NoDeviceError": irgl.NoDeviceError{},
		"ProgramError": irgl.ProgramError{}, "TypeError": irgl.TypeError{}, "ParseFile": syntax.ParseFile,
	} {
		walk(name, reflect.TypeOf(v))
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[irgl.Result](), reflect.TypeFor[irgl.Executable](), reflect.TypeFor[irgl.Program]()} {
		if !seen[typ] {
			t.Errorf("%v was not reached: nothing returns it", typ)
		}
	}
}
