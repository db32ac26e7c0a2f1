package gogen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// effect translates e for its side effects only.
func (f *fn) effect(e syntax.Expr) {
	switch x := syntax.Unparen(e).(type) {
	case *syntax.AssignExpr:
		f.assign(x, false)
		return
	case *syntax.PostfixExpr:
		f.incDec(x.X, x.Op, false, false)
		return
	case *syntax.UnaryExpr:
		if x.Op == "++" || x.Op == "--" {
			f.incDec(x.X, x.Op, true, false)
			return
		}
	case *syntax.BinaryExpr:
		if x.Op == "," {
			f.effect(x.X)
			f.effect(x.Y)
			return
		}
	case *syntax.CastExpr:
		if f.info.Named[x.Type] == check.Void {
			f.effect(x.X)
			return
		}
	case *syntax.CallExpr:
		if name := f.sums[f.sumInto(x)]; name != "" {
			v := f.exprTo(x.Args[1], f.sumInto(x).Type)
			f.emit("%s += %s", name, v.s)
			return
		}
		if f.addOwn(x) || f.holdBack(x) {
			return
		}
		f.statementCall = x
		v := f.accessing(x)
		switch {
		case v.s == "":
		case v.t == check.Void || v.prec == precCall:
			f.emit("%s", v.s)
		default:
			f.emit("_ = %s", v.s)
		}
		return
	case *syntax.InvokeExpr:
		f.emit("%s", f.invoke(x).s)
		return
	}
	if f.info.Consts[e] != nil {
		return
	}
	if v := f.expr(e); v.s != "" && v.c == nil {
		f.emit("_ = %s", v.s)
	}
}

// assign translates L op R; the result counts only when value is set.
func (f *fn) assign(e *syntax.AssignExpr, value bool) val {
	if o := f.info.Declares[e]; o != nil {
		v := f.typed(f.exprTo(e.R, o.Type))
		f.declare(o, v.s, e)
		return f.result(place{s: f.names[o], t: o.Type, obj: o}, value)
	}
	p := f.place(e.L)
	if e.Op == "=" {
		v := f.exprTo(e.R, p.t)
		if value && !syntax.IsName(v.s) {
			v = f.save(v)
		}
		f.store(p, v.s)
		return v
	}
	op := e.Op[:len(e.Op)-1]
	y := f.expr(e.R)
	if !p.racy && f.native(op, p.t, y) {
		if op == "<<" || op == ">>" {
			y = f.convert(y, check.UInt, e)
		} else {
			y = f.convert(y, p.t, e)
		}
		if value {
			p = f.stable(p)
		}
		f.emit("%s %s= %s", p.text(), op, y.s)
		return f.result(p, value)
	}
	p = f.stable(p)
	v := f.convert(f.operate(e, op, f.load(p), y), p.t, e)
	f.store(p, v.s)
	return f.result(p, value)
}

// native reports whether Go's own L op= R is what C does.
func (f *fn) native(op syntax.Op, t check.Type, y val) bool {
	if !check.IsArithmetic(t) || !check.IsArithmetic(y.t) || t == check.Bool {
		return false
	}
	common := check.UsualArithmetic(t, y.t)
	if op == "<<" || op == ">>" {
		common = check.Promote(t)
	}
	if f.goType(common, f.node) != f.goType(t, f.node) {
		return false
	}
	if op == "/" || op == "%" {
		return check.IsFloat(t) || y.c != nil && y.c.Int != 0 && !check.IsFloat(y.t)
	}
	return true
}

// result returns what was stored at p, as a value that later stores do not
// change.
func (f *fn) result(p place, value bool) val {
	if !value {
		return val{t: check.Void}
	}
	return f.save(f.load(p))
}

// stable returns p so that its text can be used twice.
func (f *fn) stable(p place) place {
	if syntax.IsName(p.s) || syntax.IsName(p.ptr) {
		return p
	}
	name := f.unique("p")
	f.define(name, "*"+f.goType(p.t, f.node), p.pointer())
	return place{ptr: name, t: p.t, racy: p.racy}
}

// incDec translates ++ and --.
func (f *fn) incDec(x syntax.Expr, op syntax.Op, prefix, value bool) val {
	p := f.place(x)
	if value {
		p = f.stable(p)
	}
	var old val
	if value && !prefix {
		old = f.save(f.load(p))
	}
	switch t := p.t.(type) {
	case *check.Pointer:
		p = f.stable(p)
		step := int64(1)
		if op == "--" {
			step = -1
		}
		f.emit("%s = unsafe.Add(%s, %d)", p.text(), f.load(p).s, step*t.Elem.Size())
	default:
		switch {
		case t == check.Bool:
			f.store(p, "1")
		case p.racy:
			p = f.stable(p)
			f.store(p, f.load(p).s+" "+string(op[:1])+" 1")
		default:
			f.emit("%s%s", p.text(), op)
		}
	}
	if value && !prefix {
		return old
	}
	return f.result(p, value)
}

// declare emits the declaration of local o with a value; "" is for none.
func (f *fn) declare(o *check.Object, value string, n syntax.Node) {
	goType := f.goType(o.Type, n)
	if o.Volatile {
		f.errorf(n, codeVolatile, "generated Go has no volatile variables")
	}
	if f.names[o] != "" { // hoisted
		if value == "" {
			return
		}
		f.emit("%s = %s", f.names[o], value)
		return
	}
	name := f.unique(o.Name)
	f.names[o] = name
	switch {
	case f.hoist:
		f.top = append(f.top, "var "+name+" "+goType, useMark+name)
		if value != "" {
			f.emit("%s = %s", name, value)
		}
	case value == "":
		f.emit("var %s %s", name, goType)
		f.emit("%s%s", useMark, name)
	default:
		f.emit("%s := %s", name, value)
		f.emit("%s%s", useMark, name)
	}
}

// varDecl translates one declared variable.
func (f *fn) varDecl(d *syntax.VarDecl) {
	o := f.info.Defs[d.Name]
	if o == nil {
		return
	}
	if o.Attrs.Has(syntax.Static) {
		f.errorf(d, codeUnknown, "generated Go has no static variables in functions").Hint = "declare it outside"
	}
	list, isList := d.Init.(*syntax.InitList)
	_, isArray := o.Type.(*check.Array)
	switch {
	case d.Init == nil:
		f.declare(o, "", d)
		if f.framed[o] && check.IsScalar(o.Type) {
			// As a variable of Go's own: not what another iteration left.
			f.emit("%s = *new(%s)", f.names[o], f.goType(o.Type, d))
		}
	case isList || isArray:
		// A loop comes here more than once: the variable must be zero again.
		f.declare(o, "", d)
		if f.hoist || f.hoisted[o] {
			f.emit("%s = *new(%s)", f.names[o], f.goType(o.Type, d))
		}
		p := place{s: f.names[o], t: o.Type, obj: o}
		if isList {
			f.initialise(p, list)
		} else {
			f.used[o] = true
			f.copyString(p.address(), d.Init, o.Type.(*check.Array))
		}
	default:
		f.declare(o, f.typed(f.exprTo(d.Init, o.Type)).s, d)
	}
}

// useMark begins a line that stands for "_ = name" where name is never read.
const useMark = "\x00use "

// readMark begins a line "name statement" that is only wanted where name is read.
const readMark = "\x00read "

// labelMark begins a line that stands for a label, where it is used.
const labelMark = "\x00label "

// precCall marks the value of a call whose result Go lets one drop.
const precCall = precOperand + 1
