package klap

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The declarations of a promoted kernel: a struct of its slot, functions that launch descendants and release the next
// one, and its two forms.

// instance is the variable of a promoted kernel with what its block knows, mine its slot, and descendants the parameter
// with the pool.
const (
	instance    = "__klap_at"
	mine        = "__klap_mine"
	descendants = "__klap_pool_of"
)

// parameter returns a parameter with the type of the kernel's parameter i.
func (m *promotion) parameter(i int, name string) *syntax.Param {
	q := m.fn.Decl.Params[i]
	return &syntax.Param{Span: tree.At(q), Type: argument(q.Type), Name: tree.Ident(tree.At(q), name)}
}

// front returns what is declared before the kernel.
func (m *promotion) front() []syntax.Decl {
	var stores, passed [3]string // by passing
	for i, q := range m.pass {
		a := "a" + strconv.Itoa(i)
		if m.isWord(i) {
			continue
		}
		stores[q] += fmt.Sprintf("\t\tnext->%s = %s;\n", a, a)
		passed[q] += a + ", "
	}
	text := fmt.Sprintf("struct %s { struct __klap_slot front; };\n", m.tag())
	begun := ""
	switch {
	case !m.conditional:
	case stores[known] == "":
		begun = "\t\t__klap_say(&next->front.begun, 1, " + m.bits(known) + ");\n"
	default:
		begun = "\t\t__klap_tell(&next->front.begun, 1, 0);\n"
	}
	launch := func(stream int) string {
		return fmt.Sprintf("%s<<<%d, block, shared, (cudaStream_t)%d>>>(%sat->made);\n", m.fromKernel(), m.p.o.descendants(), stream, passed[same])
	}
	text += fmt.Sprintf(`static __device__ void %[1]s(struct __klap_instance *at, unsigned int bx, unsigned int by, unsigned int bz, unsigned long shared) {
	struct %[2]s *next = (struct %[2]s *)__klap_next(at, %[3]d, sizeof(struct %[2]s));
	if (at->made) {
		dim3 block = {bx, by, bz};
		int tail = at->depth >= 24;
		if (!tail) {
			%[4]s			tail = __klap_failed();
		}
		if (tail) {
			__klap_deepest(at);
			%[5]s			if (__klap_failed()) {
				next = (struct %[2]s *)__klap_unmake(at);
			}
		}
	}
`, m.descend(), m.tag(), m.p.o.descendants(), launch(forgetStream), launch(tailStream))
	if begun != "" {
		text += "\tif (next) {\n" + stores[known] + begun + "\t}\n"
	}
	text += "}\n"
	flag := "released"
	if !m.conditional {
		flag = "begun"
	}
	tell := fmt.Sprintf("__klap_tell(&next->front.%s, 1, %s)", flag, m.bits(postponed))
	text += fmt.Sprintf("static __device__ void %s(struct __klap_instance *at) {\n", m.release())
	if stores[postponed] != "" || !m.tail {
		text += fmt.Sprintf("\tstruct %[1]s *next = (struct %[1]s *)at->next;\n%[2]s", m.tag(), strings.ReplaceAll(stores[postponed], "\t\t", "\t"))
	}
	if !m.tail {
		text += "\t" + tell + ";\n"
	}
	text += "}\n"
	decls := tree.Declarations(text)
	slot := decls[0].(*syntax.TypeDecl).Type.(*syntax.TagType)
	descend, release := decls[1].(*syntax.FuncDecl), decls[2].(*syntax.FuncDecl)
	for _, kind := range []passing{same, known, postponed} {
		for i, q := range m.pass {
			name := "a" + strconv.Itoa(i)
			switch {
			case q != kind:
				continue
			case q == postponed:
				release.Params = append(release.Params, m.parameter(i, name))
			default:
				descend.Params = append(descend.Params, m.parameter(i, name))
			}
			if q != same && !m.isWord(i) {
				f := m.parameter(i, name)
				slot.Fields = append(slot.Fields, &syntax.VarDecl{Type: f.Type, Name: f.Name})
			}
		}
	}
	for n := range syntax.Preorder(descend) {
		if l, ok := n.(*syntax.LaunchExpr); ok {
			l.SetSpan(tree.At(m.s.launch))
		}
	}
	prototype := m.descendantDecl()
	prototype.Body = nil
	return []syntax.Decl{decls[0], prototype, descend, release}
}

// descendantDecl returns the declaration of the descendants' kernel, with the body of the kernel.
func (m *promotion) descendantDecl() *syntax.FuncDecl {
	f := *m.fn.Decl
	f.Params = nil
	out := tree.Clone(&f)
	out.Name = tree.Ident(tree.At(out.Name), m.fromKernel())
	for i, q := range m.pass {
		if q == same {
			out.Params = append(out.Params, tree.Clone(m.fn.Decl.Params[i]))
		}
	}
	with := tree.Declarations("void f(struct __klap_descendants *" + descendants + ");\n")[0].(*syntax.FuncDecl)
	addParams(out, with.Params)
	return out
}

// entry returns the kernel that launches know: the first instance.
func (m *promotion) entry() syntax.Decl {
	out := tree.Clone(m.fn.Decl)
	body := m.body(true)
	list := tree.Template("__shared__ struct __klap_instance "+instance+";\nif (__klap_thread() == 0) {\n__klap_first(&"+instance+");\nirgl_hole(0);\n}\n__syncthreads();\n"+
		"irgl_hole(1);\n", m.beginning(), []syntax.Stmt{body})
	out.Body = m.finished(list)
	return out
}

// descendant returns the kernel of all other instances.
func (m *promotion) descendant() syntax.Decl {
	out := m.descendantDecl()
	body, begin := m.body(false), m.beginning()
	list := tree.Template("__shared__ struct __klap_instance "+instance+";\nif (__klap_thread() == 0 && __klap_descendant(&"+instance+", "+descendants+")) {\nirgl_hole(0);\nirgl_hole(1);\n}\n"+
		"__syncthreads();\nif ("+instance+".begun != 1) {\nreturn;\n}\n", m.variables(begin), begin)
	list = append(list, m.variables(nil)...)
	if m.conditional && m.boundary < 0 {
		list = append(list, m.acquire()...)
	}
	out.Body = m.finished(append(list, body))
	if m.p.o.descendants() > 1 {
		situate(out.Body)
	}
	return out
}

// variables declares the parameters that the slot or a flag has: all, or, for statements at the begin, those that these read, all of
// which are known.
func (m *promotion) variables(reader []syntax.Stmt) []syntax.Stmt {
	sp := tree.At(m.fn.Decl)
	read := map[string]bool{}
	for _, s := range reader {
		for n := range syntax.Preorder(s) {
			if id, ok := n.(*syntax.Ident); ok {
				read[id.Name] = true
			}
		}
	}
	var list []syntax.Stmt
	slot := false
	for i, q := range m.pass {
		name := m.fn.Decl.Params[i].Name
		early := q == known || !m.conditional
		if q == same || name == nil || reader != nil && !read[name.Name] {
			continue
		}
		slot = slot || !m.isWord(i)
		var value syntax.Expr
		if early {
			value = m.value(i)
		}
		list = append(list, tree.Variable(sp, argument(m.fn.Decl.Params[i].Type), name.Name, value))
	}
	if slot {
		list = append(tree.Template(fmt.Sprintf("const struct %[1]s *%[2]s = (const struct %[1]s *)%[3]s.slot;\n", m.tag(), mine, instance)), list...)
	}
	return list
}

// word returns the parameter that comes with a flag, in one store and one load: the only one of its kind, of 4 bytes; -1 for none.
// An instance whose launch is late has not the value any more when it sets the flag.
func (m *promotion) word(kind passing) int {
	word := -1
	for i, q := range m.pass {
		if q != kind {
			continue
		}
		if t := m.fn.Params[i].Type; word >= 0 || !m.conditional || kind == postponed && m.tail || t.Size() != 4 || !check.IsArithmetic(t) {
			return -1
		}
		word = i
	}
	return word
}

func (m *promotion) isWord(i int) bool { return m.pass[i] != same && m.word(m.pass[i]) == i }

// bits returns the bits of the argument that comes with a flag, 0 for none.
func (m *promotion) bits(kind passing) string {
	switch word := m.word(kind); {
	case word < 0:
		return "0"
	case check.IsFloat(m.fn.Params[word].Type):
		return fmt.Sprintf("__float_as_uint(a%d)", word)
	default:
		return fmt.Sprintf("(unsigned int)a%d", word)
	}
}

// value returns the value of parameter i in the slot, or of the flag.
func (m *promotion) value(i int) syntax.Expr {
	sp := tree.At(m.fn.Decl.Params[i])
	if m.isWord(i) {
		var x syntax.Expr = tree.Member(tree.Ident(sp, instance), map[passing]string{known: "known", postponed: "value"}[m.pass[i]])
		if check.IsFloat(m.fn.Params[i].Type) {
			return tree.Call(sp, "__uint_as_float", x)
		}
		return tree.Cast(sp, argument(m.fn.Decl.Params[i].Type), x)
	}
	return &syntax.MemberExpr{Span: sp, X: tree.Ident(sp, mine), Arrow: true, Name: tree.Ident(sp, "a"+strconv.Itoa(i))}
}

// acquire returns the statements that wait for the postponed parameters and set them.
func (m *promotion) acquire() []syntax.Stmt {
	list := tree.Template("if (!__klap_acquire(&" + instance + ")) {\ngoto " + endLabel + ";\n}\n")
	for i, q := range m.pass {
		if name := m.fn.Decl.Params[i].Name; q == postponed && name != nil {
			list = append(list, tree.Do(tree.Assign(tree.Ident(tree.At(name), name.Name), "=", m.value(i))))
		}
	}
	return list
}

// finished returns the body of a kernel with its end.
func (m *promotion) finished(list []syntax.Stmt) *syntax.Block {
	sp := tree.At(m.fn.Decl.Body)
	out := tree.Block(sp, list...)
	for n := range syntax.Preorder(out) {
		if jump, ok := n.(*syntax.GotoStmt); ok && jump.Name.Name == endLabel {
			out.Stmts = append(out.Stmts, &syntax.LabelStmt{Span: sp, Name: tree.Ident(sp, endLabel)})
			break
		}
	}
	end := map[bool]int{true: 1}
	out.Stmts = append(out.Stmts, tree.Template(fmt.Sprintf("__klap_finish(&%s, %d, %d);\n", instance, end[m.conditional], end[m.tail]))...)
	return out
}

// beginning returns what the first thread of a block does at the begin: it launches descendants, or ends those that wait.
func (m *promotion) beginning() []syntax.Stmt {
	sp := tree.At(m.s.launch)
	args := []syntax.Expr{tree.Addr(tree.Ident(sp, instance))}
	for _, x := range m.block {
		args = append(args, tree.Clone(x))
	}
	args = append(args, tree.Clone(m.shared))
	for _, kind := range []passing{same, known} {
		for i, q := range m.pass {
			switch {
			case q != kind:
			case q == same:
				args = append(args, tree.Clone(m.s.launch.Args[i]))
			default:
				args = append(args, tree.Clone(m.next[i]))
			}
		}
	}
	launch := tree.Do(tree.Call(sp, m.descend(), args...))
	if !m.conditional || m.condition == nil {
		return []syntax.Stmt{launch}
	}
	stop := tree.Do(tree.Call(sp, "__klap_stop", tree.Addr(tree.Ident(sp, instance))))
	return []syntax.Stmt{&syntax.IfStmt{Span: sp, Cond: tree.Clone(m.condition), Then: tree.Block(sp, launch), Else: tree.Block(sp, stop)}}
}

// body returns the kernel's body with the release in place of the launch.
func (m *promotion) body(first bool) *syntax.Block {
	origin := map[syntax.Node]syntax.Node{}
	out := tree.CloneWith(m.fn.Decl.Body, func(old, new syntax.Node) { origin[new] = old })
	var boundary syntax.Stmt
	if m.boundary >= 0 {
		boundary = out.Stmts[m.boundary]
	}
	tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
		switch y := s.(type) {
		case *syntax.ReturnStmt:
			return []syntax.Stmt{&syntax.GotoStmt{Span: tree.At(s), Name: tree.Ident(tree.At(s), endLabel)}}
		case *syntax.ExprStmt:
			switch {
			case s == boundary && first:
				return nil
			case s == boundary:
				return m.acquire()
			case origin[syntax.Unparen(y.X)] == syntax.Node(m.s.launch):
				return m.released(y)
			}
		}
		return []syntax.Stmt{s}
	}}.Rewrite(out)
	return out
}

// released returns what a launch becomes.
func (m *promotion) released(s *syntax.ExprStmt) []syntax.Stmt {
	launch := syntax.Unparen(s.X).(*syntax.LaunchExpr)
	sp := tree.At(launch)
	at := func() syntax.Expr { return tree.Addr(tree.Ident(sp, instance)) }
	args := []syntax.Expr{at()}
	for i, q := range m.pass {
		if q == postponed {
			args = append(args, tree.Clone(launch.Args[i]))
		}
	}
	return []syntax.Stmt{&syntax.IfStmt{Span: sp, Cond: tree.Call(sp, "__klap_claim", at()),
		Then: tree.Block(sp, tree.Do(tree.Call(sp, m.release(), args...))), Else: tree.Block(sp, s)}}
}

// situate gives the body of a kernel of several blocks the built-in variables that an instance has.
func situate(body *syntax.Block) {
	used := map[string]bool{}
	tree.Rewriter{Expr: func(x syntax.Expr) syntax.Expr {
		if id, ok := x.(*syntax.Ident); ok && (id.Name == "blockIdx" || id.Name == "gridDim") {
			used[id.Name] = true
			return tree.Ident(tree.At(id), "__klap_"+id.Name)
		}
		return x
	}}.Rewrite(body)
	text := ""
	if used["blockIdx"] {
		text += "uint3 __klap_blockIdx = {0, 0, 0};\n"
	}
	if used["gridDim"] {
		text += "dim3 __klap_gridDim = {1, 1, 1};\n"
	}
	if text != "" {
		body.Stmts = append(tree.Template(text), body.Stmts...)
	}
}
