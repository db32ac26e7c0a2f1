package cpp

// MatchBrackets returns for each bracket the other one, -1 for one without, and 0 for all other
// tokens: see PairBrackets.
func MatchBrackets(toks []Token) []int {
	match := make([]int, len(toks))
	for i := range toks {
		switch toks[i].Word {
		case LParen, LBracket, LBrace, RParen, RBracket, RBrace:
			match[i] = -1
		}
	}
	PairBrackets(toks, func(opening, closing int) { match[opening], match[closing] = closing, opening })
	return match
}

// PairBrackets calls pair for the brackets that belong together. Braces match braces, whatever is
// between them.
func PairBrackets(toks []Token, pair func(opening, closing int)) {
	stack := make([]int32, 0, 64)
	// How many are open since the last open brace, and for each open brace since the one before.
	type counts struct{ parens, brackets int }
	var now counts
	outer := make([]counts, 0, 16)
	for i := range toks {
		switch toks[i].Word {
		case NoWord:
			continue
		case LParen:
			now.parens++
		case LBracket:
			now.brackets++
		case LBrace:
			outer = append(outer, now)
			now = counts{}
		case RParen:
			if now.parens == 0 {
				continue
			}
			for now.parens--; toks[stack[len(stack)-1]].Word != LParen; stack = stack[:len(stack)-1] {
				now.brackets--
			}
			pair(int(stack[len(stack)-1]), i)
			stack = stack[:len(stack)-1]
			continue
		case RBracket:
			if now.brackets == 0 {
				continue
			}
			for now.brackets--; toks[stack[len(stack)-1]].Word != LBracket; stack = stack[:len(stack)-1] {
				now.parens--
			}
			pair(int(stack[len(stack)-1]), i)
			stack = stack[:len(stack)-1]
			continue
		case RBrace:
			if len(outer) == 0 {
				continue
			}
			for toks[stack[len(stack)-1]].Word != LBrace {
				stack = stack[:len(stack)-1]
			}
			pair(int(stack[len(stack)-1]), i)
			stack = stack[:len(stack)-1]
			now = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			continue
		default:
			continue
		}
		stack = append(stack, int32(i))
	}
}
