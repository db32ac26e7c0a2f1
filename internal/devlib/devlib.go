package devlib

import (
	"bytes"
	_ "embed"
	"slices"
	"sync"

	"irgl/internal/abi"
	"irgl/internal/source"
	"irgl/syntax"
)

//go:embed device.cu
var deviceText []byte

//go:embed coop.cu
var coopText []byte

//go:embed bounds.cu
var boundsText []byte

//go:embed scope.cu
var scopeText []byte

//go:embed ahead.cu
var aheadText []byte

//go:embed launch.cu
var launchText []byte

//go:embed host.cu
var hostText []byte

// Options chooses among the library's variants.
type Options struct {
	// Index64 makes row offsets and edge numbers 64-bit integers; they are
	// unsigned 32-bit integers otherwise.
	Index64 bool
	// Limits are the capacities that the sources name as macros (package abi).
	Limits abi.Limits
}

// A Library is the parsed sources.
type Library struct {
	decls []syntax.Decl
	index map[string]int // name -> position in decls
	uses  [][]int        // positions that decls[i] needs
}

// Load returns the library, which with the default limits is parsed once: nothing
// changes its trees. Its sources are part of the binary, so an error means that
// they and the parser disagree.
func Load(o Options) (*Library, error) {
	switch {
	case o.Limits != (abi.Limits{}):
		return parse(o)
	case o.Index64:
		return wide()
	}
	return narrow()
}

var (
	narrow = sync.OnceValues(func() (*Library, error) { return parse(Options{}) })
	wide   = sync.OnceValues(func() (*Library, error) { return parse(Options{Index64: true}) })
)

func parse(o Options) (*Library, error) {
	index := "typedef unsigned int irgl_index;\n"
	if o.Index64 {
		index = "typedef long irgl_index;\n"
	}
	lib := &Library{index: map[string]int{}}
	files := []struct {
		name  string
		text  []byte
		decls []syntax.Decl
		diags source.List
	}{{name: "index"}, {name: "device", text: deviceText}, {name: "coop", text: coopText}, {name: "bounds", text: boundsText},
		{name: "scope", text: scopeText}, {name: "ahead", text: aheadText}, {name: "launch", text: launchText}, {name: "host", text: hostText}}
	// The files do not depend on each other: all are parsed at once.
	macros := o.Limits.Macros()
	var all sync.WaitGroup
	for i := range files {
		f := &files[i]
		all.Go(func() {
			text := expand(slices.Concat([]byte(index), f.text), macros)
			f.decls = syntax.Parse(source.NewFile("devlib/"+f.name+".cu", text), syntax.CUDA, &f.diags).Decls
		})
	}
	all.Wait()
	for i := range files {
		if err := files[i].diags.Err(); err != nil {
			return nil, err
		}
		// A file is parsed with the type in front, which the first one keeps.
		lib.decls = append(lib.decls, files[i].decls[min(i, 1):]...)
	}
	lib.link()
	return lib, nil
}

// expand replaces the macros of package abi by their values. All are numbers, so that
// the preprocessor has nothing to do, which takes a tenth of the time of parsing.
func expand(text []byte, macros map[string]string) []byte {
	for name, value := range macros {
		text = bytes.ReplaceAll(text, []byte(name), []byte(value))
	}
	return text
}

// link finds what each declaration declares and needs.
func (lib *Library) link() {
	for i, d := range lib.decls {
		for _, name := range declared(d) {
			lib.index[name] = i
		}
	}
	for i, d := range lib.decls {
		var uses []int
		need := func(name string) {
			if at, ok := lib.index[name]; ok && at != i {
				uses = append(uses, at)
			}
		}
		syntax.Inspect(d, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				need(n.Name)
			case *syntax.NamedType:
				need(n.Name)
			}
			return true
		})
		lib.uses = append(lib.uses, uses)
	}
}

// declared returns the names that d declares.
func declared(d syntax.Decl) []string {
	switch d := d.(type) {
	case *syntax.FuncDecl:
		return []string{d.Name.Name}
	case *syntax.VarDecls:
		var names []string
		for _, v := range d.Vars {
			names = append(names, v.Name.Name)
		}
		return names
	case *syntax.TypeDecl:
		var names []string
		if d.Name != nil {
			names = append(names, d.Name.Name)
		}
		if t, ok := d.Type.(*syntax.TagType); ok && t.Tag != nil {
			names = append(names, t.Tag.Name)
		}
		return names
	}
	return nil
}

// Select returns the declarations of names and of all they need, in the order
// of the sources. A name that the library does not have is ignored. The trees
// are shared: they must not be changed.
func (lib *Library) Select(names ...string) []syntax.Decl {
	wanted := make([]bool, len(lib.decls))
	var want func(i int)
	want = func(i int) {
		if wanted[i] {
			return
		}
		wanted[i] = true
		for _, j := range lib.uses[i] {
			want(j)
		}
	}
	for _, name := range names {
		if i, ok := lib.index[name]; ok {
			want(i)
		}
	}
	var out []syntax.Decl
	for i, d := range lib.decls {
		if wanted[i] {
			out = append(out, d)
		}
	}
	return out
}

// Has reports whether the library declares name.
func (lib *Library) Has(name string) bool {
	_, ok := lib.index[name]
	return ok
}

// Link returns the declarations of a program with those of the library that they
// name, directly or not, in an order in which every name is declared before its
// use: types, variables, device code, host code. The order within a kind is kept.
func (lib *Library) Link(program []syntax.Decl) []syntax.Decl {
	names := []string{"irgl_index"}
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] && lib.Has(name) {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, d := range program {
		syntax.Inspect(d, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				add(n.Name)
			case *syntax.NamedType:
				add(n.Name)
			}
			return true
		})
	}
	all := slices.Concat(lib.Select(names...), program)
	slices.SortStableFunc(all, func(a, b syntax.Decl) int { return kindOf(a) - kindOf(b) })
	return all
}

// kindOf returns the place of a declaration's kind in the order of [Library.Link].
func kindOf(d syntax.Decl) int {
	switch d := d.(type) {
	case *syntax.NamesDecl, *syntax.TypeDecl, *syntax.DefineDecl:
		return 0
	case *syntax.VarDecls:
		return 1
	case *syntax.CBlock:
		return 2
	case *syntax.FuncDecl:
		if d.Attrs&(syntax.Global|syntax.Device) != 0 {
			return 2
		}
	}
	return 3
}
