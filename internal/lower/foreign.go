package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Text that a program passes on to CUDA's compiler (report, section 1) is in
// the .cu text as it is. Names of such text are used as they are. For PTX it is
// parsed behind lowering: what is C99 becomes part of the lowered program, and may
// access no more than its Reads and Writes declare.

// textBefore adds the C texts before a function in the program, or
// all for nil, unless they have been added.
func (l *lowerer) textBefore(f *check.FuncInfo) {
	for _, d := range l.info.File.Decls {
		if f != nil && d == syntax.Decl(f.Decl) {
			return
		}
		b, ok := d.(*syntax.CBlock)
		if !ok || l.passed[b] {
			continue
		}
		l.passed[b] = true
		l.out = append(l.out, l.passedOn(b))
	}
}

// passedOn lowers a CBlock. Its sets keep the variables, which are thereby used.
func (l *lowerer) passedOn(b *syntax.CBlock) *syntax.CBlock {
	names := func(list []*syntax.Ident) []*syntax.Ident {
		var out []*syntax.Ident
		for _, id := range list {
			if o := l.info.Uses[id]; o != nil && o.Kind != check.PropObj {
				out = append(out, ident(id.Span, nameOf(o)))
			}
		}
		return out
	}
	return &syntax.CBlock{Span: b.Span, Text: b.Text, Reads: names(b.Reads), Writes: names(b.Writes)}
}

// ParseForeign returns a lowered program with its C text parsed, checked, or reports what
// is not C99 and what accesses more than it declares. info is of the program, file its
// lowered form, arch the value of __CUDA_ARCH__.
func ParseForeign(info *check.Info, file *syntax.File, arch int, diags *source.List) *check.Info {
	p := &foreign{info: info, arch: arch, diags: diags}
	if !p.parse(file) {
		return nil
	}
	out := p.splice(file)
	var found source.List
	lowered := check.Check(out, &found)
	for _, d := range found.Diags {
		if d.Severity != source.Error {
			continue
		}
		p.refuse(d.Pos, d.End, "%s", d.Message)
	}
	if diags.Errors() == 0 {
		p.declared(lowered)
	}
	return lowered
}

// CheckForeign reports what C text of a lowered program does beyond what it declares, where
// all of the text is C99; other text is for CUDA's compiler.
func CheckForeign(info *check.Info, file *syntax.File, arch int, diags *source.List) {
	var found source.List
	ParseForeign(info, file, arch, &found)
	for _, d := range found.Diags {
		if d.Code == CodeUndeclared {
			diags.Diags = append(diags.Diags, d)
		}
	}
}

// A foreign is the C text of one program while it is parsed.
type foreign struct {
	info  *check.Info
	arch  int
	diags *source.List

	text  strings.Builder
	parts []foreignPart
	decls map[*syntax.CBlock][]syntax.Decl // of text outside functions
	stmts map[*syntax.CBlock][]syntax.Stmt
	names map[string]syntax.Expr // what macros of the text stand for
	made  map[*syntax.CBlock]*syntax.Block
}

// A foreignPart is a piece of the text that is parsed: a CBlock's, or a name.
type foreignPart struct {
	from int // its offset
	at   syntax.Span
	text bool
}

const foreignHint = "it takes C99 whose Reads and Writes name what of the program it uses, and has no front end for C++ or inline assembly: " +
	"print the program with --emit=cu and compile that with nvcc"

// refuse reports what only CUDA's compiler understands.
func (p *foreign) refuse(from, to source.Pos, format string, args ...any) {
	p.diags.Errorf(from, to, CodeForeign, "irgl does not understand this C text: "+format, args...).Hint = foreignHint
}

// add adds a piece to the text.
func (p *foreign) add(n syntax.Span, text string, block bool) {
	p.parts = append(p.parts, foreignPart{p.text.Len(), n, block})
	p.text.WriteString(text)
}

// The functions around what is parsed, by their numbers.
const (
	foreignStmts = "irgl_text_%d"
	foreignName  = "irgl_name_%d"
	foreignEnd   = "irgl_end_%d"
)

// parse parses all texts of a lowered program as one file, so that the macros of one are
// known in the next, and reports whether that succeeded.
func (p *foreign) parse(file *syntax.File) bool {
	p.add(syntax.Span{}, "typedef int irgl_index;\n", false)
	var outside, inside []*syntax.CBlock
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.CBlock:
			outside = append(outside, d)
			p.add(d.Span, fmt.Sprintf("%s\nint "+foreignEnd+";\n", d.Text, len(outside)), true)
		case *syntax.TypeDecl:
			if d.Name != nil {
				p.add(syntax.Span{}, syntax.String(d)+"\n", false)
			}
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil {
			for n := range syntax.Preorder(f.Body) {
				if b, ok := n.(*syntax.CBlock); ok {
					inside = append(inside, b)
					p.add(b.Span, fmt.Sprintf("void "+foreignStmts+"(void) {\n%s\n}\n", len(inside), b.Text), true)
				}
			}
		}
	}
	var names []string
	for _, id := range p.info.Foreign {
		if !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
			p.add(id.Span, fmt.Sprintf("int "+foreignName+"(void) {\nreturn %s;\n}\n", len(names), id.Name), false)
		}
	}
	var found source.List
	parsed := syntax.ParseWith(source.NewFile("irgl-text.cu", []byte(p.text.String())), syntax.CUDA, &found, syntax.Options{Arch: p.arch})
	for _, d := range found.Diags {
		if d.Severity != source.Error {
			continue
		}
		part := p.partAt(d.Pos)
		p.refuse(part.at.From, part.at.To, "%s", d.Message)
	}
	for n := range syntax.Preorder(parsed) {
		if a, ok := n.(*syntax.AsmStmt); ok { // what it accesses, and whether it waits, is not seen
			part := p.partAt(a.Pos())
			p.refuse(part.at.From, part.at.To, "inline assembly is not supported")
		}
	}
	if p.diags.Errors() > 0 {
		return false
	}
	p.sort(parsed, outside, inside, names)
	defined := map[string]bool{}
	for _, list := range p.decls {
		for _, d := range list {
			for n := range syntax.Preorder(d) {
				switch n := n.(type) {
				case *syntax.VarDecl:
					defined[n.Name.Name] = true
				case *syntax.EnumConst:
					defined[n.Name.Name] = true
				}
			}
		}
	}
	for _, id := range p.info.Foreign {
		if x, ok := p.names[id.Name].(*syntax.Ident); ok && x.Name == id.Name && !defined[id.Name] {
			p.diags.Errorf(id.Pos(), id.End(), CodeForeign, "no C text of the program that irgl understands defines %s", id.Name).Hint = foreignHint
		}
	}
	return p.diags.Errors() == 0
}

// sort notes what the parsed declarations are.
func (p *foreign) sort(parsed *syntax.File, outside, inside []*syntax.CBlock, names []string) {
	p.decls, p.stmts, p.names = map[*syntax.CBlock][]syntax.Decl{}, map[*syntax.CBlock][]syntax.Stmt{}, map[string]syntax.Expr{}
	k := 0
	typedefs := true // those of the program come before each text
	var texts []syntax.Decl
	for _, d := range parsed.Decls {
		if v, ok := d.(*syntax.VarDecls); ok && k < len(outside) && len(v.Vars) == 1 && v.Vars[0].Name.Name == fmt.Sprintf(foreignEnd, k+1) {
			p.decls[outside[k]] = texts
			texts, k = nil, k+1
			continue
		}
		f, ok := d.(*syntax.FuncDecl)
		if ok && f.Body != nil {
			var i int
			if n, _ := fmt.Sscanf(f.Name.Name, foreignStmts, &i); n == 1 && i <= len(inside) {
				p.stmts[inside[i-1]] = f.Body.Stmts
				continue
			}
			if n, _ := fmt.Sscanf(f.Name.Name, foreignName, &i); n == 1 && i <= len(names) {
				if r, ok := f.Body.Stmts[0].(*syntax.ReturnStmt); ok && r.X != nil {
					p.names[names[i-1]] = r.X
				}
				continue
			}
		}
		if t, ok := d.(*syntax.TypeDecl); ok && t.Name != nil && typedefs && p.ours(t) {
			continue
		}
		texts = append(texts, d)
	}
}

// ours reports whether a typedef is one of the program, which is in the text for the
// parser alone.
func (p *foreign) ours(t *syntax.TypeDecl) bool {
	return !p.partAt(t.Pos()).text
}

// partAt returns the piece that a position of the parsed text is in.
func (p *foreign) partAt(pos source.Pos) foreignPart {
	part := p.parts[0]
	for _, x := range p.parts {
		if x.from <= int(pos.Offset) {
			part = x
		}
	}
	return part
}

// splice returns a copy of the lowered program with what was parsed in the place of
// texts.
func (p *foreign) splice(file *syntax.File) *syntax.File {
	p.made = map[*syntax.CBlock]*syntax.Block{}
	place := func(n syntax.Node, at syntax.Span) {
		syntax.Inspect(n, func(n syntax.Node) bool {
			if n, ok := n.(interface{ SetSpan(syntax.Span) }); ok {
				n.SetSpan(at)
			}
			return true
		})
	}
	out := *file
	out.Decls = nil
	for _, d := range file.Decls {
		b, ok := d.(*syntax.CBlock)
		if !ok {
			if f, ok := d.(*syntax.FuncDecl); ok {
				d = p.rewritten(f, place)
			}
			out.Decls = append(out.Decls, d)
			continue
		}
		for _, d := range p.decls[b] {
			place(d, b.Span)
			out.Decls = append(out.Decls, d)
		}
	}
	return &out
}

// rewritten returns a copy of a function with its texts as statements and the names of the
// text as what they stand for.
func (p *foreign) rewritten(f *syntax.FuncDecl, place func(syntax.Node, syntax.Span)) *syntax.FuncDecl {
	blocks := map[*syntax.CBlock]*syntax.CBlock{}
	out := tree.CloneWith(f, func(old, made syntax.Node) {
		if b, ok := old.(*syntax.CBlock); ok {
			blocks[made.(*syntax.CBlock)] = b
		}
	})
	tree.Rewriter{
		Expr: func(x syntax.Expr) syntax.Expr {
			id, ok := x.(*syntax.Ident)
			if !ok || p.names[id.Name] == nil {
				return x
			}
			c := tree.Clone(p.names[id.Name])
			place(c, id.Span)
			return &syntax.ParenExpr{Span: id.Span, X: c}
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			b, ok := s.(*syntax.CBlock)
			if !ok {
				return []syntax.Stmt{s}
			}
			old := blocks[b]
			body := tree.Clone(&syntax.Block{Span: b.Span, Stmts: p.stmts[old]})
			place(body, b.Span)
			p.made[old] = body
			return body.Stmts
		},
	}.Rewrite(out)
	return out
}

// declared reports texts that read or write what they do not declare. What they do through a
// pointer counts for the pointer.
func (p *foreign) declared(lowered *check.Info) {
	own := ownObjects{} // what texts declare
	note := func(n syntax.Node) { own.add(lowered, n) }
	texts := map[syntax.Span][]syntax.Node{}
	for b, list := range p.decls {
		for _, d := range list {
			note(d)
			if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil {
				texts[b.Span] = append(texts[b.Span], f.Body)
			}
		}
	}
	bodies := map[syntax.Span]*syntax.Block{}
	for b, body := range p.made {
		bodies[b.Span] = body
		note(body)
		texts[b.Span] = []syntax.Node{body} // of several variants of a kernel one
	}
	for _, b := range p.info.CBlocks {
		if body := bodies[b.Span]; body != nil {
			why := leavesText(body)
			if why == "" {
				why = dependsOnThread(lowered, body, map[*syntax.FuncDecl]bool{})
			}
			if why != "" {
				p.diags.Errorf(b.Pos(), b.End(), CodeUndeclared, "the text %s", why).Hint = "a text has one entry and one exit, and runs in the thread of its iteration alone"
			}
		}
		a := &accesses{info: lowered, own: own, reads: map[string]bool{}, writes: map[string]bool{}, done: map[*syntax.FuncDecl]bool{}}
		for _, n := range texts[b.Span] {
			a.node(n)
		}
		p.compare(b, a)
	}
}

// ownObjects are the variables that texts and the functions they call declare.
type ownObjects map[*check.Object]bool

// add adds what is declared in n.
func (own ownObjects) add(info *check.Info, n syntax.Node) {
	for n := range syntax.Preorder(n) {
		switch n := n.(type) {
		case *syntax.VarDecl:
			own[info.Defs[n.Name]] = true
		case *syntax.Param:
			if n.Name != nil {
				own[info.Defs[n.Name]] = true
			}
		}
	}
}

// dependsOnThread returns what of n, or of a function that it calls, waits for other threads or
// depends on the thread that executes it, or "". A function in seen is not visited again.
func dependsOnThread(info *check.Info, n syntax.Node, seen map[*syntax.FuncDecl]bool) (why string) {
	for n := range syntax.Preorder(n) {
		id, ok := n.(*syntax.Ident)
		if !ok {
			continue
		}
		o := info.Uses[id]
		switch {
		case o == nil:
		case o.Func != nil:
			if d := o.Func.Decl; d != nil && d.Body != nil && !seen[d] {
				seen[d] = true
				why = dependsOnThread(info, d.Body, seen)
			}
		case o.Decl == nil:
			if row := builtin.Lookup(id.Name); row == nil {
			} else if row.Effects&builtin.Barrier != 0 {
				why = "waits for other threads, by " + id.Name
			} else if row.NamesThread() {
				why = "depends on the thread that executes it, by " + id.Name
			}
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// leavesText returns what leads out of a text, or "".
func leavesText(body *syntax.Block) (why string) {
	labels := map[string]bool{}
	for n := range syntax.Preorder(body) {
		if n, ok := n.(*syntax.LabelStmt); ok {
			labels[n.Name.Name] = true
		}
	}
	var visit func(n syntax.Node, loops, switches int)
	visit = func(n syntax.Node, loops, switches int) {
		syntax.Inspect(n, func(c syntax.Node) bool {
			switch c := c.(type) {
			case *syntax.ReturnStmt:
				why = "ends with a return"
			case *syntax.GotoStmt:
				if !labels[c.Name.Name] {
					why = "jumps to " + c.Name.Name + ", which is outside"
				}
			case *syntax.BreakStmt:
				if loops+switches == 0 {
					why = "has a break out of it"
				}
			case *syntax.ContinueStmt:
				if loops == 0 {
					why = "has a continue out of it"
				}
			case syntax.Loop:
				if c != n {
					visit(c, loops+1, switches)
					return false
				}
			case *syntax.SwitchStmt:
				if c != n {
					visit(c, loops, switches+1)
					return false
				}
			}
			return true
		})
	}
	visit(body, 0, 0)
	return why
}

// compare compares the sets of a text with what it accesses.
func (p *foreign) compare(b *syntax.CBlock, a *accesses) {
	names := func(list []*syntax.Ident) map[string]bool {
		out := map[string]bool{}
		for _, id := range list {
			if o := p.info.Uses[id]; o != nil && o.Kind == check.PropObj {
				out[propPrefix+FieldName(o.Name)] = true
			} else if o != nil {
				out[nameOf(o)] = true
			}
		}
		return out
	}
	if a.list {
		p.diags.Errorf(b.Pos(), b.End(), CodeUndeclared, "the text uses a worklist of its kernel").Hint =
			"assign what is to be pushed to a variable that Writes names, and push it in a statement behind the text"
	}
	for _, x := range []struct {
		does, set       string
		found, declared map[string]bool
	}{{"reads", "Reads", a.reads, names(b.Reads)}, {"writes", "Writes", a.writes, names(b.Writes)}} {
		for _, name := range a.order {
			if x.found[name] && !x.declared[name] {
				shown := strings.TrimPrefix(name, propPrefix)
				p.diags.Errorf(b.Pos(), b.End(), CodeUndeclared, "the text %s %s, which its %s does not name", x.does, shown, x.set).Hint =
					fmt.Sprintf("write %s (%s): what a text declares decides which optimisations are legal", x.set, shown)
			}
		}
	}
}

// propPrefix tells a property from a variable of its name.
const propPrefix = abi.GraphTag + "."

// accesses are the names that statements of a text read and write.
type accesses struct {
	info          *check.Info
	own           ownObjects // variables of texts and of functions that they call
	reads, writes map[string]bool
	order         []string
	list          bool                      // a worklist of the kernel is used
	done          map[*syntax.FuncDecl]bool // called functions that are accounted for
}

func (a *accesses) note(set map[string]bool, name string) {
	if !a.reads[name] && !a.writes[name] {
		a.order = append(a.order, name)
	}
	set[name] = true
}

// node notes what is read and written in n.
func (a *accesses) node(n syntax.Node) {
	syntax.Inspect(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr:
			if n.Op != "=" {
				a.place(n.L, true, true)
			} else {
				a.place(n.L, false, true)
			}
			a.node(n.R)
			return false
		case *syntax.PostfixExpr:
			a.place(n.X, true, true)
			return false
		case *syntax.UnaryExpr:
			if n.Op == "++" || n.Op == "--" || n.Op == "&" {
				a.place(n.X, true, true)
				return false
			}
		case *syntax.CallExpr:
			a.call(n)
		case *syntax.Ident, *syntax.MemberExpr, *syntax.IndexExpr:
			a.place(n.(syntax.Expr), true, false)
			return false
		case *syntax.SizeofExpr, syntax.TypeExpr:
			return false
		}
		return true
	})
}

// place notes an access of the variable or property that e is a part of.
func (a *accesses) place(e syntax.Expr, read, write bool) {
	whole := true
	for {
		switch x := e.(type) {
		case *syntax.ParenExpr:
			e = x.X
			continue
		case *syntax.IndexExpr:
			a.node(x.Index)
			e, whole = x.X, false
			continue
		case *syntax.UnaryExpr:
			if x.Op == "*" {
				e, whole = x.X, false
				continue
			}
		case *syntax.MemberExpr:
			if hasTag(a.info.Types[x.X], abi.GraphTag) {
				if slices.Contains(abi.Fields(), x.Name.Name) {
					return // the graph itself
				}
				// The address of a property's array may be used to write.
				a.object(propPrefix+x.Name.Name, read, write || whole)
				return
			}
			e, whole = x.X, false
			continue
		case *syntax.Ident:
			o := a.info.Uses[x]
			if o != nil && !a.own[o] && hasTag(o.Type, abi.ListTag) {
				a.list = true
				return
			}
			if o == nil || a.own[o] || o.Kind != check.VarObj && o.Kind != check.ParamObj || hasTag(o.Type, abi.GraphTag) {
				return
			}
			a.object(o.Name, read, write)
			return
		}
		a.node(e)
		return
	}
}

// hasTag reports whether a type is the struct with the tag.
func hasTag(t check.Type, tag string) bool {
	s, ok := t.(*check.Struct)
	return ok && s.Tag == tag
}

func (a *accesses) object(name string, read, write bool) {
	if read {
		a.note(a.reads, name)
	}
	if write {
		a.note(a.writes, name)
	}
}

// call notes what a function that the text calls reads and writes, in its own body and in those
// that it calls.
func (a *accesses) call(c *syntax.CallExpr) {
	id, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
	if !ok {
		return
	}
	o := a.info.Uses[id]
	if o == nil || o.Func == nil {
		return
	}
	d := o.Func.Decl
	if d == nil || d.Body == nil || a.done[d] {
		return
	}
	a.done[d] = true
	a.own.add(a.info, d)
	a.node(d.Body)
}
