package types

import "encoding/binary"

// ArgsKey returns a text that is equal for equal arguments of templates, and for
// those alone: a key of the instances of a template.
func (t *Table) ArgsKey(args []Arg) string { return string(t.appendArgs(nil, args)) }

// SameArg reports whether two arguments of templates are equal.
func (t *Table) SameArg(a, b Arg) bool {
	if a.Kind != b.Kind {
		return false
	}
	if a.Kind == TypeArg {
		return a.Type == b.Type
	}
	return string(t.appendArg(nil, a)) == string(t.appendArg(nil, b))
}

func appendType(b []byte, x Type) []byte {
	if x.Node == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(x.id)), byte(x.CV))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendParam(b []byte, p *ParamInfo) []byte {
	if p == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(append(b, 1+flags(p.Pack, false)), uint64(p.Depth))
	return binary.AppendUvarint(b, uint64(p.Index))
}

func flags(a, b bool) byte {
	var f byte
	if a {
		f |= 1
	}
	if b {
		f |= 2
	}
	return f
}

func (t *Table) appendArgs(b []byte, args []Arg) []byte {
	b = binary.AppendUvarint(b, uint64(len(args)))
	for _, a := range args {
		b = t.appendArg(b, a)
	}
	return b
}

func (t *Table) appendArg(b []byte, a Arg) []byte {
	b = append(b, byte(a.Kind), flags(a.Expand, a.Pattern != nil))
	switch a.Kind {
	case TypeArg:
		b = appendType(b, a.Type)
	case ValueArg:
		b = t.appendValue(appendType(b, a.Type), a.Value)
	case TemplateArg:
		b = binary.AppendUvarint(b, uint64(t.ID(a.Template)))
	case PackArg:
		b = t.appendArgs(b, a.Pack)
	case DependentValue:
		b = t.appendExpr(b, a.Expr)
	}
	return appendParam(b, a.Pattern)
}

func (t *Table) appendValue(b []byte, v Value) []byte {
	b = binary.LittleEndian.AppendUint64(b, v.Int)
	if v.Entity == nil {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, uint64(t.ID(v.Entity)))
}

func (t *Table) appendExpr(b []byte, e *Expr) []byte {
	if e == nil {
		return append(b, 0)
	}
	b = appendString(append(b, 1), e.Op)
	b = appendType(b, e.Type)
	b = appendParam(b, e.Param)
	b = t.appendValue(b, e.Value)
	b = appendString(b, e.Name)
	b = binary.AppendUvarint(b, uint64(len(e.Path)))
	for _, s := range e.Path {
		b = appendString(b, s)
	}
	b = t.appendArgs(b, e.TArgs)
	b = binary.AppendUvarint(b, uint64(e.Index))
	b = binary.AppendUvarint(b, uint64(len(e.Args)))
	for _, x := range e.Args {
		b = t.appendExpr(b, x)
	}
	return b
}
