package asdl

import (
	"strings"

	"irgl/internal/source"
	"irgl/syntax"
)

// A draft is the .irgl text that a JSON file stands for, with the place in
// the JSON that each byte comes from. The language's own parser reads it: so
// C text has one grammar, and the names of types their scopes, whichever form
// a program is in.
type draft struct {
	buf  []byte
	code []byte  // buf with blanks in place of comments
	orig []int32 // for each byte of buf, an offset in the JSON file
	// parts are the pieces that came from strings, to be checked against the
	// tree: a string must not reach into what stands around it.
	parts []part
	// words are the nodes that a word of the language begins. The words are
	// names like others, so that the tree may have something else there.
	words []word
}

// A word is where the text of a node begins.
type word struct {
	at   int
	name string
	val  *value
}

// A role is what the text of a string has to be.
type role uint8

const (
	exprPart  role = iota // one expression, also a name
	sizePart              // one expression that is not a slice
	stmtPart              // one statement
	stmtsPart             // statements
	declPart              // declarations at file level
)

func (r role) String() string {
	return [...]string{"one expression", "a size", "one statement", "whole statements", "whole declarations"}[r]
}

// A part is a piece of a draft, without blanks and comments around it.
type part struct {
	role     role
	from, to int
	val      *value
}

// lit appends text that the offset at of the JSON file accounts for.
func (d *draft) lit(s string, at int32) {
	d.buf = append(d.buf, s...)
	d.code = append(d.code, s...)
	for range len(s) {
		d.orig = append(d.orig, at)
	}
}

// byte appends one byte of a string; in a comment it is not a code.
func (d *draft) byte(c byte, at int32, comment bool) {
	if c == '\n' && len(d.buf) > 0 && d.buf[len(d.buf)-1] == '\\' {
		d.byte(' ', at, comment) // or the two would join the lines
	}
	code := c
	if comment && c != '\n' {
		code = ' '
	}
	d.buf = append(d.buf, c)
	d.code = append(d.code, code)
	d.orig = append(d.orig, at)
}

// trim returns the range without the blanks at its ends.
func (d *draft) trim(from, to int) (int, int) {
	for from < to && isBlank(d.code[from]) {
		from++
	}
	for from < to && isBlank(d.code[to-1]) {
		to--
	}
	return from, to
}

// end moves the end of a statement back before blanks and semicolons, so that
// statements are found by their ends however these are written.
func (d *draft) end(to int) int {
	for to > 0 && (isBlank(d.code[to-1]) || d.code[to-1] == ';') {
		to--
	}
	return to
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// A fragment is the text of a string, without the line splices in it, and what
// a first look at its tokens shows.
type fragment struct {
	bytes   []byte
	offsets []int32
	comment []bool // for each byte
	fault   string // why it cannot be part of a program; "" if it can
	at      int    // where
}

// scanFragment finds comments and quotes, and whether the brackets pair.
func scanFragment(v *value) *fragment {
	f := &fragment{}
	for i := 0; i < len(v.str); i++ {
		if n := spliceLen(v.str[i:]); n > 0 {
			i += n - 1
			continue
		}
		f.bytes = append(f.bytes, v.str[i])
		f.offsets = append(f.offsets, v.offset(i))
	}
	f.comment = make([]bool, len(f.bytes))
	var open []int
	s := string(f.bytes)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		// Brackets in comments and quotes are not brackets.
		case strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				f.comment[i] = true
				i++
			}
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				f.fail(i, "it has a comment without an end")
				return f
			}
			for range n + 4 {
				f.comment[i] = true
				i++
			}
			i--
		case c == '"' || c == '\'':
			from := i
			for i++; i < len(s) && s[i] != c && s[i] != '\n'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if i >= len(s) || s[i] != c {
				f.fail(from, "it has a quote without an end")
				return f
			}
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, i)
		case strings.IndexByte(")]}", c) >= 0:
			if len(open) == 0 || s[open[len(open)-1]] != "([{"[strings.IndexByte(")]}", c)] {
				f.fail(i, "it has a `"+string(c)+"` that closes nothing")
				return f
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		f.fail(open[0], "it has a `"+s[open[0]:open[0]+1]+"` that nothing closes")
	}
	return f
}

func (f *fragment) fail(at int, why string) { f.fault, f.at = why, at }

// code returns the bytes that are in no comment.
func (f *fragment) code() []byte {
	var out []byte
	for i, c := range f.bytes {
		if f.comment == nil || !f.comment[i] {
			out = append(out, c)
		}
	}
	return out
}

// empty reports whether there is nothing but blanks, comments and the given
// characters.
func (f *fragment) empty(but string) bool {
	for i, c := range f.bytes {
		if !f.comment[i] && !isBlank(c) && strings.IndexByte(but, c) < 0 {
			return false
		}
	}
	return true
}

// spliceLen returns the length of the line splice that s begins with, or 0.
func spliceLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\\\n"):
		return 2
	case strings.HasPrefix(s, "\\\r\n"):
		return 3
	}
	return 0
}

// paste appends a fragment as a part of a role; comments go from expressions.
func (d *draft) paste(f *fragment, v *value, r role) {
	from := len(d.buf)
	if r == exprPart {
		d.pasteCode(f)
	} else {
		for i, c := range f.bytes {
			d.byte(c, f.offsets[i], f.comment[i])
		}
	}
	from, to := d.trim(from, len(d.buf))
	d.parts = append(d.parts, part{r, from, to, v})
}

// pasteCode appends a fragment without its comments.
func (d *draft) pasteCode(f *fragment) {
	for i, c := range f.bytes {
		if f.comment[i] && c != '\n' {
			c = ' '
		}
		d.byte(c, f.offsets[i], f.comment[i])
	}
}

// shape is where the nodes of a tree begin and end in the draft.
type shape struct {
	exprs  map[[2]int]bool
	slices map[[2]int]bool // of exprs
	stmts  map[[2]int]bool
	starts map[int]bool
	ends   map[int]bool
	words  map[int]string // the node that begins here
}

func (d *draft) shapeOf(tree *syntax.File) *shape {
	s := &shape{map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int]bool{}, map[int]bool{}, map[int]bool{}, map[int]string{}}
	for n := range syntax.Preorder(tree) {
		from, to := int(n.Pos().Offset), int(n.End().Offset)
		if name := wordOf(n); name != "" {
			s.words[from] = name
		}
		switch n := n.(type) {
		case syntax.Expr:
			s.exprs[[2]int{from, to}] = true
			if _, ok := n.(*syntax.SliceExpr); ok {
				s.slices[[2]int{from, to}] = true
			}
		case syntax.Stmt, syntax.Decl:
			s.stmts[[2]int{from, d.end(to)}] = true
			s.starts[from] = true
			s.ends[d.end(to)] = true
			if list := tree.Attributes[n]; list != nil {
				from := d.bracketsBefore(int(list[0].From.Offset))
				s.stmts[[2]int{from, d.end(to)}] = true
				s.starts[from] = true
			}
		}
	}
	return s
}

// bracketsBefore returns where the brackets of the attribute at an offset begin.
func (d *draft) bracketsBefore(at int) int {
	for at > 0 && (isBlank(d.code[at-1]) || d.code[at-1] == '[') {
		at--
	}
	at, _ = d.trim(at, len(d.code))
	return at
}

// wordOf returns the name of the node that stands for a statement with a word of
// the language, "" for any other part of a tree.
func wordOf(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ForAllStmt:
		if n.Serial {
			return "For"
		}
		return "ForAll"
	case *syntax.ReduceStmt:
		return "ReduceAndReturn"
	case *syntax.IterateStmt:
		return "Iterate"
	case *syntax.PipeStmt:
		return "Pipe"
	case *syntax.AtomicStmt:
		return "Atomic"
	case *syntax.ExclusiveStmt:
		return "Exclusive"
	case *syntax.BarrierStmt:
		if n.Local {
			return "LocalBarrier"
		}
		return "SyncRunningThreads"
	case *syntax.RetryStmt:
		if n.Respawn {
			return "Respawn"
		}
		return "Retry"
	case *syntax.CBlock:
		return "CBlock"
	case *syntax.ExprStmt:
		if _, ok := n.X.(*syntax.InvokeExpr); ok {
			return "Invoke"
		}
	}
	return ""
}

// fits reports whether the tree has a part as what it has to be.
func (d *draft) fits(s *shape, p part) bool {
	switch p.role {
	case exprPart:
		return s.exprs[[2]int{p.from, p.to}]
	case sizePart:
		return s.exprs[[2]int{p.from, p.to}] && !s.slices[[2]int{p.from, p.to}]
	case stmtPart:
		return strings.Trim(string(d.code[p.from:p.to]), "; \t\r\n") == "" || s.stmts[[2]int{p.from, d.end(p.to)}]
	}
	// A lone semicolon is a statement, and between declarations nothing.
	from := p.from
	for from < p.to && (d.code[from] == ';' || isBlank(d.code[from])) {
		from++
	}
	if from == p.to || d.end(p.to) <= from {
		return true
	}
	if p.role == declPart && strings.HasPrefix(string(d.code[from:p.to]), "extern") {
		return true // extern "C" is not part of its declarations
	}
	return s.starts[from] && s.ends[d.end(p.to)]
}

// pos returns where a position in the draft comes from.
func (d *draft) pos(f *source.File, p source.Pos) source.Pos {
	switch n := int(p.Offset); {
	case !p.IsValid():
		return p
	case n < len(d.orig):
		return f.Pos(int(d.orig[n]))
	default:
		return f.Pos(len(f.Content))
	}
}

// span returns where a range of the draft comes from. An end is what follows
// the last byte.
func (d *draft) span(f *source.File, from, to source.Pos) syntax.Span {
	out := syntax.Span{From: d.pos(f, from), To: d.pos(f, to)}
	if n := int(to.Offset); to.IsValid() && n > int(from.Offset) && n <= len(d.orig) {
		out.To = f.Pos(int(d.orig[n-1]) + 1)
	}
	if out.To.Before(out.From) { // members in another order than the text's
		out.To = out.From
	}
	return out
}
