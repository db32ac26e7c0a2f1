package lower

import "irgl/internal/tree"

// The constructors of package tree, under the short names that this package, which
// is made of them, uses.
var (
	at         = tree.At
	ident      = tree.Ident
	number     = tree.Number
	paren      = tree.Paren
	call       = tree.Call
	index      = tree.Index
	member     = tree.Member
	binary     = tree.Binary
	assign     = tree.Assign
	cast       = tree.Cast
	addr       = tree.Addr
	stmt       = tree.Do
	block      = tree.Block
	variable   = tree.Variable
	basic      = tree.Basic
	named      = tree.Named
	structType = tree.Struct
)
