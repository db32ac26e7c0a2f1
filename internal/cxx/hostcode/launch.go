package hostcode

import "irgl/internal/cpp"

// launch rewrites the launch whose <<< is at i:
//
//	f<<<grid, block>>>(args)   (::__cudaPushCallConfiguration(grid, block) ? (void)0 : f(args))
//
// The call is in a statement expression with pragmas that allow calls of stubs. As in C++, the configuration is evaluated before the arguments. Messages of the host's compiler show
// the function that nvcc and clang call here too. nvcc takes << < and >> > for <<< and >>>.
func (r *rewriter) launch(i int) int {
	from, first := r.callee(i-1), i+r.opens(i)
	end, args := r.closes(first)
	if from < 0 || end < 0 || r.word(args) != cpp.LParen || r.match[args] < 0 {
		return i + 1
	}
	config := ""
	if first < end {
		config = r.here(first) + r.text(first, end)
	}
	commas, lists := r.commas(first, end)
	wrong := first == end || commas > 3 && !lists // an error, by an assertion that says what is wrong
	switch {
	case wrong:
		config = "1, 1"
	case commas == 0: // blocks of one thread
		config += ", 1"
	}
	r.insert(from, "(::__cudaPushCallConfiguration("+config+r.here(end)+") ? (void)0 : __extension__ ({"+allowCalls+r.here(from))
	if wrong {
		r.insert(from, "static_assert("+r.here(from)+`false, "a launch has a grid, a block, and perhaps the bytes of shared memory and a stream: kernel<<<grid, block>>>(arguments)"); `)
	}
	switch {
	case r.isNoKernel(i - 1):
		r.insert(from, "static_assert("+r.here(from)+`false, "the function that <<<...>>> launches is no __global__ function"); `)
	case from == i-1 && !r.namesKernel(from): // a lambda, or an object with operator()
		r.insert(from, "static_assert(!__is_class(decltype("+r.here(from)+r.toks[from].Text()+
			`)), "the object that <<<...>>> launches is no __global__ function"); `)
	}
	r.replace(i, args, "")
	r.insertBehind(r.match[args], ";"+allowEnd+"\n}))")
	return args + 1 // arguments may hold launches, in lambdas
}

// opens returns how many tokens the <<< of a launch at i has: 0 if there is none.
func (r *rewriter) opens(i int) int {
	switch {
	case r.word(i) == cpp.TripleLess:
		return 1
	case r.word(i) == cpp.LessLess && r.word(i+1) == cpp.Less && r.word(i-1) != cpp.KwOperator:
		return 2
	}
	return 0
}

// closes returns the >>> behind the configuration that begins at i, and the token behind it; -1 if there is none. A >> > closes lists of template
// arguments, if three are open.
func (r *rewriter) closes(i int) (end, behind int) {
	lists := 0
	for k := i; k < min(len(r.toks), i+reach); k++ {
		switch w := r.word(k); {
		case w == cpp.TripleGreater:
			return k, k + 1
		case w == cpp.GreaterGreater && r.word(k+1) == cpp.Greater && lists < 3:
			return k, k + 2
		case w == cpp.Semi || w == cpp.RBrace:
			return -1, -1
		case w == cpp.Less:
			lists++
		case w == cpp.Greater:
			lists = max(0, lists-1)
		case w == cpp.GreaterGreater && lists > 1:
			lists -= 2
		case r.match[k] > k:
			k = r.match[k]
		}
	}
	return -1, -1
}

// commas returns how many commas that no brackets enclose are among the tokens from..end, and whether some of them may be in lists
// of template arguments.
func (r *rewriter) commas(from, end int) (n int, lists bool) {
	for k := from; k < end; k++ {
		if r.word(k) == cpp.Comma {
			n++
		}
		lists = lists || r.word(k) == cpp.Less
		if r.match[k] > k {
			k = r.match[k]
		}
	}
	return n, lists
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

// isNoKernel reports whether the name at i is that of a function which is no kernel. Only tokens are
// known: the text defines a function of the name, no kernel has it, and where the launch is it names
// no variable, parameter or member.
func (r *rewriter) isNoKernel(i int) bool {
	name := &r.toks[i]
	if name.Kind != cpp.Ident {
		return false
	}
	defined := false
	for k := range r.toks {
		if r.toks[k].Kind != cpp.Ident || r.toks[k].Text() != name.Text() {
			continue
		}
		switch {
		case r.opens(k+1) > 0:
		case r.word(k+1) == cpp.LParen:
			if r.isKernelName(k) {
				return false
			}
			end := r.match[k+1]
			before := &r.toks[max(0, k-1)]
			typed := before.Kind == cpp.Ident || isTypeWord(before) && before.Word != cpp.KwReturn && before.Word != cpp.KwElse
			defined = defined || end > 0 && r.word(end+1) == cpp.LBrace && typed
		default:
			if r.mayBeVisible(k, i) {
				return false
			}
		}
	}
	return defined
}

// mayBeVisible reports whether the code at i may see what the name at k declares. It does not if k is in
// parentheses or in the body of a function, and i is behind them or in front of them. The parameters
// of the function that i is in are seen.
func (r *rewriter) mayBeVisible(k, i int) bool {
	if r.parents == nil {
		r.findParents()
	}
	around := func(o int) bool { return o < i && i < r.match[o] }
	for o := r.parents[k]; o >= 0 && !around(o); o = r.parents[o] {
		if r.word(o) == cpp.LBrace && !r.isBody(o) {
			continue // a namespace's, or a class's, whose members may be seen outside
		}
		if o == r.parents[k] && r.word(k-1) == cpp.Star && r.word(k+1) == cpp.RParen {
			continue // (*name), a declarator
		}
		behind := r.match[o] + 1
		for behind < i && !around(behind) && r.word(behind) != cpp.Semi && r.word(behind) != cpp.LBrace {
			behind++ // to the body of the function that has these parameters
		}
		if !around(behind) || r.word(o) == cpp.LBrace {
			return false
		}
	}
	return true
}

// isBody reports whether the brace at i opens the body of a function or a statement's block.
func (r *rewriter) isBody(i int) bool {
	switch r.word(i - 1) {
	case cpp.RParen, cpp.RBracket, cpp.KwConst, cpp.KwNoexcept, cpp.KwTry, cpp.KwElse, cpp.KwDo, cpp.Semi:
		return true
	}
	return false
}

// findParents notes for each token the bracket that it is directly in, or -1.
func (r *rewriter) findParents() {
	r.parents = make([]int, len(r.toks))
	open := -1
	for k := range r.toks {
		switch r.word(k) {
		case cpp.RParen, cpp.RBracket, cpp.RBrace:
			if m := r.match[k]; m >= 0 {
				open = r.parents[m]
			}
		}
		r.parents[k] = open
		if r.match[k] > k {
			open = k
		}
	}
}

// namesKernel reports whether some kernel of the text has the name at i. Then it may be overloaded, or a
// template's, and have no type of its own.
func (r *rewriter) namesKernel(i int) bool {
	if r.kernels == nil {
		r.kernels = map[string]bool{}
		for k := range r.toks {
			if r.toks[k].Text() != "__global__" {
				continue
			}
			if d := r.read(k); d.params >= 0 && d.name >= 0 {
				r.kernels[r.toks[d.name].Text()] = true
			}
		}
	}
	return r.kernels[r.toks[i].Text()]
}

// isKernelName reports whether the declaration that the function's name at k is in has __global__.
func (r *rewriter) isKernelName(k int) bool {
	for from := r.specifiersFrom(k); from < k; from++ {
		if r.toks[from].Text() == "__global__" {
			return true
		}
	}
	return false
}
