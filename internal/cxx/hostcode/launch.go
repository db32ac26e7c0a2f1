package hostcode

import "irgl/internal/cpp"

// launch rewrites the launch whose <<< is at i:
//
//	f<<<grid, block>>>(args)   (::__cudaPushCallConfiguration(grid, block) ? (void)0 : f(args))
//
// As in C++, the configuration is evaluated before the arguments. Messages of the host's compiler show
// the function that nvcc and clang call here too.
func (r *rewriter) launch(i int) int {
	from := r.callee(i - 1)
	end := -1
	for k := i + 1; k < min(len(r.toks), i+reach) && end < 0; k++ {
		switch w := r.word(k); {
		case w == cpp.TripleGreater:
			end = k
		case w == cpp.Semi || w == cpp.RBrace:
			return i + 1
		case r.match[k] > k:
			k = r.match[k]
		}
	}
	if from < 0 || end < 0 || r.word(end+1) != cpp.LParen || r.match[end+1] < 0 {
		return i + 1
	}
	config := ""
	if i+1 < end {
		config = r.here(i+1) + r.text(i+1, end)
	}
	r.insert(from, "(::__cudaPushCallConfiguration("+config+r.here(end)+") ? (void)0 : ")
	r.replace(i, end+1, "")
	r.insertBehind(r.match[end+1], ")")
	return end + 2 // arguments may hold launches, in lambdas
}

// callee returns the first token of the expression that ends at i, which names what
// is launched: a name with template arguments, members of objects, or an expression in parentheses.
func (r *rewriter) callee(i int) int {
	for i >= 0 {
		switch t := &r.toks[i]; {
		case t.Word == cpp.Greater || t.Word == cpp.GreaterGreater:
			i = r.anglesBack(i)
			if i < 0 {
				return -1
			}
			i--
			continue
		case t.Word == cpp.RParen || t.Word == cpp.RBracket:
			i = r.match[i]
			if i < 0 {
				return -1
			}
			if p := r.word(i - 1); r.toks[max(0, i-1)].Kind == cpp.Ident && i > 0 || p == cpp.RBracket || p == cpp.RParen {
				i-- // a call or an element
				continue
			}
		case t.Kind == cpp.Ident || t.Word == cpp.KwThis:
		default:
			return -1
		}
		p := r.word(i - 1)
		if p == cpp.KwTemplate {
			i--
			p = r.word(i - 1)
		}
		switch p {
		case cpp.Dot, cpp.Arrow:
			i -= 2
		case cpp.ColonColon:
			i--
			if q := &r.toks[max(0, i-1)]; i == 0 || q.Kind != cpp.Ident && q.Word != cpp.Greater && q.Word != cpp.GreaterGreater || q.Kind == cpp.Keyword {
				return i
			}
			i--
		default:
			return i
		}
	}
	return -1
}
