package gogen

import (
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A fn is the translation of one function body.
type fn struct {
	*generator
	decl *syntax.FuncDecl
	out  []string // lines of Go, and marks
	top  []string // declarations hoisted to the start of the function
	node syntax.Node

	names      map[*check.Object]string        // locals
	taken      map[string]bool                 // Go names in use
	used       map[*check.Object]bool          // locals that are read
	hoisted    map[*check.Object]bool          // locals declared before their statement
	framed     map[*check.Object]bool          // locals in the frame of a thread
	arrays     map[string]string               // the run's arrays that a kernel holds in variables
	dstOf      map[*check.Object]string        // variable that holds an edge's destination
	alias      map[*check.Object]*check.Object // variables that parameters of inlined functions stand for
	read       map[string]bool                 // Go names of locals that are read, of functions inlined before
	inlined    *inlined                        // the function that is being inlined; nil for none
	proven     map[*check.Object]bool          // parameters of inlined functions whose arguments are proven to exist
	grown      int                             // by how many nodes inlining has grown the function
	rows       map[rowKey]string               // variables that hold the bounds of a node's edges
	invariants map[string]string               // variables that hold what is the same in all iterations, by its text
	early      []string                        // their definitions
	order      []string                        // keys of arrays, in order of first use

	hoist      bool // declare variables at the top: there are gotos
	labels     map[string]*syntax.Block
	usedLabels map[string]bool
	depth      []*syntax.Block // blocks around the statement
	loops      int             // loops around the statement, also host's

	recursive bool       // has a parameter for its depth
	checks    bool       // host code: its loops look whether the run is cancelled
	result1   check.Type // of the function
	atBegin   []string   // the variables of what a kernel's chunk adds up
	atEnd     []string   // what a kernel does before it returns

	kernel        *kernel                  // nil outside kernels
	sums          map[*check.Object]string // variables of a kernel's private sums
	held          map[*check.Object]string // and of its sums for elements of arrays
	owned         map[*check.Object]string // and of the arrays in which its workers add up
	holding       *check.Object            // the array whose element is being added to
	accessed      syntax.Expr              // the operand of & that an atomic accesses
	host          *hostState
	inInit        *initNames // in a property's initialiser
	statementCall *syntax.CallExpr
}

// reserved are names that locals must not have: Go's keywords and the names
// that generated code uses without a declaration in the function.
var reserved = strings.Fields(`break case chan const continue default defer else fallthrough for func go goto if import
	interface map package range return select struct switch type var
	bool byte int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 string any error
	true false nil iota copy len min max new panic unsafe rt math s depth _ init main`)

func (g *generator) newFn(decl *syntax.FuncDecl) *fn {
	f := &fn{
		generator: g, decl: decl, node: decl, result1: check.Void,
		names: map[*check.Object]string{}, taken: map[string]bool{}, used: map[*check.Object]bool{},
		hoisted: map[*check.Object]bool{}, arrays: map[string]string{}, dstOf: map[*check.Object]string{},
		alias: map[*check.Object]*check.Object{}, read: map[string]bool{}, proven: map[*check.Object]bool{}, invariants: map[string]string{}, rows: map[rowKey]string{}, labels: map[string]*syntax.Block{}, usedLabels: map[string]bool{},
	}
	for _, r := range reserved {
		f.taken[r] = true
	}
	return f
}

// unique returns a Go name like name that is not in use yet.
func (f *fn) unique(name string) string {
	if strings.HasPrefix(name, "label_") || name == "_" {
		name = "v" + name
	}
	try := name
	for i := 2; f.taken[try]; i++ {
		try = name + strconv.Itoa(i)
	}
	f.taken[try] = true
	return try
}

// params returns the parameter list in Go, without parameters that hold the
// graph or the mesh, and gives the parameters their names.
func (f *fn) params(info *check.FuncInfo) (list string, names []string) {
	var parts []string
	for i, o := range info.Params {
		t := info.Type.Params[i]
		if isWorld(t) {
			continue
		}
		name := "_"
		if o != nil {
			name = f.unique(o.Name)
			f.names[o] = name
			if o.Volatile {
				f.errorf(f.decl, codeVolatile, "generated Go has no volatile variables")
			}
		}
		parts = append(parts, name+" "+f.goType(check.Decay(t), f.decl))
		names = append(names, name)
	}
	return strings.Join(parts, ", "), names
}

// isWorld reports whether t is that of the graph or the mesh, which nobody
// passes.
func isWorld(t check.Type) bool { return t == check.GraphType || t == check.MeshType }

// lines returns the function's lines with the marks replaced.
func (f *fn) lines() []string {
	f.noteRead()
	read := f.read
	var out []string
	for _, l := range append(append([]string(nil), f.top...), f.out...) {
		if name, ok := strings.CutPrefix(l, useMark); ok {
			if !read[name] {
				out = append(out, "_ = "+name)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(l, readMark); ok {
			if name, text, _ := strings.Cut(rest, " "); read[name] {
				out = append(out, text)
			}
			continue
		}
		if name, ok := strings.CutPrefix(l, labelMark); ok {
			if f.usedLabels[name] {
				out = append(out, name+":")
			}
			continue
		}
		out = append(out, l)
	}
	return out
}

// array returns the expression for one of the run's arrays: row, dst, weight.
func (f *fn) array(name string) string {
	field := "s.r." + strings.ToUpper(name[:1]) + name[1:]
	return f.hold(field, name)
}

// propBase returns the expression for the start of a property's values.
func (f *fn) propBase(o *check.Object) string { return f.hold("s."+f.propFields[o], o.Name+"Of") }

// hold returns the variable in which a kernel holds a field; other functions
// read the field itself.
func (f *fn) hold(field, name string) string {
	if f.kernel == nil {
		return field
	}
	if f.arrays[field] == "" {
		f.arrays[field] = f.unique(name)
		f.order = append(f.order, field)
	}
	return f.arrays[field]
}

// function translates a plain C function.
func (g *generator) function(info *check.FuncInfo) {
	f := g.newFn(info.Decl)
	f.recursive = info.Recursive
	f.findLabels(info.Decl.Body)
	list, _ := f.params(info)
	list = depthParam(info, list)
	f.result1 = info.Type.Result
	result := ""
	if f.result1 != check.Void {
		result = f.goType(f.result1, info.Decl)
	}
	f.block(info.Decl.Body)
	if result != "" && !ends(f.out) {
		// Where control could come to the end, or Go thinks so.
		f.emit("return *new(%s)", result)
	}
	g.method(f, "// "+g.funcs[info.Object]+" is the function "+info.Object.Name+".", g.funcs[info.Object], list, result)
}

// method adds a method of the program's state to the file.
func (g *generator) method(f *fn, doc, name, params, result string) {
	g.bodies = append(g.bodies, doc, "func (s *"+g.state+") "+name+"("+params+") "+result+" {")
	g.bodies = append(g.bodies, f.lines()...)
	g.bodies = append(g.bodies, "}", "")
}
