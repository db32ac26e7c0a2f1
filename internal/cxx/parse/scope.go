package parse

import (
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// A kind is what a name may be, as a set.
type kind uint8

const (
	isType      kind = 1 << iota // a class, an enumeration, an alias, a type parameter
	isValue                      // a variable, a function, an enumerator
	isTemplate                   // of what the other bits say
	isNamespace                  //
	isParam                      // a template's parameter, on which everything in it depends
	isFunc                       // a function
)

// An ident is a name with what it has been declared as anywhere in the text.
type ident struct {
	kinds  kind
	global int32 // its place in the list of the global scope, from 1; 0 for none
}

// A sym is a declaration of a name in a scope.
type sym struct {
	id    *ident
	kind  kind
	scope *scope // of a namespace, a class or an enumeration; nil for others
}

type scopeKind uint8

const (
	namespaceScope scopeKind = iota
	classScope
	enumScope
	templateScope // template parameters
	blockScope
	memberScope // of a member's definition outside of its class: bases has the class
)

// A scope is a table of names.
type scope struct {
	kind     scopeKind
	global   bool // that of the text: ident.global has the places in list
	retained bool // a body that is not read yet refers to it
	explicit bool // a templateScope of template <>
	seen     uint32
	parent   *scope
	list     []sym
	table    map[*ident]int32 // indices of list, where that is long
	bases    []*scope
	usings   []*scope
}

// own returns the declaration of id in the scope itself.
func (s *scope) own(id *ident) *sym {
	if s.global {
		if id.global > 0 {
			return &s.list[id.global-1]
		}
		return nil
	}
	if s.table != nil {
		if i, ok := s.table[id]; ok {
			return &s.list[i]
		}
		return nil
	}
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].id == id {
			return &s.list[i]
		}
	}
	return nil
}

// find returns the declaration of id in the scope, its bases and what using directives add.
func (p *parser) find(s *scope, id *ident) *sym {
	if id.kinds == 0 {
		return nil
	}
	if len(s.bases)+len(s.usings) == 0 {
		return s.own(id)
	}
	p.lookups++
	return s.find(id, p.lookups)
}

func (s *scope) find(id *ident, mark uint32) *sym {
	if s.seen == mark {
		return nil
	}
	s.seen = mark
	if y := s.own(id); y != nil {
		return y
	}
	for _, b := range s.bases {
		if y := b.find(id, mark); y != nil {
			return y
		}
	}
	for _, u := range s.usings {
		if y := u.find(id, mark); y != nil {
			return y
		}
	}
	return nil
}

// intern returns the ident of a text.
func (p *parser) intern(text string) *ident {
	id := p.known(text)
	if id == nil {
		id = p.idents.New()
		p.names[text] = id
	}
	return id
}

// known returns the ident of a text, or nil for a name that the unit does not have.
func (p *parser) known(text string) *ident {
	if p.number != nil {
		if n := p.number(text); n > 0 {
			return &p.numbered[n]
		}
	}
	return p.names[text]
}

// identOf returns the ident of a name that has a number, or 0.
func (p *parser) identOf(text string, number int32) *ident {
	if number <= 0 || int(number) >= len(p.numbered) {
		return p.intern(text)
	}
	return &p.numbered[number]
}

// lastIdent returns the ident of the last part of a name.
func (p *parser) lastIdent(n *ast.Name) *ident { return p.identOf(n.Last.Ident, n.Number) }

// lookup returns the innermost declaration of a name, or nil.
func (p *parser) lookup(id *ident) *sym {
	if id.kinds == 0 {
		return nil
	}
	for s := p.scope; s != nil; s = s.parent {
		if y := p.find(s, id); y != nil {
			return y
		}
	}
	return nil
}

// plainValue reports whether a name that is visible here is declared nowhere as anything but a value.
func (p *parser) plainValue(t *cpp.Token) bool {
	id := p.identOf(t.Text(), t.Name)
	if id.kinds == 0 || id.kinds&^(isValue|isFunc) != 0 {
		return false
	}
	for s := p.scope; s != nil; s = s.parent {
		if p.find(s, id) != nil {
			return true
		}
	}
	return false
}

// push opens a scope.
func (p *parser) push(k scopeKind) *scope {
	var s *scope
	if n := len(p.free); n > 0 && k == blockScope {
		s = p.free[n-1]
		p.free = p.free[:n-1]
		s.list = s.list[:0]
	} else {
		s = p.scopes.New()
	}
	s.kind, s.parent = k, p.scope
	p.scope = s
	return s
}

// pop closes a scope that push opened.
func (p *parser) pop(s *scope) {
	p.scope = s.parent
	if s.kind == blockScope && !s.retained && p.tent == 0 && len(s.bases)+len(s.usings) == 0 && s.table == nil && len(p.free) < 64 {
		p.free = append(p.free, s)
	}
}

// retain keeps the scopes around a body that is read later.
func (p *parser) retain() *scope {
	for s := p.scope; s != nil; s = s.parent {
		s.retained = true
	}
	return p.scope
}

// holder returns the innermost scope that is not one of template parameters.
func (p *parser) holder() *scope {
	s := p.scope
	for s.kind == templateScope {
		s = s.parent
	}
	return s
}

// inTemplate returns isTemplate where the present declaration is a template's.
func (p *parser) inTemplate() kind {
	if p.scope.kind == templateScope && !p.scope.explicit {
		return isTemplate
	}
	return 0
}

// declare adds a name to a scope. A name that is there already keeps its scope.
func (p *parser) declare(s *scope, text string, k kind, inner *scope) *sym {
	return p.declareIdent(s, p.intern(text), k, inner)
}

// declareIdent is declare for an ident.
func (p *parser) declareIdent(s *scope, id *ident, k kind, inner *scope) *sym {
	if p.tent > 0 || id == p.noName {
		return &sym{}
	}
	id.kinds |= k
	if y := s.own(id); y != nil {
		y.kind |= k
		if inner != nil {
			y.scope = inner
		}
		return y
	}
	if s.list == nil {
		s.list = p.syms.New(4)
	}
	n := len(s.list)
	if n == cap(s.list) {
		s.list = slices.Grow(s.list, n)
	}
	s.list = append(s.list, sym{id, k, inner})
	n++
	switch {
	case s.global:
		id.global = int32(n)
	case s.table != nil:
		s.table[id] = int32(n - 1)
	case n > 12:
		s.table = make(map[*ident]int32, 32)
		for i := range s.list {
			s.table[s.list[i].id] = int32(i)
		}
	}
	return &s.list[n-1]
}

// declareName adds the name of a declarator, which is not qualified, to the present scope.
func (p *parser) declareName(n *ast.Name, k kind, inner *scope) {
	if n != nil && len(n.Quals) == 0 && !n.Global && n.Last.Kind == ast.Identifier {
		p.declareIdent(p.holder(), p.lastIdent(n), k|p.inTemplate(), inner)
	}
}

// declareBuiltins adds the compiler's own names.
func (p *parser) declareBuiltins() {
	p.declare(p.global, "__builtin_va_list", isType, nil)
}

// enterMember opens the scope of a member's definition outside of its class.
func (p *parser) enterMember(class *scope) *scope {
	s := p.push(memberScope)
	s.bases = append(s.bases, class)
	for o := class.parent; o != nil; o = o.parent {
		if o.kind == namespaceScope || o.kind == classScope {
			s.usings = append(s.usings, o)
		}
	}
	return s
}
