package cpp

import (
	"sync"

	"irgl/internal/source"
)

// A symbol is what is known of one name: the keyword that it is, and the macro that it has.
type symbol struct {
	text   string
	macro  *macro // nil where the name is no macro
	hash   uint32
	number int32 // of the name in its text: Token.Name
	word   Word
	kind   Kind // Ident, Keyword, or Punct for an alternative token
	shared bool // it is in the table of a dialect, and does not change
}

// names is the table of the names of one text and of what it includes: open addressing with linear
// probing, at most half full. Names that are not in it may be in base.
type names struct {
	base  *names // of the dialect: keywords and predefined macros; nil in the table of a dialect
	slots []*symbol
	count int
	list  []*symbol // by their numbers; the first is nil
	slab  []symbol  // room for the next symbols
}

// The hash of a name: h = hashByte(h, c) for each byte, from hashStart.
const hashStart uint32 = 2166136261

func hashByte(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 16777619 }

func hash(text string) uint32 {
	h := hashStart
	for i := range len(text) {
		h = hashByte(h, text[i])
	}
	return h
}

// mix spreads the hash over the low bits, which choose the slot.
func mix(h uint32) uint32 { return h ^ h>>15 }

// intern returns the symbol of a name whose hash is h.
func (n *names) intern(text string, h uint32) *symbol {
	mask := uint32(len(n.slots) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s == nil {
			if n.base != nil {
				if s := n.base.find(text, h); s != nil {
					return s
				}
			}
			return n.add(symbol{text: text, hash: h, kind: Ident}, i)
		}
		if s.hash == h && s.text == text {
			return s
		}
	}
}

// find returns the symbol of a name, or nil if it is not there.
func (n *names) find(text string, h uint32) *symbol {
	mask := uint32(len(n.slots) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s == nil || s.hash == h && s.text == text {
			return s
		}
	}
}

// own returns the symbol of a name that may be changed: a copy of one that the dialect shares.
func (n *names) own(text string) *symbol {
	s := n.lookup(text)
	if !s.shared {
		return s
	}
	mask := uint32(len(n.slots) - 1)
	i := mix(s.hash) & mask
	for n.slots[i] != nil {
		i = (i + 1) & mask
	}
	private := *s
	private.shared = false
	return n.add(private, i)
}

// lookup returns the symbol of a name.
func (n *names) lookup(text string) *symbol { return n.intern(text, hash(text)) }

func (n *names) add(sym symbol, slot uint32) *symbol {
	if len(n.slab) == 0 {
		n.slab = make([]symbol, min(max(16, n.count), 1024))
	}
	s := &n.slab[0]
	n.slab = n.slab[1:]
	*s = sym
	if s.number == 0 {
		s.number = int32(len(n.list))
		n.list = append(n.list, s)
	} else {
		n.list[s.number] = s
	}
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

// dialectNames are the tables of the dialects, which every text begins with.
var dialectNames = [...]func() *names{
	C:     sync.OnceValue(func() *names { return makeDialect(C, inC) }),
	CXX:   sync.OnceValue(func() *names { return makeDialect(CXX, inCXX|altToken) }),
	cxx20: sync.OnceValue(func() *names { return makeDialect(cxx20, inCXX|altToken|inCXX20) }),
}

// cxx20 is the dialect CXX with the keywords of C++20.
const cxx20 = CXX + 1

// makeDialect returns the table of a dialect's keywords and predefined macros.
func makeDialect(d Dialect, flags uint8) *names {
	p := &preprocessor{dialect: d, diags: &source.List{}, files: map[*source.File]*fileState{}, names: makeKeywords(flags)}
	p.builtins()
	p.definitions("<built-in>", predefined(d))
	for _, s := range p.names.slots {
		if s != nil {
			s.shared = true
		}
	}
	return p.names
}

func makeKeywords(flags uint8) *names {
	n := &names{list: make([]*symbol, 1), slots: make([]*symbol, 1024)}
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

// newNames returns the table of a text of the dialect.
func newNames(d Dialect) *names {
	base := dialectNames[d]()
	return &names{base: base, list: append(make([]*symbol, 0, len(base.list)+128), base.list...), slots: make([]*symbol, 128)}
}
