package cpp

// punct reads the longest operator or separator at i.
func (s *scanner) punct(t *Token, i int) int {
	var next [3]byte
	copy(next[:], s.src[i+1:])
	w, n := operator(s.src[i], next, s.dialect)
	t.Word = w
	return s.set(t, Punct, i, i+n)
}

// either returns a word of two characters if the second one is there, and else one of a single character.
func either(there bool, two, one Word) (Word, int) {
	if there {
		return two, 2
	}
	return one, 1
}

// operator returns the longest operator or separator that begins with c and the characters behind it, and its length.
//
//irgl:flatswitch
func operator(c byte, next [3]byte, d Dialect) (Word, int) {
	a, b := next[0], next[1]
	cxx := d != C
	switch c {
	case '.':
		switch {
		case a == '.' && b == '.':
			return Ellipsis, 3
		case a == '*' && cxx:
			return DotStar, 2
		}
		return Dot, 1
	case '<':
		switch {
		case a == '<' && b == '=':
			return LessLessEqual, 3
		case a == '<' && b == '<' && cxx:
			return TripleLess, 3
		case a == '<':
			return LessLess, 2
		case a == '=' && b == '>' && d == cxx20:
			return Spaceship, 3
		case a == ':' && cxx && (b != ':' || next[2] == ':' || next[2] == '>'):
			return LBracket, 2
		case a == '%' && cxx:
			return LBrace, 2
		}
		return either(a == '=', LessEqual, Less)
	case '>':
		switch {
		case a == '>' && b == '=':
			return GreaterGreaterEqual, 3
		case a == '>' && b == '>' && cxx:
			return TripleGreater, 3
		case a == '>':
			return GreaterGreater, 2
		}
		return either(a == '=', GreaterEqual, Greater)
	case '-':
		switch {
		case a == '>' && b == '*' && cxx:
			return ArrowStar, 3
		case a == '>':
			return Arrow, 2
		case a == '-':
			return MinusMinus, 2
		}
		return either(a == '=', MinusEqual, Minus)
	case '+':
		if a == '+' {
			return PlusPlus, 2
		}
		return either(a == '=', PlusEqual, Plus)
	case '&':
		if a == '&' {
			return AmpAmp, 2
		}
		return either(a == '=', AmpEqual, Amp)
	case '|':
		if a == '|' {
			return PipePipe, 2
		}
		return either(a == '=', PipeEqual, Pipe)
	case '%':
		switch {
		case cxx && a == ':' && b == '%' && next[2] == ':':
			return HashHash, 4
		case cxx && a == ':':
			return Hash, 2
		case cxx && a == '>':
			return RBrace, 2
		}
		return either(a == '=', PercentEqual, Percent)
	case ':':
		if cxx && a == '>' {
			return RBracket, 2
		}
		return either(a == ':', ColonColon, Colon)
	case '=':
		return either(a == '=', EqualEqual, Equal)
	case '!':
		return either(a == '=', NotEqual, Not)
	case '*':
		return either(a == '=', StarEqual, Star)
	case '/':
		return either(a == '=', SlashEqual, Slash)
	case '^':
		return either(a == '=', CaretEqual, Caret)
	case '#':
		return either(a == '#', HashHash, Hash)
	}
	return singles[c&0x7f], 1
}
