package hir

import (
	"strconv"
	"strings"

	"irgl/internal/cxx/types"
)

var categoryNames = [...]string{PRValue: "prvalue", LValue: "lvalue", XValue: "xvalue"}

var unaryNames = [...]string{Neg: "Neg", Compl: "Compl", Not: "Not"}

var binaryNames = [...]string{NoOp: "", Add: "Add", Sub: "Sub", Mul: "Mul", Div: "Div", Rem: "Rem", And: "And", Or: "Or", Xor: "Xor", Shl: "Shl", Shr: "Shr",
	Eq: "Eq", Ne: "Ne", Lt: "Lt", Le: "Le", Gt: "Gt", Ge: "Ge", LogAnd: "LogAnd", LogOr: "LogOr"}

var conversionNames = [...]string{Load: "Load", Integral: "Integral", ToBool: "ToBool", Floating: "Floating", IntToFloat: "IntToFloat", FloatToInt: "FloatToInt",
	NullToPtr: "NullToPtr", PtrCast: "PtrCast", PtrToInt: "PtrToInt", IntToPtr: "IntToPtr", Decay: "Decay", FuncDecay: "FuncDecay", ToBase: "ToBase",
	FromBase: "FromBase", Qualify: "Qualify", Reinterpret: "Reinterpret", ToVoid: "ToVoid", MemberOfDerived: "MemberOfDerived", MemberOfBase: "MemberOfBase", BitCast: "BitCast"}

// String returns the operator's name.
func (o UnaryOp) String() string { return unaryNames[o] }

// String returns the operator's name.
func (o BinaryOp) String() string { return binaryNames[o] }

// String returns the conversion's name.
func (c Conversion) String() string { return conversionNames[c] }

// String returns the category's name.
func (c Category) String() string { return categoryNames[c] }

// expr writes an expression: its node with its category and type, and its operands.
func (w *printer) expr(e Expr) {
	typ := "<no type>"
	if t := e.Type(); t.IsValid() {
		typ = t.String()
	}
	w.line("%s  %s %s", label(e), e.Category(), typ)
	w.in(func() { w.operands(e) })
}

// label returns what a line says of a node beside its type.
func label(e Expr) string {
	switch e := e.(type) {
	case *ConstExpr:
		return "Const " + e.Value.Text()
	case *StringExpr:
		return "String " + strconv.Quote(string(e.Bytes))
	case *VarRef:
		return "VarRef " + e.Var.Name
	case *FuncRef:
		return "FuncRef " + e.Func.Name
	case *Field:
		return "Field " + fieldName(e.Field)
	case *FieldAt:
		return "FieldAt"
	case *MemberPtr:
		if e.Func != nil {
			return "MemberPtr " + e.Func.Name
		}
		return "MemberPtr " + fieldName(e.Field)
	case *Unary:
		return "Unary " + e.Op.String()
	case *Binary:
		return "Binary " + e.Op.String()
	case *Assign:
		return assignLabel(e)
	case *IncDec:
		return incDecLabel(e)
	case *Convert:
		return "Convert " + e.Kind.String() + path(e.Path.Classes())
	case *Call:
		if e.Func != nil {
			return "Call " + e.Func.Name
		}
		return "Call"
	case *Construct:
		return constructLabel(e)
	case *Materialize:
		return materializeLabel(e)
	case *New:
		return "New " + e.Elem.String()
	case *Delete:
		return deleteLabel(e)
	case *Launch:
		return "Launch " + e.Func.Name
	}
	return kindName(e)
}

// kindName returns the name of a node that has no more to say.
func kindName(e Expr) string {
	switch e.(type) {
	case *Deref:
		return "Deref"
	case *AddrOf:
		return "AddrOf"
	case *Copy:
		return "Copy"
	case *Cond:
		return "Cond"
	case *Comma:
		return "Comma"
	case *Aggregate:
		return "Aggregate"
	case *Zero:
		return "Zero"
	case *StmtExpr:
		return "StmtExpr"
	}
	return "Expr"
}

func fieldName(f *types.Field) string {
	switch {
	case f == nil:
		return "<null>"
	case f.Name == "":
		return "#" + strconv.Itoa(f.Index)
	}
	return f.Name
}

func path(classes []*types.Class) string {
	var b strings.Builder
	for _, c := range classes {
		b.WriteString(" " + c.String())
	}
	return b.String()
}

func assignLabel(e *Assign) string {
	if e.Op == NoOp {
		return "Assign"
	}
	return "Assign " + e.Op.String() + " in " + e.Computed.String()
}

func incDecLabel(e *IncDec) string {
	s := "Inc"
	if e.Dec {
		s = "Dec"
	}
	if e.Postfix {
		return "Post" + s
	}
	return "Pre" + s
}

func constructLabel(e *Construct) string {
	s := "Construct"
	if e.Func != nil {
		s += " " + e.Func.Name
	}
	if e.Zero {
		s += " zeroed"
	}
	return s
}

func materializeLabel(e *Materialize) string {
	s := "Materialize"
	if e.Destroy != nil {
		s += " destroy " + e.Destroy.Name
	}
	if e.Extend != nil {
		s += " extended by " + e.Extend.Name
	}
	return s
}

func deleteLabel(e *Delete) string {
	s := "Delete"
	if e.Array {
		s += "[]"
	}
	if e.Destroy != nil {
		s += " destroy " + e.Destroy.Name
	}
	if e.Free != nil {
		s += " free " + e.Free.Name
	}
	return s
}

// operands writes the expressions in a node.
func (w *printer) operands(e Expr) {
	switch e := e.(type) {
	case *Field:
		w.exprs(e.X)
	case *FieldAt:
		w.exprs(e.X, e.Ptr)
	case *Deref:
		w.exprs(e.X)
	case *AddrOf:
		w.exprs(e.X)
	case *Unary:
		w.exprs(e.X)
	case *Binary:
		w.exprs(e.X, e.Y)
	case *Assign:
		w.exprs(e.X, e.Y)
	case *IncDec:
		w.exprs(e.X)
	case *Copy:
		w.exprs(e.To, e.X)
	case *Cond:
		w.exprs(e.C, e.X, e.Y)
	case *Comma:
		w.exprs(e.X, e.Y)
	case *Convert:
		w.exprs(e.X)
	case *Call:
		w.exprs(e.Fun, e.This)
		w.exprs(e.Args...)
	case *Construct:
		w.exprs(e.Args...)
	case *Aggregate:
		w.aggregate(e)
	case *Materialize:
		w.exprs(e.X)
	case *New:
		w.exprs(e.Count, e.Place)
		if e.Alloc != nil {
			w.exprs(e.Alloc)
		}
		w.exprs(e.First...)
		w.exprs(e.Init, e.Whole)
	case *Delete:
		w.exprs(e.X)
	case *Launch:
		w.in(func() { w.exprs(e.Config...) })
		w.exprs(e.Args...)
	case *StmtExpr:
		w.stmts(e.Body)
		w.exprs(e.Value)
	}
}

// exprs writes those that there are.
func (w *printer) exprs(list ...Expr) {
	for _, e := range list {
		if e != nil {
			w.expr(e)
		}
	}
}

// aggregate writes the elements of an aggregate, by name where some are left out.
func (w *printer) aggregate(e *Aggregate) {
	for i, x := range e.Bases {
		if x != nil {
			w.node("base "+e.T.Class.Bases[i].Class.String(), x)
		}
	}
	for i, x := range e.Fields {
		if x != nil {
			w.node("."+fieldName(e.T.Class.Fields[i]), x)
		}
	}
	for i, x := range e.Elems {
		if x != nil {
			w.node("["+strconv.Itoa(i)+"]", x)
		}
	}
	if e.Fill != nil {
		w.node("[...]", e.Fill)
	}
	if e.Rest != nil {
		w.line("rest %s", e.Rest.Name)
	}
}

// Text returns a constant as C++ would write it, about.
func (k *Const) Text() string {
	t := k.Type
	switch {
	case !t.IsValid():
		return strconv.FormatInt(int64(k.Int), 10)
	case t.IsArray() || t.IsClass():
		return k.listText()
	case t.IsFloat():
		bits := 64
		if t.Is(types.Float) {
			bits = 32
		}
		return strconv.FormatFloat(k.Float, 'g', -1, bits)
	case k.Base != nil:
		return address(k, k.Base.MangledName())
	case k.String != nil:
		return address(k, strconv.Quote(string(k.String)))
	case k.Member != nil:
		return "&" + k.Member.Class.String() + "::" + fieldName(k.Member)
	case t.IsPointer() && k.Int == 0 || t.Is(types.Nullptr) || t.Is(types.MemberPointer):
		return "nullptr"
	}
	return types.Arg{Kind: types.ValueArg, Type: t.Unqualified(), Value: types.Value{Int: k.Int}}.String()
}

func address(k *Const, of string) string {
	if k.String == nil {
		of = "&" + of
	}
	if k.Offset != 0 {
		of += "+" + strconv.FormatInt(k.Offset, 10)
	}
	return of
}

func (k *Const) listText() string {
	if k.String != nil {
		return strconv.Quote(string(k.String))
	}
	var parts []string
	for _, x := range k.Bases {
		parts = append(parts, x.textOr("{}"))
	}
	for i, x := range k.Fields {
		if x != nil {
			parts = append(parts, "."+fieldName(k.Type.Class.Fields[i])+" = "+x.Text())
		}
	}
	for _, x := range k.Elems {
		parts = append(parts, x.textOr("0"))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (k *Const) textOr(none string) string {
	if k == nil {
		return none
	}
	return k.Text()
}
