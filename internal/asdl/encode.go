package asdl

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"irgl/internal/source"
	"irgl/syntax"
)

// Encode writes the tree of an .irgl file as JSON; see the package comment for
// its form. The same tree gives the same bytes. Comments go with the statement
// or declaration that they stand before or beside. The error is w's, or says
// why the tree has no such form: it is CUDA, or has text that is not UTF-8.
func Encode(w io.Writer, f *syntax.File) error {
	if f.Dialect != syntax.IrGL {
		return errors.New("the abstract syntax is that of .irgl files: it has no CUDA")
	}
	e := &encoder{file: f, comments: f.Comments, objects: map[string]string{"WL": "Worklist"}}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.GraphDecl:
			e.objects[d.Name.Name] = "Graph"
		case *syntax.MeshDecl:
			e.objects[d.Name.Name] = "Mesh"
		}
	}
	module := newNode("Module").set("stmts", e.decls(f))
	out := &writer{}
	out.value(module)
	out.buf.WriteByte('\n')
	if !utf8.Valid(out.buf.Bytes()) {
		return fmt.Errorf("%s: JSON is UTF-8, and this text is not", f.Name)
	}
	_, err := w.Write(out.buf.Bytes())
	return err
}

// An encoder makes nodes of the abstract syntax.
type encoder struct {
	file     *syntax.File
	comments []*syntax.Comment // not yet written, in order
	objects  map[string]string // the types of objects with methods, for obj_type
}

// before takes the comments before a position and returns their texts.
func (e *encoder) before(pos source.Pos) []any {
	var out []any
	for len(e.comments) > 0 && e.comments[0].From.Before(pos) {
		out = append(out, e.comments[0].Text)
		e.comments = e.comments[1:]
	}
	return out
}

// beside takes the comment that begins on the line where n ends, before limit.
func (e *encoder) beside(n syntax.Node, limit source.Pos) string {
	if len(e.comments) == 0 {
		return ""
	}
	c := e.comments[0]
	if !c.From.Before(limit) || c.From.Line() != n.End().Line() || strings.Contains(c.Text, "\n") {
		return ""
	}
	e.comments = e.comments[1:]
	return c.Text
}

// annotate adds the comments before and beside an item to its node.
func annotate(n *node, doc []any, note string) *node {
	if len(doc) > 0 {
		// Before the other members, as the comments stand in a text.
		at := 0
		if n.pairs[0].name == "_type" {
			at = 1
		}
		n.pairs = append(n.pairs[:at:at], append([]pair{{"doc", doc}}, n.pairs[at:]...)...)
	}
	if note != "" {
		n.set("note", note)
	}
	return n
}

// leaf annotates the node of something without statements in it, whose
// comments all move before it.
func (e *encoder) leaf(n *node, of syntax.Node, limit source.Pos) *node {
	doc := e.before(of.End())
	return annotate(n, doc, e.beside(of, limit))
}

// rest appends the comments before pos, which no statement follows.
func (e *encoder) rest(out []any, pos source.Pos) []any {
	if doc := e.before(pos); len(doc) > 0 {
		out = append(out, annotate(newNode("NOP"), doc, ""))
	}
	return out
}

// decls returns the nodes of a file's declarations.
func (e *encoder) decls(f *syntax.File) []any {
	out := []any{}
	for i, d := range f.Decls {
		limit := f.End()
		if i+1 < len(f.Decls) {
			limit = f.Decls[i+1].Pos()
		}
		out = append(out, e.decl(d, limit))
	}
	for _, c := range e.comments {
		out = append(out, annotate(newNode("NOP"), []any{c.Text}, ""))
	}
	return out
}

//irgl:allnodes Decl except TypeDecl
func (e *encoder) decl(d syntax.Decl, limit source.Pos) *node {
	switch d := d.(type) {
	case *syntax.GraphDecl:
		doc := e.before(d.Pos())
		n := e.members("Graph", d.Name, d.Requires, d.Props, d.Racy, d.End())
		return annotate(n, doc, e.beside(d, limit))
	case *syntax.MeshDecl:
		doc := e.before(d.Pos())
		n := e.members("Mesh", d.Name, d.Requires, d.Props, d.Racy, d.End())
		return annotate(n, doc, e.beside(d, limit))
	case *syntax.NamesDecl:
		return e.leaf(newNode("Names").set("names", names(d.Names)), d, limit)
	case *syntax.CBlock:
		return e.leaf(passed(d), d, limit)
	case *syntax.DefineDecl:
		n := newNode("Names").set("names", []any{d.Name.Name}).set("values", []any{syntax.String(d.Value)})
		return e.leaf(n, d, limit)
	case *syntax.VarDecls:
		return e.leaf(varDecls("CDeclGlobal", d), d, limit)
	case *syntax.FuncDecl:
		doc := e.before(d.Pos())
		n := e.attributes(e.function(d), d)
		return annotate(n, doc, e.beside(d, limit))
	}
	return e.leaf(cBlock(syntax.String(d)), d, limit) // a type
}

// members makes the node Graph or Mesh, which the report does not have, of a
// declaration that ends at end.
func (e *encoder) members(
	word string, name *syntax.Ident, requires []*syntax.Ident, props []*syntax.PropDecl, races []*syntax.RacyDecl, end source.Pos,
) *node {
	racy := []any{}
	for _, r := range races {
		racy = append(racy, (&node{}).set("name", r.Name.Name).set("reason", r.Reason))
	}
	return newNode(word).set("name", name.Name).set("requires", names(requires)).set("props", e.props(props, end)).set("racy", racy)
}

// props returns the properties of a Graph or a Mesh that ends at end.
func (e *encoder) props(list []*syntax.PropDecl, end source.Pos) []any {
	out := []any{}
	for i, p := range list {
		n := (&node{}).set("type", syntax.String(p.Type)).set("name", p.Name.Name).set("initializer", optional(p.Init)).
			set("domain", p.Of.String()).set("output", p.Output)
		limit := end
		if i+1 < len(list) {
			limit = list[i+1].Pos()
		}
		out = append(out, e.leaf(n, p, limit))
	}
	return out
}

// names returns the texts of a list of names.
func names(list []*syntax.Ident) []any {
	out := []any{}
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}

func (e *encoder) function(f *syntax.FuncDecl) *node {
	params := []any{}
	for _, p := range f.Params {
		n := (&node{}).set("type", nil).set("name", nil)
		if p.Type != nil {
			n.pairs[0].val = syntax.String(p.Type)
		}
		if p.Name != nil {
			n.pairs[1].val = p.Name.Name
		}
		if p.Default != nil {
			n.set("default", syntax.String(p.Default))
		}
		params = append(params, n)
	}
	result := "void"
	if f.Result != nil {
		result = syntax.String(f.Result)
	}
	plain := f.Kind == syntax.PlainFunc
	n := newNode("Kernel").set("name", f.Name.Name).set("params", params).set("ret_type", result).
		set("host", plain || f.Kind == syntax.HostFunc).set("device", plain)
	if f.Attrs != 0 {
		n.set("attrs", attrList(f.Attrs))
	}
	if len(f.Bounds) > 0 {
		n.set("launch_bounds", exprs(f.Bounds))
	}
	if f.Body == nil {
		return n.set("stmts", nil)
	}
	return n.set("stmts", e.block(f.Body))
}

func (e *encoder) block(b *syntax.Block) *node {
	return newNode("Block").set("stmts", e.stmts(b.Stmts, b.End()))
}

// stmts returns the nodes of a list of statements that ends at end. C
// statements that follow each other share a CBlock.
func (e *encoder) stmts(list []syntax.Stmt, end source.Pos) []any {
	out := []any{}
	for i, s := range list {
		limit := end
		if i+1 < len(list) {
			limit = list[i+1].Pos()
		}
		n := e.stmt(s, limit)
		// A comment would move from its statement, so that it ends a CBlock.
		if i > 0 {
			if prev := out[len(out)-1].(*node); isPlainC(prev) && isPlainC(n) {
				prev.pairs[1].val = append(prev.pairs[1].val.([]any), n.pairs[1].val.([]any)...)
				continue
			}
		}
		out = append(out, n)
	}
	return e.rest(out, end)
}

// isPlainC reports whether n is a CBlock without comments.
func isPlainC(n *node) bool {
	return n.pairs[0].val == "CBlock" && len(n.pairs) == 3 && n.pairs[1].name == "stmts"
}

// stmt returns the node of a statement, with its comments.
func (e *encoder) stmt(s syntax.Stmt, limit source.Pos) *node {
	doc := e.before(s.Pos())
	n := e.compound(s)
	if n == nil {
		n = e.simple(s)
		doc = append(doc, e.before(s.End())...)
	}
	return annotate(e.attributes(n, s), doc, e.beside(s, limit))
}

// simple returns the node of a statement that has no node for statements in it.
// Statements for which the report has no node are C text.
func (e *encoder) simple(s syntax.Stmt) *node {
	switch s := s.(type) {
	case *syntax.VarDecls:
		return varDecls("CDecl", s)
	case *syntax.ReduceStmt:
		return newNode("ReduceAndReturn").set("value", syntax.String(s.Value))
	case *syntax.RetryStmt:
		if s.Respawn {
			return newNode("Respawn").set("args", syntax.String(s.Item))
		}
		return newNode("Retry").set("args", syntax.String(s.Item)).set("merge", s.Merge)
	case *syntax.BarrierStmt:
		if s.Local {
			return newNode("LocalBarrier")
		}
		return newNode("SyncRunningThreads")
	case *syntax.CBlock:
		return passed(s)
	case *syntax.ExprStmt:
		return e.exprStmt(s.X)
	}
	return cBlock(e.file.Text(s))
}

// attributes adds those of a statement or a function to its node.
func (e *encoder) attributes(n *node, of syntax.Node) *node {
	var out []any
	for _, a := range e.file.Attributes[of] {
		out = append(out, strings.Trim(a.String(), "[]"))
	}
	if len(out) > 0 {
		n.set("attributes", out)
	}
	return n
}

func (e *encoder) exprStmt(x syntax.Expr) *node {
	switch x := x.(type) {
	case *syntax.AssignExpr:
		if x.Op == "=" {
			return newNode("Assign").set("lhs", syntax.String(x.L)).set("rhs", syntax.String(x.R))
		}
	case *syntax.InvokeExpr:
		return newNode("Invoke").set("aggr", aggr(x.Aggr)).set("kernel", x.Kernel.Name).set("args", exprs(x.Args))
	case *syntax.CallExpr:
		m, ok := x.Fun.(*syntax.MemberExpr)
		if !ok || m.Arrow {
			break
		}
		// The report has methods of named objects only; others are C text.
		if obj, ok := m.X.(*syntax.Ident); ok {
			return newNode("Expr").set("e", newNode("MethodInvocation").set("obj", obj.Name).set("method", m.Name.Name).
				set("obj_type", e.objects[obj.Name]).set("args", exprs(x.Args)))
		}
	}
	return newNode("Expr").set("e", newNode("CExpr").set("expr", syntax.String(x)).set("parse", true))
}

// compound returns the node of a statement whose node has others in it, or nil.
//
//irgl:somenodes those for which the report has no node are C text
func (e *encoder) compound(s syntax.Stmt) *node {
	switch s := s.(type) {
	case *syntax.Block:
		return e.block(s)
	case *syntax.IfStmt:
		n := newNode("If").set("cond", syntax.String(s.Cond)).set("true_stmts", e.body(s.Then))
		if s.Else == nil {
			return n.set("false_stmts", []any{})
		}
		return n.set("false_stmts", e.body(s.Else))
	case *syntax.ForStmt:
		init := ""
		if s.Init != nil {
			init = strings.TrimSuffix(syntax.String(s.Init), ";")
		}
		n := newNode("CFor").set("init", init).set("cond", exprText(s.Cond)).set("update", exprText(s.Post)).set("stmts", e.body(s.Body))
		if s.Unroll != 0 {
			n.set("unroll", s.Unroll)
		}
		return n
	case *syntax.WhileStmt:
		name := "While"
		if s.Do {
			name = "DoWhile"
		}
		return newNode(name).set("cond", syntax.String(s.Cond)).set("stmts", e.body(s.Body))
	case *syntax.ForAllStmt:
		name := "ForAll"
		if s.Serial {
			name = "For"
		}
		return newNode(name).set("ndxvar", s.Var.Name).set("iterator", syntax.String(s.Iter)).set("stmts", e.body(s.Body))
	case *syntax.IterateStmt:
		var cond any
		switch s.Cond {
		case syntax.While:
			cond = "While"
		case syntax.Until:
			cond = "Until"
		}
		body := []any{}
		if s.Body != nil {
			body = e.body(s.Body)
		}
		return newNode("Iterate").set("cond", cond).set("aggr", aggr(s.Aggr)).set("kernel", s.Kernel.Name).set("args", exprs(s.Args)).
			set("wlinit", initial(s.Initial)).set("stmts", body).set("extra_cond", extra(s.Extra))
	case *syntax.PipeStmt:
		return newNode("Pipe").set("once", s.Once).set("wlinit", initial(s.Initial)).set("stmts", e.body(s.Body))
	case *syntax.AtomicStmt:
		return e.atomic(s)
	case *syntax.ExclusiveStmt:
		return e.exclusive(s)
	}
	return nil
}

// atomic returns the node of an Atomic. The report has an array of locks and
// an index apart.
func (e *encoder) atomic(a *syntax.AtomicStmt) *node {
	lock, index := syntax.String(a.Lock), any(nil)
	if x, ok := a.Lock.(*syntax.IndexExpr); ok {
		lock, index = syntax.String(x.X), syntax.String(x.Index)
	}
	return e.bodyElse(newNode("Atomic").set("lock", lock).set("lockndx", index), a.Body, a.Else)
}

// bodyElse adds the statements of an Atomic or an Exclusive; other may be nil.
func (e *encoder) bodyElse(n *node, body, other *syntax.Block) *node {
	n.set("stmts", e.body(body))
	fail := []any{}
	if other != nil {
		fail = []any{e.block(other)} // comments before Else go to its first statement
	}
	return n.set("fail_stmts", fail)
}

// exclusive returns the node of an Exclusive, with a Tuple of the object and
// of the lists of its elements.
func (e *encoder) exclusive(s *syntax.ExclusiveStmt) *node {
	items := []any{}
	for _, l := range s.Locks {
		if l.Low == nil && l.Step == nil {
			items = append(items, newNode("Array").set("size", size(l.High)).set("name", syntax.String(l.X)))
			continue
		}
		items = append(items, newNode("ArrayIterator").set("array", syntax.String(l.X)).set("start", optional(l.Low)).
			set("end", syntax.String(l.High)).set("step", optional(l.Step)))
	}
	tuple := newNode("Tuple").set("object", syntax.String(s.Object)).set("items", items)
	return e.bodyElse(newNode("Exclusive").set("objs_lock", tuple), s.Body, s.Else)
}

// size returns a number as one, and the text of any other expression.
func size(x syntax.Expr) any {
	s := syntax.String(x)
	if n, err := strconv.Atoi(s); err == nil && strconv.Itoa(n) == s {
		return n
	}
	return s
}

// extra returns the extra condition of an Iterate, or nil.
func extra(c *syntax.ExtraCond) any {
	if c == nil {
		return nil
	}
	name := "And"
	if c.Or {
		name = "Or"
	}
	return newNode(name).set("cond", syntax.String(c.Cond))
}

// body returns the list that the report has for the statements of a loop or a
// branch: one Block, or the statement itself where the text has no braces.
func (e *encoder) body(s syntax.Stmt) []any { return []any{e.stmt(s, s.End())} }

func cBlock(lines ...any) *node { return newNode("CBlock").set("stmts", lines).set("parse", true) }

// passed returns a text that is passed on, a string a line, with what it reads
// and writes.
func passed(b *syntax.CBlock) *node {
	lines := []any{}
	for line := range strings.SplitSeq(b.Text, "\n") {
		lines = append(lines, line)
	}
	return newNode("CBlock").set("stmts", lines).set("parse", false).set("reads", names(b.Reads)).set("writes", names(b.Writes))
}

// varDecls returns a declaration of variables. The report's cdecl has a type
// and a name; a type that is defined here, or aligned, takes C's text.
func varDecls(name string, d *syntax.VarDecls) *node {
	const plain = syntax.Output | syntax.Static | syntax.Extern
	decls := []any{}
	for _, v := range d.Vars {
		if d.Align != nil || d.Attrs&^plain != 0 || definesType(v.Type) {
			return cBlock(syntax.String(d))
		}
		decls = append(decls, (&node{}).set("type", syntax.String(v.Type)).set("name", v.Name.Name).set("initializer", optional(v.Init)))
	}
	n := newNode(name).set("decls", decls).set("parse", true).set("dont_move", false)
	if d.Attrs != 0 {
		n.set("attrs", attrList(d.Attrs))
	}
	return n
}

// definesType reports whether the text of a type has a body in it.
func definesType(t syntax.TypeExpr) bool {
	for n := range syntax.Preorder(t) {
		if tag, ok := n.(*syntax.TagType); ok && tag.Defined {
			return true
		}
	}
	return false
}

// attrNames are the qualifiers that the annotation attrs may have, in the
// order in which they stand in a text.
var attrNames = []struct {
	attr syntax.Attrs
	name string
}{
	{syntax.Output, "Output"}, {syntax.ExternC, `extern "C"`}, {syntax.Extern, "extern"}, {syntax.Static, "static"},
	{syntax.Global, "__global__"}, {syntax.Device, "__device__"}, {syntax.HostAttr, "__host__"}, {syntax.Shared, "__shared__"},
	{syntax.Constant, "__constant__"}, {syntax.Managed, "__managed__"}, {syntax.ForceInline, "__forceinline__"},
	{syntax.NoInline, "__noinline__"}, {syntax.Inline, "inline"},
}

func attrList(a syntax.Attrs) []any {
	out := []any{}
	for _, n := range attrNames {
		if a.Has(n.attr) {
			out = append(out, n.name)
		}
	}
	return out
}

func aggr(a syntax.Aggr) any {
	if a == syntax.NoAggr {
		return nil
	}
	return a.String()
}

func initial(w *syntax.WorklistInit) any {
	if w == nil {
		return nil
	}
	if len(w.Items) == 1 {
		// The first elements of an array.
		if s, ok := w.Items[0].(*syntax.SliceExpr); ok && s.Low == nil && s.Step == nil {
			return newNode("WorklistInitializerFromArray").set("size", optional(w.Size)).set("array", syntax.String(s.X)).
				set("array_size", syntax.String(s.High))
		}
	}
	return newNode("WorklistInitializer").set("size", optional(w.Size)).set("initial", exprs(w.Items))
}

func exprs(list []syntax.Expr) []any {
	out := []any{}
	for _, x := range list {
		out = append(out, syntax.String(x))
	}
	return out
}

// optional returns the text of an expression, nil for none.
func optional(x syntax.Expr) any {
	if x == nil {
		return nil
	}
	return syntax.String(x)
}

// exprText returns the text of an expression, "" for none.
func exprText(x syntax.Expr) string {
	if x == nil {
		return ""
	}
	return syntax.String(x)
}
