package cpp

// MatchBrackets returns for each bracket the other one, -1 for one without, and 0 for all other
// tokens. Braces match braces, whatever is between them.
func MatchBrackets[Index int | int32](toks []Token) []Index {
	match := make([]Index, len(toks))
	stack := make([]Index, 0, 64)
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
				match[i] = -1
				continue
			}
			for now.parens--; toks[stack[len(stack)-1]].Word != LParen; stack = stack[:len(stack)-1] {
				now.brackets--
			}
			match[i], match[stack[len(stack)-1]] = stack[len(stack)-1], Index(i)
			stack = stack[:len(stack)-1]
			continue
		case RBracket:
			if now.brackets == 0 {
				match[i] = -1
				continue
			}
			for now.brackets--; toks[stack[len(stack)-1]].Word != LBracket; stack = stack[:len(stack)-1] {
				now.parens--
			}
			match[i], match[stack[len(stack)-1]] = stack[len(stack)-1], Index(i)
			stack = stack[:len(stack)-1]
			continue
		case RBrace:
			if len(outer) == 0 {
				match[i] = -1
				continue
			}
			for toks[stack[len(stack)-1]].Word != LBrace {
				stack = stack[:len(stack)-1]
			}
			match[i], match[stack[len(stack)-1]] = stack[len(stack)-1], Index(i)
			stack = stack[:len(stack)-1]
			now = outer[len(outer)-1]
			outer = outer[:len(outer)-1]
			continue
		default:
			continue
		}
		match[i] = -1
		stack = append(stack, Index(i))
	}
	return match
}
