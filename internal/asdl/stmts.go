package asdl

import (
	"strconv"
	"strings"
)

// block writes the Block of a function.
func (d *decoder) block(v *value) {
	if d.node(v, "as a body", []string{"Block"}) != "" {
		d.braces(d.list(v, "stmts"), v)
	}
}

// braces writes statements in braces.
func (d *decoder) braces(list []*value, of *value) {
	d.lit("{\n", of.from)
	for _, s := range list {
		d.stmt(s, stmtsPart)
	}
	d.lit("}", of.to-1)
}

// body writes the statements of a loop or a branch, a list of Blocks in the
// report. One Block has the braces of the text; one other statement goes
// without, unless braced says that it must not; several share braces.
func (d *decoder) body(v *value, field string, braced bool) {
	stmts := v.get(field)
	var list []*value
	switch {
	case stmts == nil:
		stmts = v
	case stmts.kind == object: // a Block alone is as good
		list = []*value{stmts}
	default:
		list = d.list(v, field)
	}
	switch {
	case len(list) == 1 && kindOf(list[0]) == "Block" && list[0].get("doc") == nil && list[0].get("note") == nil && list[0].get("attributes") == nil:
		d.lit(" ", v.from)
		d.block(list[0])
	case len(list) == 1 && !braced && alone(list[0]):
		d.lit("\n", v.from)
		d.stmt(list[0], stmtPart)
	default:
		d.lit(" ", v.from)
		d.braces(list, stmts)
	}
}

// kindOf returns the name of a node, "" if it has none.
func kindOf(v *value) string {
	if v.kind == object {
		if t := v.get("_type"); t != nil && t.kind == text {
			return t.str
		}
	}
	return ""
}

// alone reports whether a node is one statement of a text.
func alone(v *value) bool {
	switch kindOf(v) {
	case "NOP", "":
		return false
	case "CBlock":
		stmts := v.get("stmts")
		return unparsed(v) || stmts != nil && len(stmts.list) == 1
	case "CDecl":
		decls := v.get("decls")
		return decls != nil && len(decls.list) == 1
	}
	return true
}

// opens reports whether an else after v, without braces, might go to an if in
// it.
func opens(v *value) bool {
	for {
		next := ""
		switch kindOf(v) {
		case "If":
			if f := v.get("false_stmts"); f == nil || f.kind == null || f.kind == list && len(f.list) == 0 {
				return true
			}
			next = "false_stmts"
		case "CFor", "While":
			next = "stmts"
		case "CBlock":
			stmts := v.get("stmts")
			if unparsed(v) || stmts == nil || len(stmts.list) != 1 || stmts.list[0].kind != text {
				return false
			}
			s := stmts.list[0].str
			i := skipBlanks(s, 0)
			j := i
			for j < len(s) && isLetter(s[j]) {
				j++
			}
			switch s[i:j] {
			case "if", "for", "while":
				return true
			}
			return j < len(s) && s[j] != ';' && i == j // a comment, say
		default:
			return false
		}
		f := v.get(next)
		if f == nil || f.kind != list || len(f.list) != 1 {
			return false
		}
		v = f.list[0]
	}
}

// stmt writes one node of a list of statements, with its comments, and ends
// the line.
//
//irgl:flatswitch
func (d *decoder) stmt(v *value, r role) {
	name := d.node(v, "among statements", blockStmts)
	if name == "" {
		return
	}
	d.doc(v)
	d.attributes(v)
	d.word(v, name)
	switch name {
	case "Block":
		d.block(v)
	case "Assign":
		d.field(v, "lhs", "", " = ")
		d.field(v, "rhs", "", "")
		d.lit(";", v.to-1)
	case "For", "ForAll":
		d.forAll(v, name)
	case "CFor":
		d.cFor(v)
	case "While":
		d.field(v, "cond", "while (", ")")
		d.body(v, "stmts", false)
	case "DoWhile":
		d.lit("do", v.from)
		d.body(v, "stmts", false)
		d.field(v, "cond", " while (", ")")
		d.lit(";", v.to-1)
	case "CBlock":
		d.cBlock(v, r)
	case "CDecl":
		d.varDecls(v)
	case "If":
		d.ifStmt(v)
	case "Invoke":
		d.invoke(v)
	case "Iterate":
		d.iterate(v)
	case "ReduceAndReturn":
		d.field(v, "value", "ReduceAndReturn(", ")")
		d.lit(";", v.to-1)
	case "Pipe":
		d.lit("Pipe", v.from)
		if d.flag(v, "once") {
			d.lit(" Once", v.from)
		}
		d.initial(v)
		d.body(v, "stmts", true)
	case "Atomic":
		d.atomic(v)
	case "Exclusive":
		d.exclusive(v)
	case "SyncRunningThreads", "LocalBarrier":
		d.lit(name+"();", v.from)
	case "Retry", "Respawn":
		d.retry(v, name)
	case "Expr":
		if e := d.need(v, "e", object); e != nil {
			d.exprNode(e)
		}
		d.lit(";", v.to-1)
	}
	d.note(v)
}

// word notes that a word of the language begins here, if the node has one.
func (d *decoder) word(v *value, name string) {
	switch name {
	case "For", "ForAll", "Invoke", "Iterate", "ReduceAndReturn", "Pipe", "Atomic", "Exclusive", "Retry", "Respawn",
		"SyncRunningThreads", "LocalBarrier":
		d.words = append(d.words, word{len(d.buf), name, v})
	}
}

// field writes a field that is an expression between two texts.
func (d *decoder) field(v *value, name, before, after string) {
	d.lit(before, v.from)
	if x := d.need(v, name, text); x != nil {
		d.expr(x)
	}
	d.lit(after, v.from)
}

func (d *decoder) forAll(v *value, name string) {
	word := "ForAll ("
	if name == "For" {
		word = "for ("
	}
	d.lit(word, v.from)
	d.name(v, "ndxvar")
	d.lit(" In ", v.from)
	if it := v.get("iterator"); it != nil && it.kind == object {
		d.exprNode(it)
	} else if it := d.need(v, "iterator", text); it != nil {
		d.expr(it)
	}
	d.lit(")", v.from)
	d.body(v, "stmts", true)
}

func (d *decoder) cFor(v *value) {
	if n := d.optional(v, "unroll", number); n != nil {
		count, err := strconv.Atoi(n.num)
		switch {
		case err != nil || count < -1 || count == 0:
			d.errorf(n, codeField, "unroll is a positive number, or -1 for one that the compiler chooses")
		case count < 0:
			d.lit("#pragma unroll\n", n.from)
		default:
			d.lit("#pragma unroll "+strconv.Itoa(count)+"\n", n.from)
		}
	}
	d.lit("for (", v.from)
	// A declaration or an expression: brackets that pair and the two
	// semicolons after it leave room for nothing else.
	if x := d.optional(v, "init", text); x != nil {
		if f := d.fragment(x); f != nil {
			d.pasteCode(f)
		}
	}
	d.lit("; ", v.from)
	d.maybe(v, "cond")
	d.lit("; ", v.from)
	d.maybe(v, "update")
	d.lit(")", v.from)
	d.body(v, "stmts", false)
}

// maybe writes an expression that may be missing or empty.
func (d *decoder) maybe(v *value, name string) {
	if x := d.optional(v, name, text); x != nil && x.str != "" {
		d.expr(x)
	}
}

func (d *decoder) ifStmt(v *value) {
	d.field(v, "cond", "if (", ")")
	no := v.get("false_stmts")
	without := no == nil || no.kind == null || no.kind == list && len(no.list) == 0
	yes := v.get("true_stmts")
	braced := !without && yes != nil && yes.kind == list && len(yes.list) == 1 && opens(yes.list[0])
	d.body(v, "true_stmts", braced)
	if !without {
		d.lit("\nelse", v.from)
		d.body(v, "false_stmts", false)
	}
}

func (d *decoder) invoke(v *value) {
	aggr := d.enum(v, "aggr", "Any", "All")
	if aggr != "" {
		d.lit(aggr+"(", v.from)
	}
	d.lit("Invoke ", v.from)
	d.call(v)
	if aggr != "" {
		d.lit(")", v.from)
	}
	d.lit(";", v.to-1)
}

// call writes a kernel's name and arguments.
func (d *decoder) call(v *value) {
	d.name(v, "kernel")
	d.lit("(", v.from)
	d.exprs(d.list(v, "args"), v)
	d.lit(")", v.from)
}

// enum returns a field that is one of some names, "" if it is missing.
func (d *decoder) enum(v *value, name string, allowed ...string) string {
	f := d.optional(v, name, text)
	if f == nil {
		return ""
	}
	for _, a := range allowed {
		if f.str == a {
			return a
		}
	}
	d.errorf(f, codeField, "%s is %s or %s, or null", name, allowed[0], allowed[1])
	return ""
}

func (d *decoder) iterate(v *value) {
	d.lit("Iterate ", v.from)
	cond, aggr := d.enum(v, "cond", "While", "Until"), d.enum(v, "aggr", "Any", "All")
	switch {
	case cond != "" && aggr != "":
		d.lit(cond+" "+aggr+" ", v.from)
	case cond != "" || aggr != "":
		d.errorf(v, codeField, "cond and aggr belong together: While or Until, and Any or All")
	}
	d.call(v)
	d.initial(v)
	if x := d.optional(v, "extra_cond", object); x != nil {
		if name := d.node(x, "as extra_cond", []string{"And", "Or"}); name != "" {
			d.field(x, "cond", " "+name+" (", ")")
		}
	}
	field := "stmts"
	if v.get("smts") != nil { // as Listing 6 spells it
		field = "smts"
	}
	if b := v.get(field); b == nil || b.kind == null || b.kind == list && len(b.list) == 0 {
		d.lit(";", v.to-1)
		return
	}
	d.body(v, field, true)
}

// atomic writes an Atomic, with Else when there are fail_stmts.
func (d *decoder) atomic(v *value) {
	d.field(v, "lock", "Atomic (", "")
	if x := v.get("lockndx"); x != nil && x.kind != null {
		d.field(v, "lockndx", "[", "]")
	}
	d.lit(")", v.from)
	d.bodyElse(v)
}

// bodyElse writes the statements of an Atomic or an Exclusive, and Else when
// there are fail_stmts.
func (d *decoder) bodyElse(v *value) {
	d.body(v, "stmts", true)
	if f := v.get("fail_stmts"); f != nil && f.kind != null && (f.kind != list || len(f.list) > 0) {
		d.lit(" Else", f.from)
		d.body(v, "fail_stmts", true)
	}
}

// retry writes a Retry or a Respawn. An item that begins with an operator has
// brackets, without which the word before it would be an operand.
func (d *decoder) retry(v *value, name string) {
	open, closing := name+" ", ";"
	if name == "Retry" && d.flag(v, "merge") {
		open += "Merge "
	}
	if a := v.get("args"); a != nil && a.kind == text {
		s := strings.TrimLeft(string(scanFragment(a).code()), " \t\r\n")
		if s != "" && !isLetter(s[0]) && s[0] != '(' && (s[0] < '0' || s[0] > '9') {
			open, closing = open+"(", ");"
		}
	}
	d.field(v, "args", open, "")
	d.lit(closing, v.to-1)
}

// exprNode writes a CExpr or a MethodInvocation.
func (d *decoder) exprNode(v *value) {
	switch d.node(v, "as an expression", []string{"CExpr", "MethodInvocation"}) {
	case "CExpr":
		d.parsed(v)
		d.field(v, "expr", "", "")
	case "MethodInvocation":
		d.optional(v, "obj_type", text)
		d.field(v, "obj", "", ".")
		d.name(v, "method")
		d.lit("(", v.from)
		d.exprs(d.list(v, "args"), v)
		d.lit(")", v.to-1)
	}
}
