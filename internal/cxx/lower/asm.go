package lower

import "irgl/internal/cxx/hir"

// asm lowers inline PTX.
func (l *lowerer) asm(s *hir.Asm) { l.missing(s, "inline assembly") }
