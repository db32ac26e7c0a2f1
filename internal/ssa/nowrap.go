package ssa

// MayPromise reports whether a value v of op may carry the flag NoWrap, printed
// "nsw": add, sub, mul, and shl as a multiplication by a power of two; and, printed
// "nz", sdiv and udiv.
//
// The flag promises that the exact result, of the operands as signed numbers,
// is one of v's type; for udiv, of numbers without sign, that there is one: the divisor
// is not 0. C makes that promise for all signed arithmetic and for divisions, since
// anything else is undefined there. When the promise is broken, v is poison: what
// is computed from it is poison too, and may be replaced by anything. That is
// harmless as long as nothing observable depends on it: no address that is
// accessed, no value that is stored, no branch that is taken. A select does not
// depend on the side that it does not choose, a phi not on the edges that
// control did not take, and of truth values false AND anything is false, true
// OR anything is true. So v itself may move anywhere, also to where the program
// would not have computed it, and keeps its flag.
//
// What a pass owes the flag:
//
//   - Copies keep it: inlining, unrolling, rotation, threading (the copiers of
//     package opt). So does what only moves: licm, speculate, hoist, ifconvert.
//   - Of equal values of which one stands for all, it keeps the flag only if
//     all have it ([Value.Weaken]): gvn, hoist, pre.
//   - What becomes another operation, or gets other operands, loses it: reset
//     in package opt sees to that. constfold gives it again where the promises
//     of the parts make that of the whole.
//   - Where v comes to depend on a value that it did not depend on before, that
//     value loses the flag: slsr and reassociate, which compute one sum from
//     another.
//   - Values that a pass makes have no flag unless it proves one.
//
// Ranges (package analysis) and addresses use it, and divisions of 64 bits that are
// done in 32, where quotients by 0 are others.
func (op Op) MayPromise() bool {
	return op.is(promises)
}

// promise returns the word for the flag NoWrap of op.
func (op Op) promise() string {
	if op.IsQuotient() {
		return "nz"
	}
	return "nsw"
}

// Weaken takes from v, which is to stand for w too, the promise that w does not
// make.
func (v *Value) Weaken(w *Value) { v.NoWrap = v.NoWrap && w.NoWrap }
