package cpp

import (
	"bufio"
	"io"
)

// Print writes tokens as text that scans to the same tokens, with the lines of the source: what cpp -P writes. The
// tokens that a pragma became are written as the pragma.
func Print(w io.Writer, toks []Token, d Dialect) error {
	b := bufio.NewWriter(w)
	n := newNames(d)
	first := true
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		switch {
		case t.Kind == EOF:
			continue
		case t.Kind == Unroll || t.Kind == Pack:
			if !first {
				b.WriteByte('\n')
			}
			i += printPragma(b, toks[i:])
			first = i+1 < len(toks) && !toks[i+1].StartsLine() // a _Pragma in a line
			if first {
				b.WriteByte('\n')
			}
			continue
		case t.StartsLine() && !first:
			b.WriteByte('\n')
		case !first && (!t.Glued() || joins(&toks[i-1], t, d, n)):
			b.WriteByte(' ')
		}
		first = false
		b.WriteString(t.Text())
	}
	b.WriteByte('\n')
	return b.Flush()
}

// printPragma writes the pragma that toks begin with, and returns how many tokens behind the first belong to it.
func printPragma(b *bufio.Writer, toks []Token) int {
	t := &toks[0]
	switch {
	case t.Kind == Pack:
		b.WriteString("#pragma pack(" + t.Text() + ")")
	case t.Text() == "":
		b.WriteString("#pragma unroll")
	case t.Text() != "(":
		b.WriteString("#pragma unroll " + t.Text())
	default:
		b.WriteString("#pragma unroll")
		nest := 0
		for i := 1; i < len(toks); i++ {
			b.WriteString(" " + toks[i].Text())
			switch toks[i].Word {
			case LParen:
				nest++
			case RParen:
				nest--
			}
			if nest == 0 {
				return i
			}
		}
	}
	return 0
}

// joins reports whether two tokens would be read as others without a blank between them.
func joins(a, b *Token, d Dialect, n *names) bool {
	if a.Text() == "" || b.Text() == "" {
		return false
	}
	text := a.Text() + b.Text()
	s := scanner{src: text, origin: &origin{text: text, placed: true}, dialect: d, names: n}
	var t Token
	return s.scan(&t) == endOfText || s.off != len(a.Text()) || t.Kind == Bad
}
