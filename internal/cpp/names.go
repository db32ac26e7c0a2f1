package cpp

import "sync"

// A symbol is what is known of one name: the keyword that it is, and the macro that it has.
type symbol struct {
	text  string
	macro *macro // nil where the name is no macro
	hash  uint32
	word  Word
	kind  Kind // Ident, Keyword, or Punct for an alternative token
}

// names is the table of the names of one text and of what it includes: open addressing with linear
// probing, at most half full.
type names struct {
	slots []*symbol
	count int
	slab  []symbol // room for the next symbols
}

// The hash of a name: h = hashByte(h, c) for each byte, from hashStart.
const hashStart uint32 = 2166136261

func hashByte(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 16777619 }

// mix spreads the hash over the low bits, which choose the slot.
func mix(h uint32) uint32 { return h ^ h>>15 }

// intern returns the symbol of a name whose hash is h.
func (n *names) intern(text string, h uint32) *symbol {
	mask := uint32(len(n.slots) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s == nil {
			return n.add(text, h, i)
		}
		if s.hash == h && s.text == text {
			return s
		}
	}
}

// lookup returns the symbol of a name.
func (n *names) lookup(text string) *symbol {
	h := hashStart
	for i := range len(text) {
		h = hashByte(h, text[i])
	}
	return n.intern(text, h)
}

func (n *names) add(text string, h, slot uint32) *symbol {
	if len(n.slab) == 0 {
		n.slab = make([]symbol, 256)
	}
	s := &n.slab[0]
	n.slab = n.slab[1:]
	*s = symbol{text: text, hash: h, kind: Ident}
	n.slots[slot] = s
	if n.count++; 2*n.count > len(n.slots) {
		n.grow()
	}
	return s
}

func (n *names) grow() {
	old := n.slots
	n.slots = make([]*symbol, 2*len(old))
	mask := uint32(len(n.slots) - 1)
	for _, s := range old {
		if s == nil {
			continue
		}
		i := mix(s.hash) & mask
		for n.slots[i] != nil {
			i = (i + 1) & mask
		}
		n.slots[i] = s
	}
}

// keywordNames are the tables of the dialects' keywords, which every text begins with.
var keywordNames = [...]func() *names{
	C:     sync.OnceValue(func() *names { return makeKeywords(inC) }),
	CXX:   sync.OnceValue(func() *names { return makeKeywords(inCXX | altToken) }),
	cxx20: sync.OnceValue(func() *names { return makeKeywords(inCXX | altToken | inCXX20) }),
}

// cxx20 is the dialect CXX with the keywords of C++20.
const cxx20 = CXX + 1

func makeKeywords(flags uint8) *names {
	n := &names{slots: make([]*symbol, 1024)}
	for i := range keywords {
		k := &keywords[i]
		if k.flags&flags == 0 {
			continue
		}
		s := n.lookup(k.text)
		s.word, s.kind = k.word, Keyword
		if k.flags&flags&altToken != 0 {
			s.kind = Punct
		}
	}
	return n
}

// newNames returns a table with the keywords of the dialect.
func newNames(d Dialect) *names {
	base := keywordNames[d]()
	n := &names{slots: make([]*symbol, len(base.slots)), count: base.count, slab: make([]symbol, base.count+128)}
	for i, s := range base.slots {
		if s != nil {
			n.slab[0] = *s
			n.slots[i] = &n.slab[0]
			n.slab = n.slab[1:]
		}
	}
	return n
}
