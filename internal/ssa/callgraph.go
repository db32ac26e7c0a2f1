package ssa

import "slices"

// A CallGraph knows which functions of a module call each other. A call through a pointer
// may be one of each function whose address is taken.
type CallGraph struct {
	Order []*Func // callees before callers, where there is no cycle

	funcs   map[string]*Func
	uses    map[*Func]int
	callees map[*Func][]*Func
	cycle   map[*Func]int // functions that call each other have one number
}

// NewCallGraph returns the call graph of m as it is now.
func NewCallGraph(m *Module) *CallGraph {
	g := &CallGraph{
		funcs:   make(map[string]*Func, len(m.Funcs)),
		uses:    make(map[*Func]int),
		callees: make(map[*Func][]*Func),
		cycle:   make(map[*Func]int, len(m.Funcs)),
	}
	for _, f := range m.Funcs {
		g.funcs[f.Name] = f
	}
	var taken, indirect []*Func // whose address is taken; that call through pointers
	for _, v := range m.Globals {
		for _, r := range v.Refs {
			if f := g.funcs[r.Name]; f != nil {
				g.uses[f]++
				taken = append(taken, f)
			}
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op == OpCallPtr {
					indirect = append(indirect, f)
				}
				if v.Op != OpCall && v.Op != OpFuncAddr {
					continue
				}
				callee := g.funcs[v.Callee()]
				if callee == nil {
					continue
				}
				g.uses[callee]++
				if v.Op == OpCall {
					g.callees[f] = append(g.callees[f], callee)
				} else if !callee.Kernel { // a kernel is launched, not called
					taken = append(taken, callee)
				}
			}
		}
	}
	for _, f := range slices.Compact(indirect) {
		g.callees[f] = append(g.callees[f], taken...)
	}
	g.components(m)
	return g
}

// Func returns the function of the name, nil if the module has none.
func (g *CallGraph) Func(name string) *Func { return g.funcs[name] }

// Uses returns how many calls of f there were, and other references to it.
func (g *CallGraph) Uses(f *Func) int { return g.uses[f] }

// SameCycle reports whether a and b are one function, or call each other, be it through others.
func (g *CallGraph) SameCycle(a, b *Func) bool { return g.cycle[a] == g.cycle[b] }

// Recursive reports whether f calls itself, be it through others.
func (g *CallGraph) Recursive(f *Func) bool {
	return slices.ContainsFunc(g.callees[f], func(callee *Func) bool { return g.SameCycle(callee, f) })
}

// components finds the cycles with Tarjan's algorithm, which also gives the
// order, callees first.
func (g *CallGraph) components(m *Module) {
	type frame struct {
		f    *Func
		next int
	}
	number, low := make(map[*Func]int), make(map[*Func]int)
	onStack := make(map[*Func]bool)
	var path []*Func
	enter := func(f *Func) frame {
		number[f] = len(number) + 1
		low[f] = number[f]
		path = append(path, f)
		onStack[f] = true
		return frame{f, 0}
	}
	for _, root := range m.Funcs {
		if number[root] != 0 {
			continue
		}
		stack := []frame{enter(root)}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next < len(g.callees[top.f]) {
				callee := g.callees[top.f][top.next]
				top.next++
				if number[callee] == 0 {
					stack = append(stack, enter(callee))
				} else if onStack[callee] {
					low[top.f] = min(low[top.f], number[callee])
				}
				continue
			}
			f := top.f
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				parent := stack[len(stack)-1].f
				low[parent] = min(low[parent], low[f])
			}
			if low[f] != number[f] {
				continue
			}
			start := slices.Index(path, f)
			for _, member := range path[start:] {
				onStack[member] = false
				g.cycle[member] = number[f]
				g.Order = append(g.Order, member)
			}
			path = path[:start]
		}
	}
}
