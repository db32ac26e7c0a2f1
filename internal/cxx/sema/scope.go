package sema

import (
	"iter"
	"slices"

	"irgl/internal/cxx/types"
)

// A scopeKind is what a scope belongs to.
type scopeKind uint8

const (
	nsScope scopeKind = iota
	classScope
	templateScope // the arguments of a template
	paramScope    // the parameters of a function
	blockScope
	enumScope
)

// A scope is a region of names, inside another.
type scope struct {
	kind   scopeKind
	parent *scope
	ns     *namespace
	class  *class
	body   *body // of paramScope and blockScope
	list   []symbol
	// holds has a bit for each number in list, as of [bitOf]: most lookups need not look into it.
	holds uint64
	index map[string]int32 // of list, once it is long; in the global scope of names without a number
	// numbered are the places in list, from 1, of names by their numbers, which number returns;
	// of the global scope alone.
	numbered []int32
	number   func(name string) int32
	// pattern says that parameters of a template are themselves.
	pattern bool
	// declaring is set while the parameters of a paramScope are being declared.
	declaring bool
	// control says that a blockScope is that of the names declared in the head of a statement,
	// which the outermost block of its substatement may not declare again ([basic.scope.block]/2).
	control bool
	// defined are the classes and enumerations that types in declarations define here.
	defined map[any]object
	uses    []directive // using directives in a block
}

// A symbol is what one name means in a scope: a type, and what hides it.
type symbol struct {
	name   string
	number int32  // of the name, or 0 where it is not known
	tag    object // a class or enumeration; hidden by what
	what   object
	more   []object // using declarations beside them
}

// bitOf returns the bit in scope.holds of the number of a name; all for a name without one.
func bitOf(number int32) uint64 {
	if number == 0 {
		return ^uint64(0)
	}
	return 1 << (number & 63)
}

const indexed = 12 // symbols of a scope from which on it has an index

func newScope(k scopeKind, parent *scope) *scope { return &scope{kind: k, parent: parent} }

func newNamespace(name string, parent *namespace) *namespace {
	n := &namespace{name: name, parent: parent, unnamed: name == "" && parent != nil}
	n.scope = &scope{kind: nsScope, ns: n}
	if parent != nil {
		n.scope.parent = parent.scope
	}
	return n
}

// get returns the symbol of a name, or nil.
func (s *scope) get(name string) *symbol {
	if s.numbered != nil {
		return s.getGlobal(name, 0)
	}
	if s.index != nil {
		if i, ok := s.index[name]; ok {
			return &s.list[i]
		}
		return nil
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].name == name {
			return &s.list[i]
		}
	}
	return nil
}

// getNumbered is get for a name with a number, which is compared in place of the text where both are
// known.
func (s *scope) getNumbered(name string, number int32) *symbol {
	if s.numbered != nil {
		return s.getGlobal(name, number)
	}
	if s.holds&bitOf(number) == 0 {
		return nil
	}
	if number == 0 || s.index != nil {
		return s.get(name)
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		if sym := &s.list[i]; sym.number == number || sym.number == 0 && sym.name == name {
			return sym
		}
	}
	return nil
}

// getGlobal is getNumbered for the global scope.
func (s *scope) getGlobal(name string, number int32) *symbol {
	if number == 0 {
		number = s.number(name)
	}
	if number > 0 {
		if i := s.numbered[number]; i > 0 {
			return &s.list[i-1]
		}
		return nil
	}
	if i, ok := s.index[name]; ok {
		return &s.list[i]
	}
	return nil
}

// put returns the symbol of a name, which is made if there is none. It is valid until
// the next put.
func (s *scope) put(name string) *symbol { return s.putNumbered(name, 0) }

// putNumbered is put for a name with a number.
func (s *scope) putNumbered(name string, number int32) *symbol {
	if sym := s.getNumbered(name, number); sym != nil {
		return sym
	}
	if n := len(s.list); n == cap(s.list) {
		s.list = slices.Grow(s.list, max(4, n))
	}
	if s.numbered != nil && number == 0 {
		number = s.number(name)
	}
	s.list = append(s.list, symbol{name: name, number: number})
	s.holds |= bitOf(number)
	n := len(s.list)
	switch {
	case s.numbered != nil && number > 0:
		s.numbered[number] = int32(n)
	case s.index != nil:
		s.index[name] = int32(n - 1)
	case n > indexed && s.numbered == nil:
		s.index = make(map[string]int32, 2*n)
		for i := range s.list {
			s.index[s.list[i].name] = int32(i)
		}
	}
	return &s.list[n-1]
}

// declare gives a name its meaning beside a class or enumeration of the name. It returns
// what had the name before, or nil.
func (s *scope) declare(name string, o object) object { return s.declareNumbered(name, 0, o) }

// declareNumbered is declare for a name with a number.
func (s *scope) declareNumbered(name string, number int32, o object) object {
	sym := s.putNumbered(name, number)
	old := sym.what
	if old == nil {
		sym.what = o
	}
	return old
}

// namespaceOf returns the innermost namespace around s.
func (s *scope) namespaceOf() *namespace {
	for ; s != nil; s = s.parent {
		if s.kind == nsScope {
			return s.ns
		}
	}
	return nil
}

// classOf returns the innermost class around s that its names see, or nil.
func (s *scope) classOf() *class {
	for ; s != nil; s = s.parent {
		if s.kind == classScope {
			return s.class
		}
	}
	return nil
}

// visible is the order of what names in a scope see of namespaces: what is declared before
// the class or function that the scope is of; 0 for no limit.
func (s *scope) visible() int32 {
	for ; s != nil && s.kind != nsScope; s = s.parent {
		switch {
		case s.kind == classScope && s.class.defOrder > 0:
			return s.class.defOrder
		case s.body != nil && s.body.fn != nil:
			return s.body.fn.bodyOrder()
		}
	}
	return 0
}

// typesScope returns what mangled names and messages call the scope.
func (s *scope) typesScope() types.Scope {
	for ; s != nil; s = s.parent {
		switch s.kind {
		case nsScope:
			return s.ns
		case classScope:
			return s.class.t
		case paramScope, blockScope:
			if s.body != nil {
				return s.body
			}
		}
	}
	return nil
}

// orderOf returns the place of a declaration among those of namespaces; 0 for what is
// visible wherever its scope is.
func orderOf(o object) int32 {
	switch o := o.(type) {
	case *alias:
		return o.order
	case *nsAlias:
		return o.order
	case *enum:
		return o.order
	case *enumConst:
		return o.enum.order
	case *variable:
		return o.order
	case *class:
		return o.order
	case *template:
		return o.order
	case *using:
		return o.order
	case *overloads:
		return o.order
	}
	return 0
}

// A finding is what a lookup has found.
type finding struct {
	obj  object
	more []object // beside obj: of using declarations, or of several namespaces
	// class is the class that members were found in, and path the bases from the class
	// that was asked to it.
	class *class
	path  []*types.Class
	// naming is the class that was asked.
	naming *class
	// ambiguous are two bases that have different entities of the name.
	ambiguous [2]*class
	early     object // declared too late to be meant
	// using are the using-declarations of classes that named what was found: a member has
	// their access where it is named by them ([namespace.udecl]/19).
	using []*using
}

func (f *finding) add(o object) {
	switch {
	case f.obj == nil:
		f.obj = o
	case f.obj == o:
	default:
		for _, p := range f.more {
			if p == o {
				return
			}
		}
		f.more = append(f.more, o)
	}
}

func (f *finding) found() bool { return f.obj != nil }

// all yields everything found.
func (f *finding) all() iter.Seq[object] {
	return func(yield func(object) bool) {
		if f.obj == nil || !yield(f.obj) {
			return
		}
		for _, o := range f.more {
			if !yield(o) {
				return
			}
		}
	}
}

// A want is which meanings of a name a lookup takes.
type want uint8

const (
	anything  want = iota
	onlyTypes      // what may precede ::
	onlyTags       // what may follow struct or enum: the class rather than an alias of its name
	onlyNamespaces
)

// take adds the meanings of a symbol that are wanted.
func (e *env) take(f *finding, sym *symbol, w want) {
	outer := len(f.more)
	if f.obj != nil {
		outer++
	}
	add := func(o object) {
		if e.order > 0 && orderOf(o) > e.order {
			if f.early == nil {
				f.early = o
			}
			return
		}
		if k, ok := o.(*enumConst); ok && k.enum.now != nil && k.index >= k.enum.now.index {
			return // it is declared behind its value ([basic.scope.pdecl]/4)
		}
		if a, ok := o.(*alias); ok && a.state == active && e.order > 0 && a.order == e.order {
			return // typedef struct S S
		}
		if set, ok := o.(*overloads); ok && set.hidden {
			return
		}
		if u, ok := o.(*using); ok {
			if u.scope.kind == classScope {
				f.using = append(f.using, u)
			}
			for _, t := range e.usingTargets(u) {
				if w == anything || isTypeLike(t) {
					f.add(t)
				}
			}
			return
		}
		f.add(o)
	}
	if w == onlyTags && sym.tag != nil && !isNamespace(sym.tag) {
		add(sym.tag)
		if f.found() {
			return
		}
	}
	if w == anything && sym.what != nil {
		add(sym.what)
	}
	if w != anything && sym.what != nil && isTypeLike(sym.what) && (w != onlyNamespaces || isNamespace(sym.what)) {
		add(sym.what)
	}
	for _, o := range sym.more {
		add(o)
	}
	if sym.tag != nil && (!f.found() || outer > 0 && outer == len(f.more)+1 && isTypeLike(f.obj)) {
		add(sym.tag) // nothing of the symbol's own hides it
	}
}

func isNamespace(o object) bool {
	switch o.(type) {
	case *namespace, *nsAlias:
		return true
	}
	return false
}

// isTypeLike reports whether an object may stand before ::.
func isTypeLike(o object) bool {
	switch o := o.(type) {
	case *namespace, *nsAlias, *alias, *enum, *class:
		return true
	case *template:
		return o.kind != varTemplate
	case *bound:
		return o.arg.Kind != types.ValueArg && o.arg.Kind != types.DependentValue
	}
	return false
}

// lookup finds what an unqualified name means.
func (e *env) lookup(name string, w want) finding { return e.lookupNumbered(name, 0, w) }

// lookupNumbered is lookup for a name with a number.
func (e *env) lookupNumbered(name string, number int32, w want) finding {
	var f finding
	for s := e.scope; s != nil; s = s.parent {
		switch s.kind {
		case classScope:
			if e.inOwnClass(&f, s.class, name, w) {
				f.naming = s.class
				return f
			}
			continue
		case nsScope:
			if s.parent != nil || len(s.ns.inlines)+len(s.ns.directives) > 0 {
				e.inNamespace(&f, s.ns, name, w, nil)
			} else if sym := s.getNumbered(name, number); sym != nil {
				e.take(&f, sym, w)
			}
		default:
			if s.holds&bitOf(number) != 0 {
				if sym := s.getNumbered(name, number); sym != nil {
					e.take(&f, sym, w)
				}
			}
		}
		if f.found() {
			return f
		}
		if len(s.uses) > 0 {
			for i := range s.uses {
				if to := e.directed(&s.uses[i], s); to != nil {
					e.inNamespace(&f, to, name, w, nil)
				}
			}
			if f.found() {
				return f
			}
		}
	}
	return f
}

// inNamespace adds what a name means in a namespace, and in those that using directives
// and inline namespaces add to it.
func (e *env) inNamespace(f *finding, n *namespace, name string, w want, seen []*namespace) {
	for _, m := range seen {
		if m == n {
			return
		}
	}
	if sym := n.scope.get(name); sym != nil {
		e.take(f, sym, w)
	}
	if len(n.inlines) == 0 && len(n.directives) == 0 {
		return
	}
	seen = append(seen, n)
	for _, m := range n.inlines {
		e.inNamespace(f, m, name, w, seen)
	}
	for i := range n.directives {
		d := &n.directives[i]
		if e.order > 0 && d.order > e.order {
			continue
		}
		if to := e.directed(d, n.scope); to != nil {
			e.inNamespace(f, to, name, w, seen)
		}
	}
}

// directed returns the namespace of a using directive, or nil.
func (e *env) directed(d *directive, in *scope) *namespace {
	if d.to == nil && d.decl != nil {
		decl := d.decl
		d.decl = nil
		sub := env{checker: e.checker, scope: in, order: d.order}
		d.to = sub.namespaceNamed(decl.Name)
	}
	return d.to
}

// inClass adds what a name means in a class or its bases, and reports whether it is
// found.
func (e *env) inClass(f *finding, k *class, name string, w want) bool {
	if k.deferred && name == "operator=" {
		e.implicits(k)
	}
	if sym := k.scope.get(name); sym != nil {
		saved := e.order
		e.order = 0
		e.take(f, sym, w)
		e.order = saved
		if f.found() {
			f.class = k
			return true
		}
	}
	if k.t.Name == name && k.named && w != onlyNamespaces {
		f.add(k)
		f.class = k
		return true
	}
	return e.inBases(f, k, name, w, false)
}

// inOwnClass is inClass for an unqualified name: bases that depend on a parameter of a
// template are not looked into.
func (e *env) inOwnClass(f *finding, k *class, name string, w want) bool {
	if k.tmpl == nil || k.explicit {
		return e.inClass(f, k, name, w)
	}
	bases := k.bases
	k.bases = nil
	found := e.inClass(f, k, name, w)
	k.bases = bases
	return found || e.inBases(f, k, name, w, true)
}

// inBases adds what a name means in the bases of a class.
func (e *env) inBases(f *finding, k *class, name string, w want, unqualified bool) bool {
	for i := range k.bases {
		b := &k.bases[i]
		if b.class == nil || unqualified && b.dependent {
			continue
		}
		var sub finding
		if !e.inClass(&sub, b.class, name, w) {
			continue
		}
		if !f.found() {
			*f = sub
			f.path = append([]*types.Class{b.class.t}, sub.path...)
			continue
		}
		if f.class != sub.class && f.obj != sub.obj {
			f.ambiguous = [2]*class{f.class, sub.class}
		}
	}
	return f.found()
}

// usingTargets returns what a using declaration means.
func (e *env) usingTargets(u *using) []object {
	if u.state == untouched {
		u.state = active
		sub := env{checker: e.checker, scope: u.scope, order: u.order}
		f := sub.lookupName(u.decl.Name, anything)
		u.found = slices.Collect(f.all())
		if u.scope.kind == classScope {
			sub.checkUsing(&f, u.decl.Name)
		}
		u.state = done
	}
	return u.found
}
