package compile

import (
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// positionOutsideTexts gives each value without a position that of the last value before it
// in its block that is of no C text, or else that of the function. A .loc holds until the
// next one: otherwise that of a text would hold for code which lowering has put behind the
// text, and what such code accesses would be compared with what the text declares.
func positionOutsideTexts(m *ssa.Module, texts []*syntax.CBlock) {
	ofText := map[source.Pos]bool{}
	for _, b := range texts {
		ofText[b.Pos()] = true
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			at := f.Pos
			for _, v := range b.Values {
				if !v.Pos.IsValid() {
					v.Pos = at
				} else if !ofText[v.Pos] {
					at = v.Pos
				}
			}
		}
	}
}
