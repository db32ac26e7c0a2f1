package sema

import (
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// operatorCall calls the function that an operator means for operands of class or
// enumeration type; the built-in operator is used, by conversions, where none is better.
// The operands are args as they are written, if that is known.
func (e *env) operatorCall(at ast.Span, sign string, op cpp.Word, args []hir.Expr, operands ...ast.Expr) hir.Expr {
	name := "operator" + sign
	if op == cpp.ArrowStar && !overloadable(args[0]) && !overloadable(args[1]) || op == cpp.Equal && !args[0].Type().IsClass() {
		return nil
	}
	var set candidates
	defer set.release(e)
	if k := classOfType(args[0].Type()); k != nil && (e.checker.complete(k, at) || k.state == active) {
		set.addMembers(e, k, name, args[0], args[1:])
	}
	if op != cpp.Equal && sign != "[]" && sign != "->" {
		e.considerFree(&set, name, args, operands)
		e.considerBuiltin(&set, op, sign, args)
	} else if sign == "[]" {
		e.considerBuiltin(&set, op, sign, args)
	}
	best, ambiguous := set.best(e)
	if best == nil || best.builtin != nil && !ambiguous {
		return e.builtinOperator(at, op, sign, args, best, &set)
	}
	if ambiguous {
		e.ambiguity(at, &set, args, "use of overloaded operator '%s' is ambiguous (operand types %s)", sign, operandTypeNames(args))
		return e.bad(at)
	}
	f := best.fn
	if f.deleted {
		e.errorf(at, codeDeleted, "overload resolution selected deleted operator '%s'", sign)
		return e.bad(at)
	}
	if f.class != nil && !f.friend {
		through := classOfType(args[0].Type())
		if e.base == through { // the assignment of a base by that of a derived class
			through = nil
		}
		e.checkFunctionAccess(at, f, set.found.class, set.found.using, name, through)
		return rightFirst(op, e.callFunction(f, args[0], args[1:], at))
	}
	return rightFirst(op, e.callFunction(f, nil, args, at))
}

// rightFirst marks the call of an assignment operator: its right operand is evaluated first
// ([over.match.oper]/2).
func rightFirst(op cpp.Word, x hir.Expr) hir.Expr {
	if c, ok := x.(*hir.Call); ok && len(c.Args) > 0 {
		_, c.RightFirst = assignOp(op)
	}
	return x
}

func operandTypeNames(args []hir.Expr) string {
	s := "'" + typeName(args[0]) + "'"
	if len(args) > 1 {
		s += " and '" + typeName(args[1]) + "'"
	}
	return s
}

// addMembers adds the functions that a name means in a class, for a call on an object.
// Those that a using-declaration brings into the class are as its own ([over.match.funcs]/4).
func (set *candidates) addMembers(e *env, k *class, name string, obj hir.Expr, args []hir.Expr) {
	var f finding
	if !e.inClass(&f, k, name, anything) {
		return
	}
	var o overloadExpr
	for x := range f.all() {
		if s, ok := x.(*overloads); ok {
			e.resolveSet(s)
			for _, fn := range s.funcs {
				o.addFunc(e.checker, fn)
			}
		}
	}
	set.naming, set.found = f.class, f
	for _, fn := range o.funcs {
		set.consider(e, fn, obj, args, nil, callFlags{})
	}
	set.naming = nil
}

// considerFree adds the operator functions of scopes and of the operands' namespaces.
func (e *env) considerFree(set *candidates, name string, args []hir.Expr, operands []ast.Expr) {
	o := &overloadExpr{operands: operands}
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == classScope {
			continue
		}
		var f finding
		if s.kind == nsScope {
			e.inNamespace(&f, s.ns, name, anything, nil)
		} else if sym := s.get(name); sym != nil {
			e.take(&f, sym, anything)
		}
		for x := range f.all() {
			if fs, ok := x.(*overloads); ok {
				e.resolveSet(fs)
				for _, fn := range fs.funcs {
					if fn.friend || e.order > 0 && fn.order > e.order {
						continue
					}
					o.addFunc(e.checker, fn)
				}
			}
		}
		if f.found() {
			break
		}
	}
	e.addAssociated(o, name, args)
	for _, f := range o.funcs {
		set.consider(e, f, nil, args, nil, callFlags{})
	}
}

// A builtinOp is a built-in operator as a candidate: the types of its operands.
type builtinOp struct{ types []types.Type }

// considerBuiltin adds the built-in operators that the operands' conversion functions
// make possible ([over.built]): of the types that each operand converts to.
func (e *env) considerBuiltin(set *candidates, op cpp.Word, sign string, args []hir.Expr) {
	if op == cpp.Comma || op == cpp.ArrowStar || op == cpp.Amp && len(args) == 1 {
		return
	}
	step := op == cpp.PlusPlus || op == cpp.MinusMinus
	_, modifies := assignOp(op)
	n := len(args)
	if step {
		n, modifies = 1, true
	}
	choices := [2][]types.Type{1: {{}}}
	for i := range n {
		choices[i] = e.operandTypes(args[i], op, modifies && i == 0)
	}
	first := len(set.list)
	for _, a := range choices[0] {
		for _, b := range choices[1] {
			a, b := e.pointerOperands(op, sign, a, b)
			if n == 2 && slices.ContainsFunc(set.list[first:], func(c candidate) bool { return c.builtin.types[0] == a && c.builtin.types[1] == b }) {
				continue
			}
			c := candidate{builtin: &builtinOp{types: []types.Type{a, b}[:n]}, viable: true}
			for i, t := range c.builtin.types {
				s := e.implicit(args[i], t, true)
				if !s.ok() || s.ambiguous {
					c.viable = false
					break
				}
				c.seqs = append(c.seqs, s)
			}
			if c.viable && e.builtinTakes(op, sign, args, c.builtin.types) {
				set.list = append(set.list, c)
			}
		}
	}
}

// pointerOperands returns the types of the operands of + and the like as candidates: beside
// a pointer a number is of type std::ptrdiff_t ([over.built]/13).
func (e *env) pointerOperands(op cpp.Word, sign string, a, b types.Type) (types.Type, types.Type) {
	switch op {
	case cpp.Plus, cpp.Minus, cpp.PlusEqual, cpp.MinusEqual:
	default:
		if sign != "[]" {
			return a, b
		}
	}
	if a.Unref().IsPointer() && b.IsInteger() {
		b = e.basic(types.Long)
	} else if b.IsPointer() && a.IsInteger() {
		a = e.basic(types.Long)
	}
	return a, b
}

// operandTypes returns the types that an operand may have in a built-in operator: its own,
// or those of its conversion functions, promoted unless the operator modifies it.
func (e *env) operandTypes(x hir.Expr, op cpp.Word, modified bool) []types.Type {
	if op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe {
		return []types.Type{e.basic(types.Bool)}
	}
	var out []types.Type
	add := func(t types.Type) {
		for _, u := range out {
			if u == t {
				return
			}
		}
		out = append(out, t)
	}
	value := func(t types.Type) {
		t = e.types.Decayed(t)
		switch {
		case !t.IsScalar():
		case t.IsEnum() || t.IsInteger():
			if t.IsEnum() {
				e.resolveEnum(enumOf(t))
				if t.Enum.Scoped || isComparison(op) {
					add(t)
				}
				if t.Enum.Scoped {
					return
				}
			}
			add(e.types.Promote(t))
		default:
			add(t)
		}
	}
	k := classOfType(x.Type())
	if k == nil {
		if modified {
			return []types.Type{x.Type().Unqualified()}
		}
		value(x.Type())
		return out
	}
	if !e.checker.complete(k, k.at) {
		return nil
	}
	for _, f := range e.conversions(k) {
		if f.tmpl != nil || f.has(ast.Explicit) {
			continue
		}
		e.resolveResult(f)
		switch r := f.result(); {
		case !modified:
			value(r.Unref())
		case r.Is(types.LRef) && r.Elem.IsScalar() && !r.Elem.IsConst():
			add(r)
		}
	}
	return out
}

func isComparison(op cpp.Word) bool {
	o, ok := binaryOp(op)
	return ok && o >= hir.Eq && o <= hir.Ge
}

// builtinTakes reports whether a built-in operator exists for operands of types: those of
// class type are converted to them.
func (e *env) builtinTakes(op cpp.Word, sign string, args []hir.Expr, list []types.Type) bool {
	var r hir.Expr
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		conv := make([]hir.Expr, len(args))
		for i, a := range args {
			conv[i] = a
			if i < len(list) && a.Type().IsClass() {
				conv[i] = &stubExpr{resultInfo(ast.Span{}, list[i])}
			}
		}
		r = sub.applyBuiltin(ast.Span{}, op, sign, conv)
	})
	return !failed && r != nil && !isBad(r)
}

// applyBuiltin performs a built-in operator.
func (e *env) applyBuiltin(at ast.Span, op cpp.Word, sign string, args []hir.Expr) hir.Expr {
	switch o, assigns := assignOp(op); {
	case sign == "[]":
		return e.subscript(at, args[0], args[1])
	case op == cpp.PlusPlus || op == cpp.MinusMinus:
		return e.incDec(at, args[0], op == cpp.MinusMinus, len(args) == 2)
	case len(args) == 1:
		return e.builtinUnary(at, op, args[0])
	case assigns:
		return e.assign(at, args[0], o, args[1])
	}
	o, _ := binaryOp(op)
	return e.arithmetic(at, o, args[0], args[1])
}

// builtinOperator performs a built-in operator on operands that may convert to scalars,
// or reports that there is none. Nil says that the operands are scalars.
func (e *env) builtinOperator(at ast.Span, op cpp.Word, sign string, args []hir.Expr, best *candidate, set *candidates) hir.Expr {
	class := false
	for _, a := range args {
		class = class || a.Type().IsClass()
	}
	if !class || op == cpp.Comma || op == cpp.Amp && len(args) == 1 {
		return nil
	}
	if best == nil {
		if op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe {
			return nil
		}
		if sign == "->" {
			e.errorf(at, codeOperands, "member reference type '%s' is not a pointer", args[0].Type())
			return e.bad(at)
		}
		if op == cpp.Equal {
			e.noMatch(at, set, args[1:], "no viable overloaded '='")
			return e.bad(at)
		}
		if op == cpp.PlusPlus || op == cpp.MinusMinus {
			e.noMatch(at, set, args, "cannot %s value of type '%s'", map[bool]string{true: "increment", false: "decrement"}[op == cpp.PlusPlus], args[0].Type())
			return e.bad(at)
		}
		if len(args) == 1 {
			e.noMatch(at, set, args, "invalid argument type '%s' to unary expression", args[0].Type())
		} else {
			e.noMatch(at, set, args, "invalid operands to binary expression (%s)", operandTypeNames(args))
		}
		return e.bad(at)
	}
	conv := make([]hir.Expr, len(args))
	for i, a := range args {
		conv[i] = a
		if i >= len(best.seqs) || !a.Type().IsClass() || op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe {
			continue
		}
		conv[i] = e.apply(a, best.builtin.types[i], &best.seqs[i])
		if isBad(conv[i]) {
			return e.bad(at)
		}
	}
	return e.applyBuiltin(at, op, sign, conv)
}
