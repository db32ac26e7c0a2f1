package klaptest

import "fmt"

// statement adds a random statement.
func (g *generator) statement(s *scope) {
	switch n := g.IntN(20); {
	case n < 6:
		g.launch(s)
	case n < 8:
		s.b.add(fmt.Sprintf("h = mix(h, %s);", g.value(s)))
	case n < 9:
		s.b.add(fmt.Sprintf("record(out, mix(h, %du));", g.IntN(100)))
	case n < 11 && s.depth < 2:
		g.branch(s)
	case n < 13 && s.depth < 2:
		g.loop(s)
	case n < 14 && !s.helper:
		g.leave(s)
	case n < 16 && s.uniform && !s.helper:
		g.barrier(s)
	case n < 17 && s.uniform:
		g.warp(s)
	case n < 18 && s.k != nil:
		g.change(s)
	case n < 19 && len(g.helpers) > 0 && !s.helper:
		s.b.add(fmt.Sprintf("if (left > 0 && %s) %s(out, mix(id, %du), left, h);", g.gate(s), g.helpers[g.IntN(len(g.helpers))].name, g.IntN(50)))
	default:
		g.chain(s)
	}
}

// value returns a value of type unsigned that varies.
func (g *generator) value(s *scope) string {
	list := []string{"threadIdx.x", "blockIdx.x + 2u", "gridDim.x", "size()", fmt.Sprintf("%du", g.IntN(1000)), "id"}
	if s.k != nil {
		for _, p := range s.k.params {
			list = append(list, p.hash())
		}
	}
	return list[g.IntN(len(list))]
}

// gate returns the condition by which a thread launches: few threads of children do.
func (g *generator) gate(s *scope) string {
	if s.root {
		return []string{"h % 5u == 0u", "h % 3u == 1u", "h % 4u != 1u", "h % 17u == 4u", "threadIdx.x % 3u == 1u", "blockIdx.x == 0u && h % 2u", "h % 9u == 2u"}[g.IntN(7)]
	}
	n := 30 + g.IntN(60)
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("linear() == %du && h %% 2u", g.IntN(8))
	case 1:
		return "linear() == size() - 1u && blockIdx.x == 0u"
	}
	return fmt.Sprintf("h %% %du == %du", n, g.IntN(n))
}

// branch adds an if statement.
func (g *generator) branch(s *scope) {
	cond := []string{"h % 2u", "threadIdx.x < 9u", "blockIdx.x == 0u", "left > 1", "id % 2u == 0u", "gridDim.x > 1u"}[g.IntN(6)]
	in := s.in(s.b.open("if (" + cond + ")"))
	for range 1 + g.IntN(2) {
		g.statement(in)
	}
	s.whole = s.whole && in.whole
	if g.one(2) {
		in = s.in(s.b.open("if (!(" + cond + "))"))
		g.statement(in)
		s.whole = s.whole && in.whole
	}
}

// loop adds a loop.
func (g *generator) loop(s *scope) {
	i := g.name("i")
	b := s.b.open([]string{
		fmt.Sprintf("for (int %s = 0; %[1]s < %d; %[1]s++)", i, 1+g.IntN(3)),
		fmt.Sprintf("for (unsigned %s = 0u; %[1]s < h %% 3u; %[1]s++)", i),
		fmt.Sprintf("for (int %s = left; %[1]s > 0; %[1]s -= 2)", i),
	}[g.IntN(3)])
	in := s.in(b)
	in.loops++
	b.add(fmt.Sprintf("h = mix(h, (unsigned)%s);", i))
	if g.one(3) {
		b.add([]string{"if (h % 7u == 0u) continue;", "if (h % 5u == 0u) break;"}[g.IntN(2)])
	}
	for range 1 + g.IntN(2) {
		g.statement(in)
	}
	s.whole = s.whole && in.whole
}

// leave adds an early return. The first thread of a block stays, as it initialises shared memory.
func (g *generator) leave(s *scope) {
	switch whole := g.one(5); {
	case whole && s.uniform:
		s.b.add("if (blockIdx.x % 3u == 2u) return;") // all threads of a block
		return
	case whole:
		s.b.add("if (blockIdx.x % 3u == 2u && linear() != 0u) return;")
	default:
		s.b.add(fmt.Sprintf("if (h %% %du == 1u && linear() != 0u) return;", 5+g.IntN(30)))
	}
	s.whole = false
}

// barrier adds statements with a barrier. Programs return early in front of one, too.
func (g *generator) barrier(s *scope) {
	if s.k != nil && s.k.dynamic && s.whole && g.one(2) {
		v := g.name("d")
		s.b.add("__syncthreads();")
		s.b.add(fmt.Sprintf("extern __shared__ unsigned %s[];", v))
		s.b.add(v + "[linear()] = h;")
		s.b.add("__syncthreads();")
		s.b.add(fmt.Sprintf("h = mix(h, %s[size() - 1u - linear()]);", v))
		s.b.add("__syncthreads();")
		return
	}
	if !s.whole && !g.one(3) {
		return
	}
	v := g.name("s")
	s.b.add(fmt.Sprintf("__shared__ unsigned %s[%d];", v, 2+g.IntN(3)))
	s.b.add(fmt.Sprintf("if (linear() == 0u) %s[0] = %s[1] = 0u;", v, v))
	s.b.add("__syncthreads();")
	s.b.add(fmt.Sprintf("atomicAdd(&%s[h %% 2u], h);", v))
	s.b.add("__syncthreads();")
	s.b.add(fmt.Sprintf("h = mix(h, %s[0] * 3u + %s[1]);", v, v))
	if g.one(3) {
		s.b.add(fmt.Sprintf("h = mix(h, (unsigned)%s);", []string{"__syncthreads_or(h % 50u == 0u)", "__syncthreads_count(h % 3u == 0u)"}[g.IntN(2)]))
	}
}

// warp adds an operation of a warp with a full mask, of whose result only lanes that exist have a part.
func (g *generator) warp(s *scope) {
	if !s.whole && !g.one(3) {
		return
	}
	list := []string{"__ballot_sync(0xffffffffu, h & 1u)", "__popc(__ballot_sync(0xffffffffu, h % 3u == 0u))", "(unsigned)__any_sync(0xffffffffu, h % 40u == 0u)"}
	if s.whole {
		list = append(list, "__shfl_sync(0xffffffffu, h, 0)")
		if g.one(2) {
			v := g.name("w")
			s.b.add(fmt.Sprintf("unsigned %s = __shfl_up_sync(0xffffffffu, h, 1);", v))
			s.b.add(fmt.Sprintf("if ((linear() & 31u) > 0u) h = mix(h, %s);", v))
			return
		}
	}
	s.b.add(fmt.Sprintf("h = mix(h, %s);", list[g.IntN(len(list))]))
}

// change adds an assignment to a parameter, which is not uniform then.
func (g *generator) change(s *scope) {
	for _, p := range s.k.params {
		switch p.ctype.name {
		case "int", "unsigned", "long", "short", "unsigned char":
			s.b.add(fmt.Sprintf("if (h %% 3u == 1u) %s += (%s)1;", p.name, p.ctype.name))
			return
		}
	}
	s.b.add("id += h % 2u;")
}
