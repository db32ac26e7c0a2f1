package check

import (
	"slices"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// initialise checks the initial value of o, giving an array without a length
// its length, and returns the value's operand.
func (c *checker) initialise(e syntax.Expr, o *Object) operand {
	list, isList := e.(*syntax.InitList)
	switch {
	case isList && list == nil:
		return operand{typ: Invalid}
	case isList:
		o.Type = c.initList(list, o.Type)
		x := operand{typ: o.Type}
		if IsScalar(o.Type) && len(list.Elems) == 1 && list.Elems[0] != nil {
			inner := list.Elems[0].Value
			x.cv = convertConst(c.info.Consts[inner], c.info.Types[inner], o.Type)
		}
		return x
	case isCharArray(o.Type) && isString(e):
		c.rvalue(e)
		o.Type = c.stringInit(e, o.Type.(*Array))
		return operand{typ: o.Type}
	}
	x := c.rvalue(e)
	if o.Type == Invalid || x.typ == Invalid {
		return operand{typ: Invalid}
	}
	if _, ok := o.Type.(*Array); ok {
		c.errorf(e, codeInit, "an array is initialised by a list in braces")
		return operand{typ: Invalid}
	}
	if !c.convertible(e, &x, o.Type, "the initial value of "+o.Name) {
		return operand{typ: Invalid}
	}
	return x
}

// isCharArray reports whether a string can initialise a t.
func isCharArray(t Type) bool {
	a, ok := t.(*Array)
	return ok && a.Elem.Size() == 1 && IsInteger(a.Elem) && a.Elem != Bool
}

// isString reports whether e is a string literal.
func isString(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.BasicLit:
		return e != nil && e.Kind == syntax.StringLit
	case *syntax.ParenExpr:
		return e != nil && isString(e.X)
	}
	return false
}

// stringInit sizes a char array to the string that initialises it.
func (c *checker) stringInit(e syntax.Expr, a *Array) Type {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			break
		}
		e = p.X
	}
	s, err := syntax.ParseString(e.(*syntax.BasicLit).Text)
	n := int64(len(s))
	switch {
	case err != nil: // reported with the literal
	case a.Len < 0:
		return &Array{Elem: a.Elem, Len: n + 1}
	case n+1 > a.Len:
		c.errorf(e, codeInit, "a string of %d characters and its end does not fit %s", n, a)
	}
	return a
}

// initList checks a list that initialises an object of type t and records its
// slots. It returns t, an array of unknown length now with its length.
func (c *checker) initList(list *syntax.InitList, t Type) Type {
	w := &initWalker{checker: c, done: map[syntax.Expr]operand{}}
	t = w.list(list, t, 0)
	c.info.Inits[list] = w.slots
	return t
}

// An initWalker places the elements of initialiser lists (C99 6.7.8): a list
// goes through the parts of an aggregate in order, a designator moves it, and
// an aggregate part without braces of its own takes as many elements as it
// has parts.
type initWalker struct {
	*checker
	slots []InitSlot
	done  map[syntax.Expr]operand // values checked already, so that each is checked once
	bits  *BitField               // of the part that part has returned last
}

// once checks a value the first time it is asked for.
func (w *initWalker) once(e syntax.Expr) operand {
	x, ok := w.done[e]
	if !ok {
		x = w.rvalue(e)
		w.done[e] = x
	}
	return x
}

// list handles one list in braces for an object of type t at offset off.
func (w *initWalker) list(list *syntax.InitList, t Type, off int64) Type {
	if !w.enter(list) {
		return Invalid
	}
	defer w.leave()
	defer func() { w.info.Types[list] = t }()
	if t == Invalid {
		for _, el := range list.Elems {
			if el != nil && el.Value != nil {
				w.value(el.Value, Invalid, 0)
			}
		}
		return t
	}
	if isCharArray(t) && len(list.Elems) == 1 && list.Elems[0] != nil && isString(list.Elems[0].Value) {
		w.value(list.Elems[0].Value, t, off)
		t = w.stringInit(list.Elems[0].Value, t.(*Array))
		w.slots[len(w.slots)-1].Type = t
		return t
	}
	switch t.(type) {
	case *Array, *Struct:
	default:
		w.scalarList(list, t, off)
		return t
	}
	next, longest := int64(0), int64(0)
	for i := 0; i < len(list.Elems); {
		el := list.Elems[i]
		if el == nil {
			i++
			continue
		}
		if k, ok := w.designator(el, t); ok {
			next = k
		}
		pt, poff, ok := w.part(t, next)
		if !ok {
			w.errorf(el, codeInit, "there are more values than %s has parts", t)
			w.skip(list.Elems[i:])
			break
		}
		if s, ok := pt.(*Struct); ok && el.Field != nil && slices.Contains(s.names(), el.Field.Name) && !w.names(t, next, el.Field.Name) {
			w.anonymous(el, s, off+poff)
			i++
		} else {
			i = w.place(list, i, pt, off+poff)
		}
		next++
		longest = max(longest, next)
	}
	if a, ok := t.(*Array); ok && a.Len < 0 {
		if longest == 0 {
			w.errorf(list, codeArrayLen, "an array must have at least one element")
			longest = 1
		}
		t = &Array{Elem: a.Elem, Len: longest}
	}
	return t
}

// names reports whether part i of t has the name.
func (w *initWalker) names(t Type, i int64, name string) bool {
	s, ok := t.(*Struct)
	return ok && s.Fields[i].Name == name
}

// anonymous gives the value of el to the field that it names of s, which has no name.
func (w *initWalker) anonymous(el *syntax.InitElem, s *Struct, off int64) {
	f, _ := s.Field(el.Field.Name)
	w.bits = f.Bits
	w.value(el.Value, f.Type, off+f.Offset)
}

// skip still checks the values that have no place.
func (w *initWalker) skip(rest []*syntax.InitElem) {
	for _, el := range rest {
		if el != nil && el.Value != nil {
			w.value(el.Value, Invalid, 0)
		}
	}
}

// scalarList handles {x} for a scalar.
func (w *initWalker) scalarList(list *syntax.InitList, t Type, off int64) {
	for i, el := range list.Elems {
		if el == nil {
			continue
		}
		if el.Field != nil || el.Index != nil || i > 0 {
			w.errorf(el, codeInit, "%s takes one value", t)
			t = Invalid
		}
		w.value(el.Value, t, off)
	}
}

// designator returns the part that .name or [n] selects.
func (w *initWalker) designator(el *syntax.InitElem, t Type) (int64, bool) {
	switch {
	case el.Field != nil:
		s, ok := t.(*Struct)
		if !ok {
			w.errorf(el.Field, codeInit, "%s has no members", t)
			return 0, false
		}
		for i, f := range s.Fields {
			if f.Name == el.Field.Name {
				return int64(i), true
			}
			if inner, ok := f.Type.(*Struct); ok && f.Name == "" && slices.Contains(inner.names(), el.Field.Name) {
				return int64(i), true // list goes on in it
			}
		}
		w.noField(el.Field, s)
	case el.Index != nil:
		n := w.constInt(el.Index, "an index", 0)
		a, ok := t.(*Array)
		switch {
		case !ok:
			w.errorf(el.Index, codeInit, "%s has no elements", t)
		case n < 0 || a.Len >= 0 && n >= a.Len || n > maxArrayBytes/max(1, a.Elem.Size()):
			w.errorf(el.Index, codeInit, "the index %d is outside %s", n, t)
		default:
			return n, true
		}
	}
	return 0, false
}

// part returns the type and offset of the i'th part of an aggregate. Only the
// first member of a union is reached in order.
func (w *initWalker) part(t Type, i int64) (Type, int64, bool) {
	w.bits = nil
	switch t := t.(type) {
	case *Array:
		if t.Len < 0 || i < t.Len {
			return t.Elem, i * t.Elem.Size(), true
		}
	case *Struct:
		if i < int64(len(t.Fields)) {
			f := t.Fields[i]
			w.bits = f.Bits
			return f.Type, f.Offset, true
		}
	}
	return Invalid, 0, false
}

// place puts the element at index i of list into a part of type t, taking
// more elements when the part is an aggregate without braces; it returns the
// index of the first element not taken.
func (w *initWalker) place(list *syntax.InitList, i int, t Type, off int64) int {
	el := list.Elems[i]
	if el.Value == nil {
		return i + 1
	}
	if _, braces := el.Value.(*syntax.InitList); braces || t == Invalid {
		w.value(el.Value, t, off)
		return i + 1
	}
	switch t.(type) {
	case *Array, *Struct:
	default:
		w.value(el.Value, t, off)
		return i + 1
	}
	if isCharArray(t) && isString(el.Value) {
		w.value(el.Value, t, off)
		w.stringInit(el.Value, t.(*Array))
		return i + 1
	}
	// A struct value initialises a whole struct part.
	if x := w.once(el.Value); Identical(x.typ, t) {
		w.slots = append(w.slots, InitSlot{off, t, nil, el.Value})
		return i + 1
	}
	if !w.enter(el) {
		return i + 1
	}
	defer w.leave()
	if _, _, ok := w.part(t, 0); !ok {
		w.errorf(el, codeInit, "%s has no parts to initialise", t)
		return i + 1
	}
	for k, first := int64(0), true; i < len(list.Elems); k, first = k+1, false {
		pt, poff, ok := w.part(t, k)
		if !ok || !first && (list.Elems[i] == nil || list.Elems[i].Field != nil || list.Elems[i].Index != nil) {
			break
		}
		i = w.place(list, i, pt, off+poff)
		if s, ok := t.(*Struct); ok && s.Union {
			break
		}
	}
	return i
}

// value checks one value for a part of type t and records its slot.
func (w *initWalker) value(e syntax.Expr, t Type, off int64) {
	bits := w.bits
	if list, ok := e.(*syntax.InitList); ok {
		if list != nil {
			w.list(list, t, off)
		}
		return
	}
	if e == nil {
		return
	}
	x := w.once(e)
	if t != Invalid && !(isCharArray(t) && isString(e)) {
		if _, ok := t.(*Array); ok {
			w.errorf(e, codeInit, "an array is initialised by a list in braces")
		} else {
			w.convertible(e, &x, t, "an initial value")
		}
	}
	w.slots = append(w.slots, InitSlot{off, t, bits, e})
}

// staticInit reports whether the initial value of a variable that exists
// before the program runs is a constant or an address.
func (c *checker) staticInit(e syntax.Expr, x operand) bool {
	switch e := e.(type) {
	case *syntax.InitList:
		for _, s := range c.info.Inits[e] {
			if !c.staticInit(s.Value, operand{typ: c.info.Types[s.Value], cv: c.info.Consts[s.Value]}) {
				return false
			}
		}
		return true
	case *syntax.ParenExpr:
		return c.staticInit(e.X, x)
	case *syntax.CastExpr:
		return x.cv != nil || c.staticInit(e.X, operand{typ: c.info.Types[e.X], cv: c.info.Consts[e.X]})
	case *syntax.UnaryExpr:
		return x.cv != nil || e.Op == "&" && c.staticPlace(e.X)
	case *syntax.CallExpr: // dim3(1, 2), make_int2(3, 4)
		o := c.callee(e)
		if o == nil || o.Kind != BuiltinObj && o.Kind != TypeObj {
			return false
		}
		if b := LookupBuiltin(o.Name); b == nil || b.Rule != builtin.CtorCall || b.obj != o {
			return false
		}
		for _, a := range e.Args {
			if c.info.Consts[a] == nil {
				return false
			}
		}
		return true
	case *syntax.BinaryExpr: // table + 2
		operands := [2]syntax.Expr{e.X, e.Y}
		for i, p := range operands {
			other := operands[1-i]
			if c.info.Consts[other] != nil && IsInteger(c.info.Types[other]) && (e.Op == "+" || e.Op == "-" && i == 0) {
				if _, ok := Decay(c.info.Types[p]).(*Pointer); ok {
					return c.staticInit(p, operand{typ: c.info.Types[p], cv: c.info.Consts[p]})
				}
			}
		}
	case *syntax.Ident:
		if o := c.info.Uses[e]; o != nil && (o.Kind == FuncObj || isArray(o.Type) && c.staticPlace(e)) {
			return true
		}
	case *syntax.IndexExpr, *syntax.MemberExpr:
		if isArray(x.typ) && c.staticPlace(e) {
			return true
		}
	}
	return x.cv != nil || isString(e) || x.typ == Invalid
}

// isArray reports whether t is an array.
func isArray(t Type) bool {
	_, ok := t.(*Array)
	return ok
}

// staticPlace reports whether e names memory at a constant address.
func (c *checker) staticPlace(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Ident:
		o := c.info.Uses[e]
		return o != nil && (o.Global || o.Kind == FuncObj || o.Attrs.Has(syntax.Static))
	case *syntax.ParenExpr:
		return c.staticPlace(e.X)
	case *syntax.IndexExpr:
		return isArray(c.info.Types[e.X]) && c.info.Consts[e.Index] != nil && c.staticPlace(e.X)
	case *syntax.MemberExpr:
		return !e.Arrow && c.staticPlace(e.X)
	}
	return false
}
