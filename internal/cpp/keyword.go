package cpp

// A Dialect is the language whose tokens are scanned.
type Dialect uint8

// The dialects.
const (
	C   Dialect = iota // C99 with CUDA's qualifiers, where C++'s keywords are keywords that nothing may use
	CXX                // C++17 with CUDA's qualifiers
)

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
