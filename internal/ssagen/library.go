package ssagen

import (
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// Functions of <math.h> that are longer than a few instructions come from the
// device library, which is written in the language itself. A call of one
// becomes a call of the function "math.NAME", a name that no C program can
// have; link adds those functions, and their callees, after the program's own.

// libraryName returns the library's name of the overload of a builtin that
// check chose: float overloads have the suffix f, whether or not the call
// does.
func libraryName(name string, sig *check.Func) string {
	b := check.LookupBuiltin(name)
	if b != nil && b.Rule == builtin.MathCall && slices.Contains(sig.Params, check.Type(check.Float)) {
		name += "f"
	}
	return devlib.MathPrefix + name
}

// libraryCall calls the library's version of a builtin.
func (c *bcall) libraryCall() *ssa.Value {
	name := libraryName(c.name, c.sig)
	if !c.needed[name] {
		c.needed[name] = true
		c.needs = append(c.needs, name)
	}
	v := c.emit(ssa.OpCall, c.typ, c.args...)
	v.Sym = ssa.Name(librarySymbol(name))
	return v
}

// librarySymbol returns the name in SSA of a function or variable of the
// library.
func librarySymbol(name string) string {
	return "math." + strings.TrimPrefix(name, devlib.MathPrefix)
}

// symbol returns the name in SSA of a function or variable of the file.
func (b *builder) symbol(name string) string {
	if b.isLibrary {
		return librarySymbol(name)
	}
	return name
}

// link adds the library's functions that are called. An error in them is a bug
// of the library, not of the program.
func (b *builder) link() {
	if len(b.needs) == 0 {
		return
	}
	decls, err := devlib.SelectMath(b.needs...)
	if err != nil {
		b.diags.Errorf(source.Pos{}, source.Pos{}, codeEarlier, "the library of mathematical functions: %v", err)
		return
	}
	var diags source.List
	info := check.Check(&syntax.File{Name: "math.cu", Dialect: syntax.CUDA, Decls: decls}, &diags)
	if diags.Errors() == 0 {
		lib := newBuilder(info, &diags, b.opts, b.mod)
		lib.used, lib.isLibrary = b.used, true
		lib.build()
	}
	if err := diags.Err(); err != nil {
		b.diags.Errorf(source.Pos{}, source.Pos{}, codeEarlier, "the library of mathematical functions: %v", err)
	}
}
