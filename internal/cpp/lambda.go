package cpp

// ExtendedLambda reports whether the token i opens the introducer of a lambda that CUDA
// calls extended: [captures] __device__, perhaps with __host__. match returns the place of
// the bracket that belongs to another.
func ExtendedLambda(tokens []Token, i int, match func(int) int) bool {
	if tokens[i].Word != LBracket || i+1 < len(tokens) && tokens[i+1].Word == LBracket {
		return false
	}
	if i > 0 {
		switch p := &tokens[i-1]; {
		case p.Kind == Ident, p.Kind == String, p.Word == RParen, p.Word == RBracket:
			return false // an index
		}
	}
	k := match(i)
	if k <= i {
		return false
	}
	for k++; k < len(tokens); k++ {
		switch tokens[k].Text() {
		case "__device__":
			return true
		case "__host__", "__forceinline__", "inline":
		default:
			return false
		}
	}
	return false
}
