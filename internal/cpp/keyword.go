package cpp

import "sync"

// A Dialect is the language whose tokens are scanned.
type Dialect uint8

// The dialects.
const (
	C   Dialect = iota // C99 with CUDA's qualifiers, where C++'s keywords are keywords that nothing may use
	CXX                // C++17 with CUDA's qualifiers
)

// A wordTables has the words by their texts.
type wordTables struct {
	keywords map[string]int // the index in keywords
	puncts   [128][]Word    // by the first character, the longest first
}

var tables = sync.OnceValue(func() *wordTables {
	t := &wordTables{keywords: make(map[string]int, len(keywords))}
	for i := range keywords {
		t.keywords[keywords[i].text] = i
	}
	for n := 3; n > 0; n-- {
		for w := LParen; w <= HashHash; w++ {
			if p := puncts[w]; len(p) == n {
				t.puncts[p[0]] = append(t.puncts[p[0]], w)
			}
		}
	}
	return t
})

// keyword returns what a name is in the dialect: a keyword and its word, an operator and its word, or a name.
func (d Dialect) keyword(text string) (Kind, Word) {
	i, ok := tables().keywords[text]
	if !ok {
		return Ident, NoWord
	}
	k := &keywords[i]
	switch {
	case d == C && k.flags&inC != 0, d == CXX && k.flags&inCXX != 0:
		return Keyword, k.word
	case d == CXX && k.flags&altToken != 0:
		return Punct, k.word
	}
	return Ident, NoWord
}

// String returns the plain spelling of the word.
func (w Word) String() string {
	if int(w) < len(puncts) {
		return puncts[w]
	}
	for i := range keywords {
		if keywords[i].word == w {
			return keywords[i].text
		}
	}
	return ""
}
