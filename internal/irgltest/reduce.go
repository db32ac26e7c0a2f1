package irgltest

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"irgl/internal/source"
	"irgl/syntax"
)

// Reduce returns a smaller text for which again holds: it takes declarations,
// properties and statements away, puts the insides of statements in their place,
// and operands in the place of expressions, until nothing more goes or limit
// has passed. A text that does not parse or check is never tried; again must
// bound the time of a run, since loops may lose their ends.
func Reduce(text string, limit time.Duration, again func(*Program) bool) string {
	r := &reducer{end: time.Now().Add(limit), again: again, text: text}
	for changed := true; changed; {
		changed = false
		for n := 0; ; n++ {
			more, did := r.try(n)
			if !more {
				break
			}
			if did {
				changed = true
				n-- // the next one has its number now
			}
		}
	}
	return r.text
}

type reducer struct {
	end   time.Time
	again func(*Program) bool
	text  string
}

// try makes edit number n of the present text. It reports whether there is
// one, and whether it was kept.
func (r *reducer) try(n int) (more, kept bool) {
	var diags source.List
	f := syntax.Parse(source.NewFile("p.irgl", []byte(r.text)), syntax.IrGL, &diags)
	e := edits(f)
	if n >= len(e) || time.Now().After(r.end) {
		return false, false
	}
	e[n]()
	var b strings.Builder
	if syntax.Print(&b, f) != nil || b.Len() >= len(r.text) {
		return true, false
	}
	p, err := Load("p", b.String())
	if err != nil || p.Info.Entry == nil || !r.again(p) {
		return true, false
	}
	r.text = b.String()
	return true, true
}

// edits returns functions that each make f smaller in one way, big ways first.
func edits(f *syntax.File) []func() {
	var list, small []func()
	for i := range f.Decls {
		list = append(list, func() { f.Decls = slices.Delete(f.Decls, i, i+1) })
	}
	for n := range syntax.Preorder(f) {
		switch n := n.(type) {
		case *syntax.GraphDecl:
			for i := range n.Props {
				list = append(list, func() { n.Props = slices.Delete(n.Props, i, i+1) })
			}
			for i := range n.Racy {
				small = append(small, func() { n.Racy = slices.Delete(n.Racy, i, i+1) })
			}
			for i := range n.Requires {
				small = append(small, func() { n.Requires = slices.Delete(n.Requires, i, i+1) })
			}
		case *syntax.PropDecl:
			small = append(small, func() { n.Init = nil }, func() { n.Output = false })
		case *syntax.FuncDecl:
			if n.Kind == syntax.HostFunc {
				for i := range n.Params {
					small = append(small, func() { n.Params = slices.Delete(n.Params, i, i+1) })
				}
			}
		case *syntax.Block:
			list = append(list, blockEdits(n)...)
		case *syntax.IterateStmt:
			small = append(small, func() { n.Body = nil })
		case *syntax.IfStmt:
			small = append(small, func() { n.Else = nil })
		}
		if e, ok := n.(syntax.Expr); ok {
			small = append(small, expressionEdits(e)...)
		}
		if v, ok := n.(syntax.Stmt); ok {
			small = append(small, expressionEdits(v)...)
		}
	}
	return append(list, small...)
}

// blockEdits takes halves of a block away, single statements, and what is around
// the insides of statements.
func blockEdits(b *syntax.Block) []func() {
	var list []func()
	if k := len(b.Stmts); k > 3 {
		list = append(list, func() { b.Stmts = b.Stmts[:k/2] }, func() { b.Stmts = b.Stmts[k/2:] })
	}
	for i, s := range b.Stmts {
		list = append(list, func() { b.Stmts = slices.Delete(b.Stmts, i, i+1) })
		var inside syntax.Stmt
		switch s := s.(type) {
		case *syntax.IfStmt:
			inside = s.Then
			if s.Else != nil {
				list = append(list, func() { b.Stmts[i] = s.Else })
			}
		case syntax.Loop:
			inside = s.LoopBody()
		case *syntax.SwitchStmt:
			inside = s.Body
		case *syntax.Block:
			inside = s
		}
		if in, ok := inside.(*syntax.Block); ok {
			list = append(list, func() {
				b.Stmts = slices.Concat(b.Stmts[:i:i], in.Stmts, b.Stmts[i+1:])
			})
		} else if inside != nil {
			list = append(list, func() { b.Stmts[i] = inside })
		}
	}
	return list
}

var exprType = reflect.TypeFor[syntax.Expr]()

// expressionEdits puts, for each operand of n, the operand's operands and 1 in
// its place. The fields are found by reflection: all nodes hold operands in fields of
// type Expr or []Expr.
func expressionEdits(n syntax.Node) []func() {
	var list []func()
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		switch {
		case field.Type() == exprType && !field.IsNil():
			list = append(list, operandEdits(field)...)
		case field.Type() == reflect.SliceOf(exprType):
			for j := range field.Len() {
				list = append(list, operandEdits(field.Index(j))...)
			}
		}
	}
	return list
}

// operandEdits returns the edits of one operand.
func operandEdits(place reflect.Value) []func() {
	x, ok := place.Interface().(syntax.Expr)
	if !ok {
		return nil
	}
	switch x.(type) {
	case *syntax.BasicLit, *syntax.Ident:
		return nil
	}
	one := &syntax.BasicLit{Kind: syntax.IntLit, Text: "1"}
	list := []func(){func() { place.Set(reflect.ValueOf(one)) }}
	v := reflect.ValueOf(x).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		switch {
		case field.Type() == exprType && !field.IsNil():
			list = append(list, func() { place.Set(field) })
		case field.Type() == reflect.SliceOf(exprType):
			for j := range field.Len() {
				list = append(list, func() { place.Set(field.Index(j)) })
			}
		}
	}
	return list
}
