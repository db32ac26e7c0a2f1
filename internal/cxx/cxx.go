package cxx

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/headers"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/lower"
	"irgl/internal/cxx/parse"
	"irgl/internal/cxx/sema"
	"irgl/internal/source"
	"irgl/syntax"
)

// Options are what a file is compiled with. The zero Options compile C++17.
type Options struct {
	Std     int          // the version of C++, such as 201703; 0 for that one
	Arch    int          // the value of __CUDA_ARCH__, such as 750
	Defines []cpp.Define // of -D and -U, in order
	User    []string     // folders of -I
	System  []string     // folders of -isystem
	Forced  []string     // files that are read before the text, in quotes
	// Instances are names of instances of kernel templates to compile, such as
	// reduce<float, 256>, beside those that the file names.
	Instances []string
	// Symbols and Closures are of instances with lambdas among their arguments, as the
	// host's compiler has named them.
	Symbols  map[string]string
	Closures []sema.Closure
	// Unreached has device functions that no kernel reaches analysed, for what is wrong in them.
	Unreached bool
	// Warnings is which warnings there are beside the usual ones, as of [sema.Options].
	Warnings int
	// Textures is how device code reads textures and surfaces.
	Textures headers.Textures
	// Relocatable compiles device code that is linked with that of other files.
	Relocatable bool
	// Host compiles the host's side of the file, for evaluation; nil for the device's.
	Host *Host
}

// Host is how the host's side of a file is compiled.
type Host struct {
	Headers fs.FS                  // those of the host's C library and of the CUDA runtime, and ours
	Machine func(name string) bool // whether the machine that evaluates has a function
	Stack   int64                  // bytes of the machine's stack
}

// Entry is the kernel that runs main of a program whose host's side is compiled.
const Entry = "__irgl_main"

// A Unit is one file on its way through the front end.
type Unit struct {
	Name string
	// Includes are the files that the unit includes, beside headers of the system.
	Includes []string
	AST      *ast.Unit
	HIR      *hir.Program

	demand   *headers.Demand // of the declarations that it has by name
	demanded []*source.File  // the headers that they are from
	pre      *cpp.Result
}

// NotRead returns the headers that the unit includes and that no folder has: those of the
// system.
func (u *Unit) NotRead() []cpp.Include {
	return slices.DeleteFunc(slices.Clone(u.pre.Includes), func(i cpp.Include) bool { return i.Found != cpp.HostOnly })
}

// Parse preprocesses and parses a file.
func Parse(main *source.File, o Options, diags *source.List) *Unit {
	var list source.List
	pre := preprocess(main, o, nil, &list)
	if more := headers.Transitive(pre); len(more) > 0 {
		list = source.List{}
		pre = preprocess(main, o, more, &list)
	}
	diags.Diags = append(diags.Diags, list.Diags...)
	if o.Host != nil {
		pre.Append(entry(o))
	}
	u := &Unit{Name: main.Name, demand: demand(pre, o), pre: pre}
	u.demanded = u.demand.Insert(pre)
	u.AST = parse.Parse(pre, diags, parse.Options{})
	for _, inc := range pre.Includes {
		if inc.File != nil && inc.Found == cpp.User {
			u.Includes = append(u.Includes, inc.File.Name)
		}
	}
	pre.AddNotes(diags)
	return u
}

// preprocess reads a file, behind the headers in more and the prelude, as nvcc includes
// cuda_runtime.h.
func preprocess(main *source.File, o Options, more []string, diags *source.List) *cpp.Result {
	arch, prelude, own := o.Arch, headers.Prelude, headers.FS()
	if o.Host != nil {
		arch, prelude, own = 0, headers.HostPrelude, o.Host.Headers
	}
	return cpp.Preprocess(main, cpp.Options{
		Dialect: cpp.CXX, Std: o.Std, Arch: arch, Defines: o.Defines,
		Includes: slices.Concat(more, []string{"<" + prelude + ">"}, o.Forced),
		Includer: &cpp.Folders{User: o.User, System: o.System, Embedded: own},
		Rest:     headers.Rest,
	}, diags)
}

// entry returns the tokens of what calls the program's main.
func entry(o Options) []cpp.Token {
	text, err := fs.ReadFile(o.Host.Headers, headers.HostMain)
	if err != nil {
		panic(err) // it is embedded
	}
	f := source.NewFile(headers.HostMain, text)
	return cpp.Preprocess(f, cpp.Options{Dialect: cpp.CXX, Std: o.Std}, new(source.List)).Tokens
}

// demand returns the declarations of what a file uses of CUDA's and C's names without an #include,
// and of headers that are read by name.
func demand(pre *cpp.Result, o Options) *headers.Demand {
	var not func(name string) bool
	if o.Host != nil {
		not = o.Host.Machine
	}
	d := headers.NewDemand(pre, o.Textures, o.Host != nil, not)
	tokens := pre.Tokens
	seen := make([]bool, pre.Names())
	for i := range tokens {
		t := &tokens[i]
		// A launch converts its operands to these. << < is nvcc's <<<.
		if t.Word == cpp.TripleLess || t.Word == cpp.LessLess && i+1 < len(tokens) && tokens[i+1].Word == cpp.Less {
			d.Name("dim3")
			d.Name("cudaStream_t")
		}
		if !t.IsName() || seen[t.Name] || t.Text() == "texture" && !cpp.IsTextureReference(tokens, i) {
			continue
		}
		seen[t.Name] = t.Name > 0
		d.Name(t.Text())
	}
	return d
}

// Reads reports whether the preprocessor leaves something of a line of a file, which may be
// the unit's own or one that it includes, in the unit's text.
func (u *Unit) Reads(name string, line int) bool {
	for i := range u.pre.Tokens {
		if pos := u.pre.Tokens[i].Pos(); pos.File != nil && pos.File.Name == name && pos.Line() == line {
			return true
		}
	}
	return false
}

// Check analyses what the kernels of the unit reach, and its variables in device memory.
func (u *Unit) Check(o Options, diags *source.List) {
	embedded := map[*source.File]bool{}
	for _, f := range u.demanded {
		embedded[f] = true
	}
	for _, inc := range u.pre.Includes {
		if inc.File != nil && inc.Found == cpp.Embedded {
			embedded[inc.File] = true
		}
	}
	s := sema.Options{Builtins: u.demand.Names, Instances: o.Instances, Embedded: embedded, Unreached: o.Unreached, Symbols: o.Symbols, Closures: o.Closures, Relocatable: o.Relocatable, Warnings: o.Warnings, RelaxedTypename: o.Std >= 202002}
	if o.Host != nil {
		s.Host, s.Entry, s.Machine = true, Entry, o.Host.Machine
	}
	u.HIR = sema.Check(u.AST, diags, s)
	u.pre.AddNotes(diags)
}

// LoadsTextures reports whether the unit names functions that read textures or surfaces by loads.
func (u *Unit) LoadsTextures() bool { return slices.ContainsFunc(u.demanded, headers.LoadsTextures) }

// FunctionName returns what C++ calls the function of a symbol; other names are returned as they are.
func (u *Unit) FunctionName(symbol string) string {
	for _, f := range u.HIR.Funcs {
		if f.Symbol == symbol {
			return f.Name
		}
	}
	return symbol
}

// Symbols calls yield for the functions and variables of relocatable device code that other
// units see, or that the host names, until it returns false.
func (u *Unit) Symbols(yield func(Symbol) bool) {
	for _, f := range u.HIR.Funcs {
		s := Symbol{Name: f.Symbol, Linkage: f.Linkage, Extern: f.Body == nil, Keep: f.Exported || f.Linkage == hir.External}
		if (f.Linkage != hir.Internal || f.Kind == hir.Kernel) && f.Builtin == "" && !yield(s) {
			return
		}
	}
	for _, v := range u.HIR.Vars {
		s := Symbol{Name: v.Symbol, Linkage: v.Linkage, Extern: v.Extern}
		file := v.Space != hir.Shared && v.Space != hir.SharedX && !strings.HasPrefix(v.Symbol, "_ZZ")
		if (v.Linkage != hir.Internal || file) && !yield(s) {
			return
		}
	}
}

// A Symbol is a function or variable of relocatable device code.
type Symbol struct {
	Name    string
	Linkage hir.Linkage
	Extern  bool // another unit defines it
	Keep    bool // a function that stays without a use
}

// Lower returns the unit, which must have been checked without an error, as a CUDA tree.
func (u *Unit) Lower(diags *source.List) *syntax.File {
	return lower.Lower(u.HIR, u.Name, diags)
}

// Dump writes the syntax tree of the unit, a node a line, without the names that every
// file has.
func (u *Unit) Dump(w io.Writer) error {
	own := *u.AST
	own.Decls = slices.DeleteFunc(slices.Clone(own.Decls), func(d ast.Decl) bool { return slices.Contains(u.demanded, d.Pos().File) })
	var b bytes.Buffer
	ast.Dump(&b, &own, true)
	_, err := w.Write(b.Bytes())
	return err
}

// Preprocessed returns the tokens of the unit, and what they come from.
func (u *Unit) Preprocessed() *cpp.Result { return u.pre }
