package hostcode

import (
	"bytes"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// marker is a comment in the assembler's text of each stub. A section's name would not do:
// g++ has sections of its own for the instances of templates.
const marker = "# irgl stub"

// Rewrite returns text, which the host's preprocessor has written with markers of its
// lines, as C++ for the host's compiler.
func Rewrite(f *source.File) []byte {
	toks, _ := cpp.Scan(f, cpp.CXX)
	r := &rewriter{file: f, toks: withoutDirectives(toks), places: placesOf(f)}
	r.match = cpp.MatchBrackets(r.toks)
	for i := range r.toks {
		if r.word(i) == cpp.LBracket && r.isExtendedLambda(i) {
			r.extended++
		}
	}
	for i := 0; i < len(r.toks); {
		i = r.next(i)
	}
	return r.apply()
}

// A rewriter collects changes of one text.
type rewriter struct {
	file   *source.File
	toks   []cpp.Token // without directives; the last is the end of the text
	match  []int       // for each bracket the other one: see cpp.MatchBrackets
	edits  []edit
	places places

	kernels  map[string]bool // their names, once they are asked for
	parents  []int           // for each token the bracket that it is directly in, once it is asked for
	extended int             // lambdas of device code in the text
	passed   int             // of them
}

// An edit replaces the bytes from one offset up to another.
type edit struct {
	from, to int32
	text     string
	order    int // of edits at one place
}

// Initial begins the name of the variable that has the initial value of a managed one.
const Initial = "irgl_initial_"

// reach is how many tokens a list in <> or the specifiers of a declaration may have: a
// limit, so that no text takes quadratic time.
const reach = 4096

// withoutDirectives returns toks without those of lines that begin with #.
func withoutDirectives(toks []cpp.Token) []cpp.Token {
	out := toks[:0:0]
	for i := 0; i < len(toks); i++ {
		if t := &toks[i]; t.Kind == cpp.Punct && t.Text() == "#" && t.StartsLine() {
			for i+1 < len(toks) && !toks[i+1].StartsLine() && toks[i+1].Kind != cpp.EOF {
				i++
			}
			continue
		}
		out = append(out, toks[i])
	}
	return out
}

// next handles what begins at the token i, and returns the first token that it leaves.
func (r *rewriter) next(i int) int {
	t := &r.toks[i]
	switch {
	case r.opens(i) > 0:
		return r.launch(i)
	case t.Word == cpp.LBracket && r.isExtendedLambda(i):
		r.closure(i)
		return i + 1
	case isQualifier(t.Text()):
		return r.declaration(i)
	case t.Text() == "texture" && cpp.IsTextureReference(r.toks, i):
		r.replace(i, i+1, "irgl_texture_reference")
	}
	return r.skipAttribute(i)
}

// skipAttribute returns the token behind i and, if that is __attribute__, its arguments: in them
// __noinline__ is an attribute's name.
func (r *rewriter) skipAttribute(i int) int {
	if t := r.toks[i].Text(); (t == "__attribute__" || t == "__attribute") && r.word(i+1) == cpp.LParen && r.match[i+1] > 0 {
		return r.match[i+1] + 1
	}
	return i + 1
}

// word returns the Word of the token i, and none past the ends.
func (r *rewriter) word(i int) cpp.Word {
	if i < 0 || i >= len(r.toks) {
		return cpp.NoWord
	}
	return r.toks[i].Word
}

// text returns the source of the tokens from up to to.
func (r *rewriter) text(from, to int) string {
	if from >= to {
		return ""
	}
	return string(r.file.Content[r.toks[from].From():r.toks[to-1].To()])
}

// replace replaces the tokens from up to to.
func (r *rewriter) replace(from, to int, text string) {
	r.edit(r.toks[from].From(), r.toks[to-1].To(), text)
}

// insert puts text in front of the token i.
func (r *rewriter) insert(i int, text string) {
	at := r.toks[i].From()
	r.edit(at, at, text)
}

// here returns a marker that gives what follows the line and column of the token i.
func (r *rewriter) here(i int) string { return r.places.marker(r.file.Content, r.toks[i].From()) }

// insertBehind puts text behind the token i.
func (r *rewriter) insertBehind(i int, text string) {
	at := r.toks[i].To()
	r.edit(at, at, text)
}

func (r *rewriter) edit(from, to int32, text string) {
	r.edits = append(r.edits, edit{from, to, text, len(r.edits)})
}

// apply returns the text with the changes made. What follows a change has the line and the
// column that it has in the text.
func (r *rewriter) apply() []byte {
	slices.SortStableFunc(r.edits, func(a, b edit) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return a.order - b.order
	})
	text := r.file.Content
	out := make([]byte, 0, len(text)+len(text)/8)
	at, shifted, otherLine := int32(0), false, false
	for _, e := range r.edits {
		if e.from < at {
			continue // inside of a text that was replaced
		}
		if shifted && len(bytes.TrimSpace(text[at:e.from])) > 0 {
			out = r.places.resume(out, text, at, otherLine)
			otherLine = false
		}
		out = append(out, text[at:e.from]...)
		out = append(out, e.text...)
		at, shifted = e.to, true
		otherLine = otherLine || strings.Contains(e.text, "\n") || bytes.IndexByte(text[e.from:e.to], '\n') >= 0
	}
	if shifted {
		out = r.places.resume(out, text, at, otherLine)
	}
	return append(out, text[at:]...)
}

// skipAngles returns the index behind the > that closes the < at i, or i+1 when
// there is none before the end of the statement: then it is an operator.
func (r *rewriter) skipAngles(i int) int {
	depth := 0
	for j := i; j < min(len(r.toks), i+reach); j++ {
		switch r.toks[j].Word {
		case cpp.Less:
			depth++
		case cpp.Greater:
			depth--
		case cpp.GreaterGreater:
			depth -= 2
		case cpp.TripleGreater:
			depth -= 3
		case cpp.LParen, cpp.LBracket, cpp.LBrace:
			if r.match[j] < 0 {
				return i + 1
			}
			j = r.match[j]
			continue
		case cpp.Semi, cpp.RParen, cpp.RBrace, cpp.RBracket:
			return i + 1
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return i + 1
}

// anglesBack returns the index of the < that the > at i closes, or -1.
func (r *rewriter) anglesBack(i int) int {
	depth := 0
	for j := i; j >= max(0, i-reach); j-- {
		switch r.toks[j].Word {
		case cpp.Greater:
			depth++
		case cpp.GreaterGreater:
			depth += 2
		case cpp.Less:
			depth--
		case cpp.RParen, cpp.RBracket, cpp.RBrace:
			if r.match[j] < 0 {
				return -1
			}
			j = r.match[j]
			continue
		case cpp.Semi, cpp.LParen, cpp.LBrace, cpp.LBracket:
			return -1
		}
		if depth <= 0 {
			return j
		}
	}
	return -1
}
