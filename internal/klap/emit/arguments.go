package emit

import (
	"irgl/internal/cpp"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Arguments of launches.
//
//	int &first = p[i];                      int *first = &p[i];
//	child<<<1, n>>>(&first, (char)i);       child<<<1, n>>>(first, (char)i);
//
// The place of an argument in the lowered program, which is the one on the right, is that of what is left of it: of first and of i. Its
// text is all between the commas.

// An argument is the bytes of an argument of a launch.
type argument struct{ from, to int32 }

// arguments notes the bytes of the arguments of a launch whose places are only parts of them.
func (d *editor) arguments(n syntax.Node) {
	l, ok := n.(*syntax.LaunchExpr)
	t := d.e.t
	if !ok || !d.e.inText(tree.At(l)) {
		return
	}
	end := t.token(l.End().Offset) - 1
	if end < 0 || t.toks[end].Word != cpp.RParen || t.match[end] < 0 {
		return
	}
	var list []argument
	first := t.match[end] + 1
	for i := first; i <= end; i++ {
		switch {
		case i == end && i > first || i < end && t.toks[i].Word == cpp.Comma:
			list = append(list, argument{t.toks[first].From(), t.toks[i-1].To()})
			first = i + 1
		case i < end && t.match[i] > i:
			i = t.match[i]
		}
	}
	for i, a := range l.Args {
		if sp := tree.At(a); i < len(list) && d.e.inText(sp) && (sp.From.Offset < list[i].from || sp.To.Offset > list[i].to) {
			return // there are template arguments between the commas
		}
	}
	for i, a := range l.Args {
		if sp := tree.At(a); i < len(list) && d.e.inText(sp) && (sp.From.Offset > list[i].from || sp.To.Offset < list[i].to) {
			d.whole[a] = list[i]
		}
	}
}
