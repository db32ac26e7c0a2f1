package simt

// reconverge gives every branch of fn that may diverge its reconvergence
// point: the first instruction of the branch's immediate post-dominator block,
// or none when the paths join only at the end of a kernel.
func reconverge(fn *function) {
	g := newGraph(fn)
	ipdom := g.postDominators()
	for b := range g.start {
		last := g.end(b) - 1
		in := &fn.code[last]
		if in.ctl != ctlBranch && in.ctl != ctlIndexed {
			continue
		}
		if d := ipdom[b]; d >= 0 && d < len(g.start) {
			in.reconv = int32(g.start[d])
		}
	}
}

// A graph is a function's control flow graph. Blocks are in the order of the
// code; the virtual exit is block number len(start).
type graph struct {
	fn    *function
	start []int // first instruction of each block
	block []int // of each instruction
	succ  [][]int
	pred  [][]int
}

func (g *graph) end(b int) int {
	if b+1 < len(g.start) {
		return g.start[b+1]
	}
	return len(g.fn.code)
}

func newGraph(fn *function) *graph {
	n := len(fn.code)
	leader := make([]bool, n+1)
	leader[0] = true
	for i := range fn.code {
		in := &fn.code[i]
		switch in.ctl {
		case ctlBranch:
			if in.sub == 1 { // a return: to the last instruction
				in.target = int32(n - 1)
			}
			leader[in.target], leader[i+1] = true, true
		case ctlIndexed:
			for _, t := range in.targets {
				leader[t] = true
			}
			leader[i+1] = true
		case ctlExit, ctlTrap, ctlEnd:
			leader[i+1] = true
		}
	}
	g := &graph{fn: fn, block: make([]int, n)}
	for i := range n {
		if leader[i] {
			g.start = append(g.start, i)
		}
		g.block[i] = len(g.start) - 1
	}
	g.connect()
	return g
}

// connect fills in the edges.
func (g *graph) connect() {
	exit := len(g.start)
	g.succ, g.pred = make([][]int, exit+1), make([][]int, exit+1)
	edge := func(from, to int) {
		g.succ[from] = append(g.succ[from], to)
		g.pred[to] = append(g.pred[to], from)
	}
	for b := range g.start {
		last := g.end(b) - 1
		in := &g.fn.code[last]
		falls := true
		switch in.ctl {
		case ctlBranch:
			edge(b, g.block[in.target])
			falls = in.guard != none
		case ctlIndexed:
			for _, t := range in.targets {
				edge(b, g.block[t])
			}
			falls = in.guard != none
		case ctlExit, ctlTrap, ctlEnd:
			edge(b, exit)
			falls = in.guard != none
		}
		if falls {
			if last+1 < len(g.fn.code) {
				edge(b, b+1)
			} else {
				edge(b, exit)
			}
		}
	}
}

// postDominators returns each block's immediate post-dominator, -1 for blocks
// from which no path leads to the exit (Cooper, Harvey and Kennedy's
// iteration, on the reversed graph).
func (g *graph) postDominators() []int {
	exit := len(g.start)
	order, number := g.reversePostOrder(exit)
	ipdom := make([]int, exit+1)
	for i := range ipdom {
		ipdom[i] = -1
	}
	ipdom[exit] = exit
	meet := func(a, b int) int {
		for a != b {
			for number[a] > number[b] {
				a = ipdom[a]
			}
			for number[b] > number[a] {
				b = ipdom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, b := range order {
			if b == exit {
				continue
			}
			d := -1
			for _, s := range g.succ[b] {
				switch {
				case ipdom[s] < 0:
				case d < 0:
					d = s
				default:
					d = meet(d, s)
				}
			}
			if d != ipdom[b] {
				ipdom[b], changed = d, true
			}
		}
	}
	return ipdom
}

// reversePostOrder numbers the blocks that reach root, following edges
// backwards; the walk is iterative since code may be long.
func (g *graph) reversePostOrder(root int) (order, number []int) {
	number = make([]int, len(g.pred))
	seen := make([]bool, len(g.pred))
	type visit struct{ block, next int }
	stack := []visit{{root, 0}}
	seen[root] = true
	var post []int
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.next == len(g.pred[v.block]) {
			post = append(post, v.block)
			stack = stack[:len(stack)-1]
			continue
		}
		p := g.pred[v.block][v.next]
		v.next++
		if !seen[p] {
			seen[p] = true
			stack = append(stack, visit{p, 0})
		}
	}
	for i := len(post) - 1; i >= 0; i-- {
		number[post[i]] = len(order)
		order = append(order, post[i])
	}
	return order, number
}
