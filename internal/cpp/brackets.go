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
	// closes takes brackets from the stack up to the opening one of a token.
	closes := func(closing int, opening Word) {
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			word := toks[top].Word
			switch word {
			case LParen:
				now.parens--
			case LBracket:
				now.brackets--
			case LBrace:
				now, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
			if word == opening {
				pair(int(top), closing)
				return
			}
		}
	}
	for i := range toks {
		switch toks[i].Word {
		case LParen:
			now.parens++
			stack = append(stack, int32(i))
		case LBracket:
			now.brackets++
			stack = append(stack, int32(i))
		case LBrace:
			now, outer = counts{}, append(outer, now)
			stack = append(stack, int32(i))
		case RParen:
			if now.parens > 0 {
				closes(i, LParen)
			}
		case RBracket:
			if now.brackets > 0 {
				closes(i, LBracket)
			}
		case RBrace:
			if len(outer) > 0 {
				closes(i, LBrace)
			}
		}
	}
}
