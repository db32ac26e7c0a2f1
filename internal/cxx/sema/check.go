package sema

import (
	"fmt"
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// Limits of the analysis.
const (
	maxErrors     = 20
	maxDepth      = 1024    // of template instances inside each other
	maxRecursion  = 4096    // of expressions, types and instances inside each other
	maxNotes      = 10      // of instances around an error
	maxCandidates = 8       // in a message
	maxPack       = 1 << 14 // elements of a pack that is expanded
)

// Options are what a translation unit is analysed with.
type Options struct {
	// Instances are names of instances of template kernels, such as reduce<float, 256>,
	// beside those that launches in the text name.
	Instances []string
	// Embedded are the compiler's own headers. A variable that another file defines in device
	// memory is part of the program even if no kernel uses it.
	Embedded map[*source.File]bool
	// Builtins returns the names that every file has without a declaration of its own, for
	// suggestions; it may be nil.
	Builtins func() []string
	// Symbols are the symbols that the host's compiler has given instances, by the name in
	// Instances; "" where several have one name.
	Symbols map[string]string
	// Closures are the lambdas that names in Instances refer to.
	Closures []Closure
	// Warnings is which warnings there are beside the usual ones: 1 for those of -Wall, 2 for
	// those of -Wextra too.
	Warnings int
	// Unreached has the functions of the program that no kernel reaches analysed, too. They are
	// not part of the result.
	Unreached bool
	// Relocatable lets device code use functions and variables that other translation units
	// define, and keeps those of this one that others may use.
	Relocatable bool
	// Host has the host's side analysed in place of the device's: Entry is the root, a kernel
	// that calls the program's main. Functions without a body that have C linkage are the
	// machine's, if Machine says so; launches become [hir.Launch], and the variables of the device
	// are those of the host that stand for them.
	Host    bool
	Entry   string
	Machine func(name string) bool
	// RelaxedTypename lets the names of dependent types be written without typename, as C++20 does
	// where nothing but a type can be meant.
	RelaxedTypename bool
}

// A Closure gives the type of an extended lambda, which has no name in C++, one.
type Closure struct {
	Alias  string // the name
	In     string // the function around the lambda, with its template arguments
	Number int    // of the lambda among the extended ones of the translation unit, from 0
	Count  int    // of extended lambdas in the host's text
	Size   int64  // of the closure in the host's code
}

// A checker is the analysis of one translation unit.
type checker struct {
	unit   *ast.Unit
	types  *types.Table
	diags  *source.List
	report *source.List // what reaches the user: diags while nothing is caught
	opts   Options

	global  *namespace
	order   int32 // of the last declaration registered
	kernels []*overloads
	// variables are those of namespaces, but for those of Options.Embedded.
	variables []*variable
	// unreached are functions for the device, where Options.Unreached has them analysed.
	unreached []*function
	// explicits are the explicit instantiations, in order.
	explicits []explicit
	// definitions are the functions that others may call, with Options.Relocatable.
	definitions []definition
	members     []member   // the same of static data members
	bodies      []hostBody // of host functions, for their launches
	extended    func() []int
	closures    map[closureKey]*class // of lambdas in host functions
	keep        bool                  // lambdas are analysed for their types, and again for their values
	kept        map[*ast.LambdaExpr]keptLambda
	asserts     []pendingAssert
	outOfLine   map[memberKey][]*outOfLine
	lambdas     map[types.Scope]int

	capturing      int // diagnostics are caught: of a substitution that may fail
	trap           *trap
	computed       []*hir.Init       // initial values that the host's side computes in front of main, in their order
	ofHost         int               // launches of host functions are read for the instances that they name
	warned         map[ast.Span]bool // the places of warnings that are given once
	deviceCalls    []deviceCall      // in the operands of the launch that is being read
	stopped        bool              // the limit of errors was reached
	depth          int
	recursion      int
	instances      []instance // being analysed, outermost first
	std            *namespace // namespace std, once looked up
	baseDepends    map[*ast.Base]bool
	lastAuto       types.Type   // what auto was last deduced to
	freeCandidates []candidates // the storage of resolutions that are over
	nodes          nodes
}

// An instance is one instance of a template on the stack.
type instance struct {
	what string
	pos  ast.Span
	fn   *function // whose body it is; nil for others
}

type explicit struct {
	decl  *ast.InstantiationDecl
	scope *scope
	order int32
}

// A hostBody is a function of the host.
type hostBody struct {
	fn    *function // nil for a member that is defined out of its class
	decl  *ast.FuncDecl
	scope *scope
	order int32
}

type pendingAssert struct {
	decl  *ast.StaticAssertDecl
	scope *scope
	order int32
}

// Check analyses what the kernels of a translation unit reach, and returns it. Errors
// and warnings are added to diags; the program is complete if there are no errors, and
// may be empty if there are.
func Check(u *ast.Unit, diags *source.List, o Options) (p *hir.Program) {
	c := newChecker(u, diags, o)
	defer func() {
		// What a wrong declaration leaves behind may be what the rest does not expect: the
		// errors say enough then. Without one, a panic is the compiler's own fault.
		if v := recover(); v != nil {
			if c.report.Errors() == 0 {
				panic(v)
			}
			p = &hir.Program{Types: c.types}
		}
	}()
	c.extended = u.ExtendedLambdas
	c.declareAll(c.global.scope, u.Decls)
	roots := c.roots()
	if c.opts.Relocatable && !c.opts.Host {
		roots = append(roots, c.exported()...)
	}
	p = c.collect(roots)
	if o.Unreached {
		c.analyseUnreached()
	}
	c.checkHostVariables()
	c.checkAsserts()
	return p
}

func newChecker(u *ast.Unit, diags *source.List, o Options) *checker {
	c := &checker{
		unit: u, types: types.NewTable(), diags: diags, report: diags, opts: o,
		outOfLine:   map[memberKey][]*outOfLine{},
		lambdas:     map[types.Scope]int{},
		baseDepends: map[*ast.Base]bool{},
		closures:    map[closureKey]*class{},
		kept:        map[*ast.LambdaExpr]keptLambda{},
	}
	c.global = newNamespace("", nil)
	if u.Number != nil {
		s := c.global.scope
		s.number, s.numbered, s.index = u.Number, make([]int32, u.Names), map[string]int32{}
	}
	return c
}

// errorf reports an error, with a note for each instance of a template around it.
func (c *checker) errorf(at ast.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	if c.stopped {
		return new(source.Diagnostic)
	}
	if c.capturing > 0 {
		return c.trap.catch(at, code, format, args)
	}
	if c.diags.Errors() >= maxErrors {
		c.stopped = true
		return c.diags.Errorf(at.Pos(), at.End(), codeTooMany, "too many errors: stopping now")
	}
	if c.opts.Host {
		format = strings.ReplaceAll(format, "device code", "host code that irgl evaluates")
		format = strings.ReplaceAll(format, " on the device", "")
	}
	d := c.diags.Errorf(at.Pos(), at.End(), code, format, args...)
	for i := len(c.instances) - 1; i >= 0 && i >= len(c.instances)-maxNotes; i-- {
		in := c.instances[i]
		c.note(d, in.pos, "in instantiation of "+shortened(in.what)+" requested here")
	}
	if n := maxNotes - len(c.instances); n > 0 && n < maxNotes && c.instances[0].fn != nil {
		for f := range c.instances[0].fn.requests {
			if n--; n < 0 {
				break
			}
			c.note(d, f.requestedAt(), "in instantiation of "+what(f)+" requested here")
		}
	}
	return d
}

// shortened returns a text without its middle if it is long.
func shortened(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	return text[:most/2] + "..." + text[len(text)-most/2:]
}

func (c *checker) warnf(at ast.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	if c.stopped {
		return new(source.Diagnostic)
	}
	return c.diags.Warnf(at.Pos(), at.End(), code, format, args...)
}

// note adds a note to a diagnostic.
func (c *checker) note(d *source.Diagnostic, at ast.Span, text string) {
	d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: at.Pos(), End: at.End(), Message: text})
}

// A trap catches the errors of an analysis that may fail, as clang's SFINAETrap does.
type trap struct {
	first *source.Diagnostic
	quiet bool // nobody reads the message of the first error
}

// catch records an error. Those after the first one have no message.
func (t *trap) catch(at ast.Node, code source.Code, format string, args []any) *source.Diagnostic {
	d := &source.Diagnostic{Pos: at.Pos(), End: at.End(), Code: code}
	if t.first == nil {
		t.first = d
		if !t.quiet {
			d.Message = fmt.Sprintf(format, args...)
		}
	}
	return d
}

// try runs f and returns the first error that it reports, or nil: nothing reaches the
// user.
func (c *checker) try(f func()) *source.Diagnostic { return c.trapped(f, trap{}) }

// fails runs f and reports whether it reports an error.
func (c *checker) fails(f func()) bool { return c.trapped(f, trap{quiet: true}) != nil }

func (c *checker) trapped(f func(), t trap) *source.Diagnostic {
	var list source.List
	diags, outer := c.diags, c.trap
	c.diags, c.trap = &list, &t
	c.capturing++
	f()
	c.capturing--
	c.diags, c.trap = diags, outer
	if t.first != nil {
		return t.first
	}
	for _, d := range list.Diags {
		if d.Severity == source.Error {
			return d
		}
	}
	return nil
}

// enter begins the analysis of an instance of a template; it returns false beyond the
// limit of depth. Leave ends it.
func (c *checker) enter(what string, at ast.Span) bool {
	if !c.deeper(at) {
		return false
	}
	c.instances = append(c.instances, instance{what, at, nil})
	return true
}

func (c *checker) leave() {
	c.depth--
	c.instances = c.instances[:len(c.instances)-1]
}

// tooDeep reports recursion beyond the limit, also from within a substitution, since no
// other candidate can mend it.
func (c *checker) tooDeep(at ast.Span) {
	c.aside(func() {
		c.errorf(at, codeDepth, "recursive template instantiation exceeded maximum depth of %d", maxDepth)
	})
	c.stopped = true
}

// packTooLong reports a pack beyond the limit, as tooDeep does: a recursive template whose pack doubles
// would not end before its depth does.
func (c *checker) packTooLong(at ast.Span) {
	c.aside(func() {
		c.errorf(at, codePack, "parameter packs of more than %d elements are not supported", maxPack)
	})
	c.stopped = true
}

// deeper counts one more entity whose analysis is inside of another's; it returns false
// beyond the limit, and once the analysis has stopped. The caller takes it back.
func (c *checker) deeper(at ast.Span) bool {
	if c.stopped {
		return false
	}
	if c.depth >= maxDepth {
		c.tooDeep(at)
		return false
	}
	c.depth++
	return true
}

// aside runs f as the analysis of an entity that a substitution only asks for: its errors
// are reported, whatever becomes of the substitution.
func (c *checker) aside(f func()) {
	diags, capturing := c.diags, c.capturing
	c.diags, c.capturing = c.report, 0
	f()
	c.diags, c.capturing = diags, capturing
}

// unexplained reports an expression that was given up without an error, so that nothing
// is left out in silence.
func (c *checker) unexplained(at ast.Node) {
	if c.capturing == 0 && c.diags.Errors() == 0 {
		c.errorf(at, codeRefused, "this is not supported in device code")
	}
}
