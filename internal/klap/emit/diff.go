package emit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/hir"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// An editor writes a changed function as the text of the source, with changes where the trees differ.
// Nodes have the places of the constructs that they were made for: what is as it was, is its text.
type editor struct {
	e      *emitter
	origin map[syntax.Span][]syntax.Node // the nodes of the function as it was
	body   syntax.Span                   // of that
	holes  []string
	locals map[string]string // what the source calls parameters and variables, if that is another name
	whole  map[syntax.Node]argument
	commas map[syntax.Span]int // how many statements the lowered program has of one whose expressions commas join
}

// newEditor returns an editor for functions that were made of f.
func (e *emitter) newEditor(f *syntax.FuncDecl) *editor {
	d := &editor{e: e, origin: map[syntax.Span][]syntax.Node{}, whole: map[syntax.Node]argument{}, commas: map[syntax.Span]int{}}
	var in []syntax.Node
	implicit := map[syntax.Node]bool{} // default arguments
	syntax.Inspect(f, func(n syntax.Node) bool {
		if n == nil {
			in = in[:len(in)-1]
			return true
		}
		if _, args := callee(n); args != nil {
			for _, a := range args[given(n, args):] {
				implicit[a] = isConstant(a) // names of the declaration may mean something else here
			}
		}
		if implicit[n] {
			return false
		}
		if sp := tree.At(n); e.inText(sp) && (len(in) == 0 || tree.At(in[len(in)-1]) != sp || transparent(in[len(in)-1])) {
			d.origin[sp] = append(d.origin[sp], n)
		}
		in = append(in, n)
		d.arguments(n)
		if b, ok := n.(*syntax.Block); ok {
			d.split(b)
		}
		return true
	})
	if f.Body != nil {
		d.body = tree.At(f.Body)
	}
	d.locals = e.locals(f)
	return d
}

// transparent reports whether the text of a node may be that of what is in it, too: conversions have no
// text. Elsewhere a part with the place of the whole is implicit, as a default argument is.
func transparent(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.CastExpr, *syntax.ParenExpr, *syntax.UnaryExpr, *syntax.ExprStmt, *syntax.VarDecls, *syntax.Block:
		return true
	}
	return false
}

// locals returns what the source calls the parameters and variables of a function that have another name in the
// lowered program.
func (e *emitter) locals(f *syntax.FuncDecl) map[string]string {
	at := map[source.Pos]string{}
	for _, h := range e.u.CXX.HIR.Funcs {
		if h.Symbol != f.Name.Name || h.Body == nil {
			continue
		}
		for _, v := range h.Params {
			at[v.Pos()] = v.Name
		}
		hir.Walk(h.Body, func(n any) {
			if s, ok := n.(*hir.VarStmt); ok {
				for _, v := range s.Vars {
					at[v.Pos()] = v.Name
				}
			}
		})
	}
	out := map[string]string{}
	add := func(id *syntax.Ident) {
		if id == nil {
			return
		}
		if name := at[id.Pos()]; name != "" && name != id.Name {
			out[id.Name] = name
		}
	}
	for n := range syntax.Preorder(f) {
		switch n := n.(type) {
		case *syntax.Param:
			add(n.Name)
		case *syntax.VarDecl:
			add(n.Name)
		}
	}
	return out
}

func (e *emitter) inText(sp syntax.Span) bool {
	return sp.From.File == e.t.file && sp.To.File == e.t.file && sp.From.Offset < sp.To.Offset
}

// fromSource returns the text of a node that the function had, with what has changed in it.
func (d *editor) fromSource(n syntax.Node) (string, bool) {
	sp := tree.At(n)
	if !d.e.inText(sp) || d.wraps(n) {
		return "", false
	}
	for _, o := range d.origin[sp] {
		if _, argument := d.whole[o]; argument && syntax.Equal(o, n) {
			return d.pull(o, nil), true
		}
	}
	switch n := n.(type) {
	case *syntax.VarDecls, *syntax.VarDecl, *syntax.TypeDecl: // their places are those of names
		return "", false
	case *syntax.ExprStmt:
		if d.commas[sp] > 0 {
			return d.render(n.X) + ";", true
		}
	case *syntax.CastExpr: // its place is that of its operand
		if tree.At(n.X) == sp && d.cast(sp) {
			return "", false
		}
	}
	for _, o := range d.origin[sp] {
		if reflect.TypeOf(o) == reflect.TypeOf(n) && syntax.Equal(o, n) {
			return d.pull(o, nil), true
		}
	}
	for _, o := range d.origin[sp] {
		if reflect.TypeOf(o) != reflect.TypeOf(n) {
			continue
		}
		if list, ok := d.diff(o, n); ok {
			return d.pull(o, list), true
		}
	}
	return "", false
}

// cast reports whether the text has a cast in front of an operand, which may be in brackets. A function with one argument looks like one:
// then a conversion of the argument gets a text, which changes nothing.
func (d *editor) cast(operand syntax.Span) bool {
	t := d.e.t
	first, last := t.token(operand.From.Offset), t.token(operand.To.Offset)-1
	brackets := false
	for first > 0 && last+1 < len(t.toks) && t.toks[first-1].Word == cpp.LParen && t.match[first-1] == last+1 {
		brackets = true
		first, last = first-1, last+1
	}
	if first < 1 {
		return false
	}
	before := t.toks[first-1]
	return before.Word == cpp.RParen || brackets && (before.Word == cpp.Greater || before.Kind == cpp.Ident || before.Kind == cpp.Keyword)
}

// wraps reports whether a block is one around the function's body.
func (d *editor) wraps(n syntax.Node) bool {
	b, ok := n.(*syntax.Block)
	return ok && tree.At(n) == d.body && slices.ContainsFunc(b.Stmts, func(s syntax.Stmt) bool {
		_, ok := s.(*syntax.Block)
		return ok && tree.At(s) == d.body
	})
}

// extent returns the bytes of a node: of a statement with its semicolon.
func (d *editor) extent(n syntax.Node) (from, to int32) {
	t := d.e.t
	from, to = n.Pos().Offset, n.End().Offset
	if _, ok := n.(syntax.Expr); ok {
		if a, ok := d.whole[n]; ok {
			from, to = a.from, a.to
		}
		from = d.e.constructed(from)
	}
	d.e.expandAt(from)
	if k := t.token(to) - 1; k >= 0 {
		d.e.expandAt(t.toks[k].From())
	}
	if _, ok := n.(syntax.Stmt); ok {
		k := t.token(to)
		if last := t.toks[max(0, k-1)].Word; last != cpp.Semi && last != cpp.RBrace && t.toks[k].Word == cpp.Semi {
			to = t.toks[k].To()
		}
	}
	return from, to
}

// pull returns the text of a node of the function with changes.
func (d *editor) pull(n syntax.Node, list []change) string {
	from, to := d.extent(n)
	return outdented(d.e.splice(from, to, list), d.e.t.indentation(from))
}

// splice returns the bytes between two offsets with changes, which do not overlap: what the lowered program has twice, as the
// bit-field in b.x += 2, changes twice alike.
func (e *emitter) splice(from, to int32, list []change) string {
	slices.SortStableFunc(list, func(a, b change) int { return int(a.from) - int(b.from) })
	var b strings.Builder
	for i, c := range list {
		if slices.ContainsFunc(list[:i], func(o change) bool { return o.from == c.from && o.to == c.to && o.text == c.text }) {
			continue
		}
		if c.from < from {
			if e.expandAround(c.from) { // which has it twice
				break
			}
			e.refuse(codeForm, source.Pos{File: e.t.file, Offset: c.from}, source.Pos{}, "two changes meet here, and the text cannot have both")
			break
		}
		b.Write(e.t.file.Content[from:c.from])
		b.WriteString(c.text)
		from = c.to
	}
	b.Write(e.t.file.Content[from:to])
	return b.String()
}

// indentation returns the white space in front of the line that an offset is in.
func (t *text) indentation(at int32) string {
	from := at
	for from > 0 && t.file.Content[from-1] != '\n' {
		from--
	}
	to := from
	for to < at && (t.file.Content[to] == ' ' || t.file.Content[to] == '\t') {
		to++
	}
	return string(t.file.Content[from:to])
}

// outdented takes the indentation away from all lines but the first.
func outdented(text, indentation string) string {
	return strings.ReplaceAll(text, "\n"+indentation, "\n")
}

// indented adds an indentation to all lines but the first, empty ones and directives.
func indented(text, indentation string) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" && lines[i][0] != '#' {
			lines[i] = indentation + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// diff returns the changes that make the text of o that of n, whose places are those of o.
func (d *editor) diff(o, n syntax.Node) ([]change, bool) {
	if syntax.Equal(o, n) {
		return nil, true
	}
	if reflect.TypeOf(o) != reflect.TypeOf(n) {
		return nil, false
	}
	switch o := o.(type) {
	case *syntax.CallExpr:
		return d.call(o, n.(*syntax.CallExpr))
	case *syntax.Block:
		return d.list(o, n.(*syntax.Block).Stmts)
	case *syntax.Ident, *syntax.BasicLit:
		return nil, false
	}
	var out []change
	a, b := reflect.ValueOf(o).Elem(), reflect.ValueOf(n).Elem()
	for i := range a.NumField() {
		if a.Type().Field(i).Type == reflect.TypeFor[syntax.Span]() {
			continue
		}
		list, ok := d.field(o, a.Field(i), b.Field(i))
		if !ok {
			return nil, false
		}
		out = append(out, list...)
	}
	return out, true
}

// field compares what two nodes have in one field.
func (d *editor) field(of syntax.Node, a, b reflect.Value) ([]change, bool) {
	switch a.Kind() {
	case reflect.Slice:
		if a.Len() != b.Len() {
			return nil, false
		}
		var out []change
		for i := range a.Len() {
			list, ok := d.field(of, a.Index(i), b.Index(i))
			if !ok {
				return nil, false
			}
			out = append(out, list...)
		}
		return out, true
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return nil, a.IsNil() && b.IsNil()
		}
		x, ok1 := a.Interface().(syntax.Node)
		y, ok2 := b.Interface().(syntax.Node)
		if ok1 && ok2 {
			return d.child(of, x, y)
		}
		return nil, false
	}
	return nil, a.Interface() == b.Interface()
}

// child compares two children.
func (d *editor) child(of, o, n syntax.Node) ([]change, bool) {
	if syntax.Equal(o, n) {
		return nil, true
	}
	if _, typ := o.(syntax.TypeExpr); typ {
		return nil, false
	}
	sp := tree.At(o)
	if tree.At(n) == sp {
		if list, ok := d.diff(o, n); ok {
			return list, true
		}
	}
	if _, ok := o.(*syntax.VarDecl); ok {
		return nil, false
	}
	if !d.e.inText(sp) {
		return nil, false
	}
	if outer := tree.At(of); sp.From.Offset < outer.From.Offset || sp.To.Offset > outer.To.Offset {
		return nil, false
	}
	from, to := d.extent(o)
	text := d.render(n)
	if x, ok := n.(syntax.Expr); ok && loose(x) && !loose(o) {
		text = "(" + text + ")"
	}
	return []change{{from, to, d.atPlace(text, from), nil}}, true
}

// atPlace indents a text as the place where it goes.
func (d *editor) atPlace(text string, at int32) string {
	return indented(text, d.e.t.indentation(at))
}

// loose reports whether an expression needs brackets as an operand.
func loose(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.BinaryExpr, *syntax.AssignExpr, *syntax.CondExpr, *syntax.CastExpr, *syntax.UnaryExpr:
		return true
	}
	return false
}

// call compares calls: of another function, and with arguments behind those that there were.
func (d *editor) call(o, n *syntax.CallExpr) ([]change, bool) {
	var out []change
	t := d.e.t
	if !syntax.Equal(o.Fun, n.Fun) || len(n.Args) > len(o.Args) {
		d.unnamed(o)
	}
	end := t.token(o.End().Offset) - 1
	if len(n.Args) < len(o.Args) || end < 0 || t.toks[end].Word != cpp.RParen || t.match[end] < 1 {
		return nil, false
	}
	d.e.expandAt(t.toks[end].From())
	open := t.match[end]
	if open <= 0 || t.toks[open].From() < o.Pos().Offset {
		return nil, false
	}
	given := given(o, o.Args)
	added := len(n.Args) > len(o.Args)
	for i := range o.Args {
		if i >= given {
			added = added || !syntax.Equal(o.Args[i], n.Args[i])
			continue
		}
		list, ok := d.child(o, o.Args[i], n.Args[i])
		if !ok {
			return nil, false
		}
		out = append(out, list...)
	}
	if !syntax.Equal(o.Fun, n.Fun) {
		id, ok := n.Fun.(*syntax.Ident)
		if !ok || t.toks[open-1].Kind != cpp.Ident {
			return nil, false
		}
		d.e.expandAt(t.toks[open-1].From())
		name := d.e.names.reference(id.Name)
		switch t.toks[open-2].Text() {
		case "::", ".", "->":
			name = d.e.names.member(id.Name)
		}
		out = append(out, change{t.toks[open-1].From(), t.toks[open-1].To(), name, nil})
	}
	for i := given; added && i < len(n.Args); i++ {
		text := d.render(n.Args[i])
		if i > given || end > open+1 {
			text = ", " + text
		}
		out = append(out, change{t.toks[end].From(), t.toks[end].From(), text, nil})
	}
	return out, true
}

// unnamed refuses a call of a function that takes another form and that the text does not name, as that of begin in a range-based for.
func (d *editor) unnamed(c *syntax.CallExpr) {
	id, ok := c.Fun.(*syntax.Ident)
	if !ok || !d.e.inText(tree.At(c)) || d.e.before[id.Name] == nil {
		return
	}
	def := d.e.definitionOf(d.e.before[id.Name])
	if def == nil {
		return
	}
	t, name := d.e.t, def.decl.Name.Last.Ident
	for i := t.token(c.Pos().Offset); i < len(t.toks) && t.toks[i].From() < c.End().Offset; i++ {
		if t.toks[i].Text() == name || d.e.macros[t.toks[i].From()] != 0 {
			return
		}
	}
	d.e.fail(c, "%s is called here without its name, and its form with other built-in variables cannot be", d.e.names.name(id.Name))
}

// given returns how many arguments of a call or launch are no default ones, which have the places of the declaration.
func given(call syntax.Node, args []syntax.Expr) int {
	n, in := len(args), tree.At(call)
	for n > 0 {
		sp := tree.At(args[n-1])
		if !sp.From.IsValid() || sp.From.File == in.From.File && sp.From.Offset >= in.From.Offset && sp.To.Offset <= in.To.Offset {
			break
		}
		n--
	}
	return n
}

// isConstant reports whether an expression names nothing.
func isConstant(x syntax.Expr) bool {
	for n := range syntax.Preorder(x) {
		switch n.(type) {
		case *syntax.BasicLit, *syntax.BinaryExpr, *syntax.UnaryExpr, *syntax.ParenExpr, *syntax.CastExpr, *syntax.BasicType:
		default:
			return false
		}
	}
	return true
}

// list compares the statements of a block: those that have the place of one that there was are its successors, those without a place
// are new, and what a place has no successor of is gone, which only expressions can be.
func (d *editor) list(o *syntax.Block, stmts []syntax.Stmt) ([]change, bool) {
	var out []change
	var fresh []syntax.Stmt
	i := 0
	upTo := func(k int) bool { // statements i to k are gone, and those in fresh are in front of k
		text := ""
		for _, s := range fresh {
			text += strings.TrimRight(d.render(s), "\n") + "\n"
		}
		fresh = nil
		for ; i < k; i++ {
			if _, ok := o.Stmts[i].(*syntax.ExprStmt); !ok || !d.e.inText(tree.At(o.Stmts[i])) {
				return false
			}
			from, to := d.extent(o.Stmts[i])
			out = append(out, change{from, to, d.atPlace(strings.TrimRight(text, "\n"), from), nil})
			text = ""
		}
		if text == "" {
			return true
		}
		list, ok := d.inserted(o, i, text)
		out = append(out, list...)
		return ok
	}
	for len(stmts) > 0 {
		s := stmts[0]
		sp := tree.At(s)
		if !sp.From.IsValid() {
			fresh, stmts = append(fresh, s), stmts[1:]
			continue
		}
		k := slices.IndexFunc(o.Stmts[i:], func(old syntax.Stmt) bool { return tree.At(old) == sp })
		if k < 0 || !upTo(i+k) {
			return nil, false
		}
		olds, news := max(1, d.commas[sp]), 1
		for olds > 1 && news < len(stmts) && tree.At(stmts[news]) == sp {
			news++
		}
		list, ok := d.statements(o, o.Stmts[i:i+olds], stmts[:news])
		if !ok {
			return nil, false
		}
		out = append(out, list...)
		i, stmts = i+olds, stmts[news:]
	}
	return out, upTo(len(o.Stmts))
}

// split notes the statements of a block that are one of the source, whose expressions commas join.
func (d *editor) split(b *syntax.Block) {
	for i := 0; i < len(b.Stmts); {
		sp, n := tree.At(b.Stmts[i]), 1
		for end := sp.From.Offset; i+n <= len(b.Stmts); n++ {
			s, ok := b.Stmts[i+n-1].(*syntax.ExprStmt)
			if !ok || tree.At(s) != sp {
				break
			}
			x := tree.At(s.X)
			if !d.e.inText(x) || x.From.Offset < end || x.To.Offset > sp.To.Offset {
				break
			}
			end = x.To.Offset
		}
		if n--; n > 1 && (i+n == len(b.Stmts) || tree.At(b.Stmts[i+n]) != sp) {
			d.commas[sp] = n
		}
		i += max(1, n)
	}
}

// statements compares a statement of a block with its successor, or the statements that one with commas is.
func (d *editor) statements(o *syntax.Block, olds, news []syntax.Stmt) ([]change, bool) {
	if len(olds) == 1 && len(news) == 1 {
		return d.child(o, olds[0], news[0])
	}
	var out []change
	joined := len(olds) == len(news)
	for i := 0; joined && i < len(olds); i++ {
		if n, ok := news[i].(*syntax.ExprStmt); ok {
			list, ok := d.child(o, olds[i].(*syntax.ExprStmt).X, n.X)
			out, joined = append(out, list...), ok
		} else {
			joined = false
		}
	}
	if joined {
		return out, true
	}
	var lines []string
	for _, s := range news {
		lines = append(lines, strings.TrimRight(d.render(s), "\n"))
	}
	text := strings.Join(lines, "\n")
	if k := d.e.t.token(tree.At(o).From.Offset); !d.e.inText(tree.At(o)) || d.e.t.toks[k].Word != cpp.LBrace {
		text = "{\n\t" + indented(text, "\t") + "\n}"
	}
	from, to := d.extent(olds[0])
	return []change{{from, to, d.atPlace(text, from), nil}}, true
}

// inserted returns the change that puts the lines of text in front of statement i of a block.
func (d *editor) inserted(o *syntax.Block, i int, text string) ([]change, bool) {
	t, sp := d.e.t, tree.At(o)
	if k := t.token(sp.From.Offset); i == 0 && d.e.inText(sp) && k < len(t.toks) && t.toks[k].Word == cpp.LBrace {
		d.e.expandAt(sp.From.Offset)
		text = strings.TrimRight(text, "\n")
		at, in := t.toks[k].To(), t.indentation(sp.From.Offset)+"\t"
		if next := &t.toks[k+1]; next.Flags&cpp.AfterNewline == 0 && next.Word != cpp.RBrace {
			return []change{{at, at, "\n" + in + indented(text, in) + "\n" + in, nil}}, true
		} else if next.Flags&cpp.AfterNewline != 0 && next.Word != cpp.RBrace {
			in = t.indentation(next.From())
		}
		return []change{{at, at, "\n" + in + indented(text, in), nil}}, true
	}
	if i == 0 || !d.e.inText(tree.At(o.Stmts[i-1])) {
		return nil, false
	}
	if _, declared := o.Stmts[i-1].(*syntax.VarDecls); declared { // its place is that of a name
		return nil, false
	}
	from, to := d.extent(o.Stmts[i-1])
	return []change{{to, to, "\n" + d.atPlace(t.indentation(from)+strings.TrimRight(text, "\n"), from), nil}}, true
}

// render returns the text of a node: that of the source, or printed with that of the source in it.
func (d *editor) render(n syntax.Node) string {
	if text, ok := d.fromSource(n); ok {
		return text
	}
	return d.printed(n)
}

// printed prints a node. What the function had of it is the text of the source: names stand for that
// while it is printed.
func (d *editor) printed(n syntax.Node) string {
	first := len(d.holes)
	var out syntax.Node = tree.Clone(n)
	if f, ok := out.(*syntax.FuncDecl); ok { // the rest of it has the place of its name
		if text, ok := d.fromSource(f.Body); ok {
			f.Body = nil
			return strings.TrimSuffix(d.text(f), ";") + " " + text
		}
		syntax.Visit(f.Body, &filler{d, f.Body})
	} else {
		d.addresses(out)
		syntax.Visit(out, &filler{d, out})
		d.e.remark(out)
	}
	return d.fill(d.text(out), first)
}

// text prints a tree, which it changes, with the names of the source.
func (d *editor) text(n syntax.Node) string {
	d.e.names.locals, d.e.names.source = d.locals, true
	defer func() { d.e.names.locals, d.e.names.source = nil, false }()
	return syntax.String(d.e.names.resolved(n))
}

const hole = "__klap_hole_"

func holeName(i int) string { return fmt.Sprintf("%s%d_", hole, i) }

// fill puts the texts in the places of the names that stand for them.
func (d *editor) fill(text string, first int) string {
	for i := len(d.holes) - 1; i >= first; i-- {
		name := holeName(i)
		at := strings.Index(text, name)
		if at < 0 {
			continue
		}
		line := text[strings.LastIndexByte(text[:at], '\n')+1:]
		indentation := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		end := at + len(name)
		if strings.HasSuffix(d.holes[i], ";") || strings.HasSuffix(d.holes[i], "}") {
			if strings.HasPrefix(text[end:], ";") {
				end++
			}
		}
		text = text[:at] + indented(d.holes[i], indentation) + text[end:]
	}
	d.holes = d.holes[:first]
	return text
}

// A filler puts names in the places of what the source has.
type filler struct {
	d      *editor
	parent syntax.Node
}

func (f *filler) add(text string) string {
	f.d.holes = append(f.d.holes, text)
	return holeName(len(f.d.holes) - 1)
}

func (f *filler) Expr(place *syntax.Expr) {
	x := *place
	if text, ok := f.d.fromSource(x); ok {
		var y syntax.Expr = &syntax.Ident{Name: f.add(text)}
		if loose(x) && (!f.argument(place) || isComma(x)) && !strings.HasPrefix(text, "{") {
			if _, paren := f.parent.(*syntax.ParenExpr); !paren {
				y = &syntax.ParenExpr{X: y}
			}
		}
		*place = y
		return
	}
	f.d.addresses(x)
	syntax.Visit(x, &filler{f.d, x})
	f.d.e.remark(x)
}

// isComma reports whether an expression is one of commas, which arguments have in brackets.
func isComma(x syntax.Expr) bool {
	b, ok := x.(*syntax.BinaryExpr)
	return ok && b.Op == ","
}

// argument reports whether a place is that of an argument, which needs no brackets.
func (f *filler) argument(place *syntax.Expr) bool {
	switch p := f.parent.(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.LaunchExpr:
		for i := range p.Args {
			if place == &p.Args[i] {
				return true
			}
		}
	}
	return false
}

func (f *filler) Stmt(place *syntax.Stmt) { *place = f.stmt(*place) }

func (f *filler) stmt(s syntax.Stmt) syntax.Stmt {
	if text, ok := f.d.fromSource(s); ok {
		return &syntax.ExprStmt{X: &syntax.Ident{Name: f.add(text)}}
	}
	syntax.Visit(s, &filler{f.d, s})
	return s
}

func (f *filler) Stmts(list *[]syntax.Stmt) {
	for i, s := range *list {
		(*list)[i] = f.stmt(s)
	}
}

func (f *filler) Type(*syntax.TypeExpr) {}

func (f *filler) Node(n syntax.Node) syntax.Node {
	if s, ok := n.(syntax.Stmt); ok {
		if text, ok := f.d.fromSource(s); ok {
			if _, block := s.(*syntax.Block); !block {
				return &syntax.ExprStmt{X: &syntax.Ident{Name: f.add(text)}}
			}
			return &syntax.Block{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: &syntax.Ident{Name: f.add(text)}}}}
		}
	}
	if _, typ := n.(syntax.TypeExpr); !typ {
		syntax.Visit(n, &filler{f.d, n})
	}
	return n
}
