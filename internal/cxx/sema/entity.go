package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// An object is what a name may mean.
type object interface{ span() ast.Span }

// A state is how far the analysis of an entity is; active finds cycles.
type state uint8

const (
	untouched state = iota
	active
	done
)

type (
	// A namespace is one namespace, of all its parts.
	namespace struct {
		name       string
		parent     *namespace
		scope      *scope
		inline     bool
		unnamed    bool
		directives []directive
		inlines    []*namespace
		at         ast.Span
	}

	// A directive is using namespace To.
	directive struct {
		decl  *ast.UsingDirective
		to    *namespace // nil before it is looked up
		order int32
	}

	// An alias is typedef or using N = T.
	alias struct {
		decl   *ast.AliasDecl
		scope  *scope
		order  int32
		access types.Access
		typ    types.Type
		state  state
		// injected is the class template whose own name this is in the class.
		injected *template
		again    []*alias // other declarations of the name in the scope
	}

	// A nsAlias is namespace N = M.
	nsAlias struct {
		decl  *ast.NamespaceAlias
		scope *scope
		order int32
		to    *namespace
	}

	// An enum is one enumeration.
	enum struct {
		t      *types.Enum
		decl   *ast.EnumDecl
		scope  *scope // where it is declared
		order  int32
		inner  *scope // with its enumerators
		state  state
		consts []*enumConst
		access types.Access
		now    *enumConst // whose value is being computed
	}

	// An enumConst is one enumerator.
	enumConst struct {
		enum  *enum
		decl  *ast.EnumConst
		index int
		state state
		value uint64
		typ   types.Type // of its value while the enumeration is not complete
	}

	// A variable is a variable, a parameter or a static data member.
	variable struct {
		decl    *ast.VarDecl
		name    string
		at      ast.Span
		scope   *scope // where it is declared
		order   int32
		class   *class // of a static member
		access  types.Access
		specs   ast.Specs
		attrs   *ast.Attributes
		state   state
		typ     types.Type
		hir     *hir.Var
		owner   *body        // the function of a local one
		spelled ast.TypeExpr // the type of a parameter as it is written; nil for others
		param   int32        // its place among the parameters of a declaration, from 1; 0 for others
		def     *ast.VarDecl
		defIn   *scope
		tmpl    *template // of an instance
		args    []types.Arg
		valued  state // the constant value has been computed
		failed  bool
		used    bool // a name of it has been looked up
		folding bool // constantObject is computing its value

		external bool      // a declaration of it is extern
		once     *hir.Init // of a static one, whose value the host's side computes
	}

	// A packVar is a function's parameter that is a pack, in an instance.
	packVar struct {
		at   ast.Span
		vars []*variable
	}

	// A binding is a name of a structured binding: an expression.
	binding struct {
		at    ast.Span
		owner *body
		base  *variable
		make  func(e *env, at ast.Span) hir.Expr
	}

	// A field is a non-static data member.
	field struct {
		t     *types.Field
		decl  *ast.VarDecl
		class *class
		// path are the anonymous members around it, outermost first.
		path  []*types.Field
		at    ast.Span
		state state
		// naming is done once namesObject says whether the default initialiser names
		// the object.
		naming      state
		namesObject bool
		rest        *function // initialises this field and those after it
	}

	// A bound is a parameter of a template with its argument; in a pattern the argument
	// is the parameter itself.
	bound struct {
		param *ast.TemplateParam
		arg   types.Arg
	}

	// An opaque is a name of a host's declaration that could not be read.
	opaque struct {
		decl *ast.OpaqueDecl
	}

	// A using is using A::b, looked up when its name is.
	using struct {
		decl   *ast.UsingDecl
		scope  *scope
		order  int32
		access types.Access
		found  []object
		state  state
	}

	// An overloads is all functions and function templates of one name in a scope.
	overloads struct {
		name  string
		scope *scope
		funcs []*function
		// pending are declarations whose types have not been looked at.
		pending []*function
		specs   []*function // explicit specialisations that have not been matched
		order   int32
		state   state
		hidden  bool // friends alone, which no declaration in their namespace names
		kernels bool // among checker.kernels
	}
)

func (n *namespace) span() ast.Span { return n.at }
func (a *alias) span() ast.Span     { return a.decl.Span }
func (a *nsAlias) span() ast.Span   { return a.decl.Span }
func (x *enum) span() ast.Span      { return x.decl.Span }
func (x *enumConst) span() ast.Span { return x.decl.Span }
func (v *variable) span() ast.Span  { return v.at }
func (v *packVar) span() ast.Span   { return v.at }
func (b *binding) span() ast.Span   { return b.at }
func (f *field) span() ast.Span     { return f.at }
func (b *bound) span() ast.Span     { return b.param.Span }
func (o *opaque) span() ast.Span    { return o.decl.Span }
func (u *using) span() ast.Span     { return u.decl.Span }

func (o *overloads) span() ast.Span {
	if len(o.funcs) > 0 {
		return o.funcs[0].at
	}
	if len(o.pending) > 0 {
		return o.pending[0].at
	}
	return ast.Span{}
}

// ScopeName implements types.Scope.
func (n *namespace) ScopeName() string { return n.name }

// ScopeParent implements types.Scope.
func (n *namespace) ScopeParent() types.Scope {
	if n.parent == nil {
		return nil
	}
	return n.parent
}

// A function is one function: of a namespace, of a class, an instance of a template, or
// a template itself.
type function struct {
	name      string
	at        ast.Span
	decl      *ast.FuncDecl // nil for implicit members
	def       *ast.FuncDecl // with the body; nil for none
	scope     *scope        // where it is declared, with the arguments of its template
	defIn     *scope
	class     *class
	access    types.Access
	specs     ast.Specs
	attrs     *ast.Attributes
	kind      ast.FuncKind
	order     int32
	defOrder  int32 // of the definition; 0 for no limit
	requested request
	// generation is the number of instances of templates whose bodies lead to the function,
	// from a kernel.
	generation int32
	state      state // of the type
	bodied     state // of the body
	bad        bool  // its type has an error

	typ       types.Type // of kind Func; auto results as Auto until deduced
	params    []types.Type
	defaults  []defaultArg // by parameter, of all declarations
	deduced   bool         // the result has been deduced from the body
	specified bool         // noexcept(x) has been evaluated

	tmpl    *template // a template: not nil for the template itself
	of      *template // an instance: the template
	args    []types.Arg
	special specialKind
	first   int // of a restInit: the first field that it initialises
	deleted bool
	defaulted,
	implicit bool // declared by the compiler
	doesNothing  bool // a special member that the compiler defines copies bytes or does nothing
	static       bool
	friend       bool   // hidden: no declaration names it but those of friends
	friendOf     *class // of a hidden friend: the class that declares it; nil for several
	explicitSpec bool
	specialised  *specialised
	guide        guideRank // of a deduction guide
	inherited    *function // a base's constructor that using makes one of this class
	lambda       *closure
	pointerOf    *function // of a lambda's conversion to a pointer: the call operator
	hir          *hir.Func
	symbol       *types.Symbol // what its mangled name is made of
	sameName     *function     // the function of an earlier declaration that this one completes
	root         bool          // among checker.roots
}

// A defaultArg is a default argument and where its names are looked up.
type defaultArg struct {
	x     ast.Expr
	scope *scope
	order int32 // what it sees of namespaces; 0 for no limit
	// tmpl are the parameters of the template's declaration that has it: another one may call them otherwise.
	tmpl []*ast.TemplateParam
}

func (f *function) span() ast.Span { return f.at }

// number returns the number of the function's name, or 0 where it is not known.
func (f *function) number() int32 {
	if f.decl == nil || f.decl.Name == nil || f.decl.Name.Last.Kind != ast.Identifier {
		return 0
	}
	return f.decl.Name.Number
}

// A specialKind is which special member a function is.
type specialKind uint8

const (
	notSpecial specialKind = iota
	defaultCtor
	copyCtor
	moveCtor
	copyAssign
	moveAssign
	destructor
	restInit // initialises the last fields of an aggregate
)

func (k specialKind) String() string {
	return [...]string{"", "default constructor", "copy constructor", "move constructor", "copy assignment operator", "move assignment operator", "destructor", "initializer of members"}[k]
}

// functionOf returns the function that h is in the semantic tree, or nil.
func functionOf(h *hir.Func) *function {
	f, _ := h.Decl.(*function)
	return f
}

// has reports whether f has all of the specifiers.
func (f *function) has(s ast.Specs) bool { return f.specs.Has(s) }

// result returns the type of the function's result.
func (f *function) result() types.Type { return f.typ.Elem }

// isMember reports whether f has an object.
func (f *function) isMember() bool { return f.class != nil && !f.static }
