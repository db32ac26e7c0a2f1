package klap

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/tree"
	"irgl/syntax"
)

// The function at a kernel's end. All threads call it; text is C, since little of it depends on types.

// A local is what the function knows of one of its sites.
type local struct {
	c               *child
	site            *site
	number, index   int
	k, s, l         string // the launch, the sum, the list
	units           string // what the sum has of the launch: its blocks, or the threads that it asks for if it is flattened
	threads, shared string // of the launch's blocks
	// threads and shared are the same for all launches of the group.
	sameThreads, sameShared bool
	alone, passed           string // arguments of a launch by the thread, and of the aggregated one
}

// locals returns what the function at the end of a kernel knows of its sites.
func (g *generator) locals(k *kernel) []local {
	var out []local
	for j, s := range k.sites {
		c := g.of(s.child)
		v := local{c: c, site: s, number: s.number, index: j, k: fmt.Sprintf("k%d", j), s: fmt.Sprintf("s%d", j), l: fmt.Sprintf("l%d", j)}
		switch {
		case c.flat:
			v.units = v.k + "->n"
		case c.gridDims == 3:
			v.units = fmt.Sprintf("(unsigned long long)%[1]s->gx * %[1]s->gy * %[1]s->gz", v.k)
		default:
			v.units = v.k + "->gx"
		}
		switch {
		case c.flat:
			v.threads, v.sameThreads = fmt.Sprint(flatThreads), true
		case c.block:
			v.threads, v.sameThreads = fmt.Sprintf("b%d", j), true
		case c.blockDims == 3:
			v.threads = fmt.Sprintf("%[1]s->bx * %[1]s->by * %[1]s->bz", v.k)
		default:
			v.threads = v.k + "->bx"
		}
		v.shared = [...]string{noShared: "0", uniformShared: fmt.Sprintf("m%d", j), varyingShared: v.k + "->shared"}[c.shared]
		v.sameShared = c.shared != varyingShared
		names, _ := c.scalars(j)
		v.alone = strings.Join(slices.Concat([]string{v.k, g.stream(k)}, names), ", ")
		names = slices.DeleteFunc(names, func(n string) bool { // the aggregated kernel has no use for it
			return c.shared == uniformShared && n == fmt.Sprintf("m%d", j) || !c.passesSize(g.p) && n == fmt.Sprintf("b%d", j)
		})
		v.passed = strings.Join(names, ", ")
		if v.passed != "" {
			v.passed = ", " + v.passed
		}
		out = append(out, v)
	}
	return out
}

// stream returns the stream of aggregated launches, and of those that stay single: their order matters only if a thread's
// does. Then it is the block's, in which launches of different threads follow each other however the text is
// compiled: 0 is the thread's own with --default-stream=per-thread.
func (g *generator) stream(k *kernel) string {
	s := forgetStream
	if k.ordered {
		s = blockStream
	}
	return fmt.Sprintf("(cudaStream_t)%d", s)
}

// An ending writes the function at the end of a kernel.
type ending struct {
	strings.Builder
	g     *generator
	k     *kernel
	sites []local
	// each is set if a thread has several launches of a site, which an aggregated one joins.
	each bool
	// launched are the sites of the aggregated launches, in the order of the text.
	launched []*site
	// The functions of the group, its barrier, and the condition of its first thread.
	group, barrier, first string
}

// end returns the function at the end of a kernel, which all of its threads call.
func (g *generator) end(k *kernel) syntax.Decl {
	e := &ending{g: g, k: k, sites: g.locals(k), each: k.chained && !k.ordered, group: "__klap_block", barrier: "__syncthreads()", first: "thread == 0"}
	if g.p.o.Granularity == Warp {
		e.group, e.barrier, e.first = "__klap_warp", "__syncwarp(__klap_mask(thread, threads))", "(thread & 31) == 0"
	}
	e.f("static __device__ void %s(unsigned int thread, unsigned int threads", endName(k))
	if k.chained {
		e.f(", struct __klap_chain *chain")
	} else {
		for _, v := range e.sites {
			e.f(", const struct %s *%s", v.c.tag(), v.k)
		}
	}
	for j, v := range e.sites {
		if !k.chained {
			_, params := v.c.scalars(j)
			e.f("%s", params)
		}
	}
	e.f(") {\n")
	switch {
	case g.p.o.Granularity >= Multiblock:
		e.wide()
	case k.chained && k.ordered:
		e.rounds()
	case e.few():
		e.many()
		e.f("if (!%s) {\n", e.any("many"))
		e.do()
		e.f("return;\n}\n")
		e.join(e.sites)
	default:
		e.f("if (!%s) {\nreturn;\n}\n", e.any(e.some()))
		e.join(e.sites)
	}
	if k.chained {
		e.f("__klap_drop(chain);\n")
	}
	e.f("}\n")
	f := tree.Declarations(e.String())[0].(*syntax.FuncDecl)
	e.place(f)
	for _, v := range e.sites {
		for i, u := range v.c.uniform {
			if u && !k.chained {
				f.Params = append(f.Params, v.c.param(i, v.uniform(i)))
			}
		}
	}
	if k.behind {
		addBehind(f)
	}
	return f
}

func (e *ending) f(format string, args ...any) { fmt.Fprintf(e, format, args...) }

// some returns the condition of a thread that launches.
func (e *ending) some() string {
	if e.k.chained {
		return "chain->first != 0"
	}
	var out []string
	for _, v := range e.sites {
		out = append(out, v.k+"->pred != 0")
	}
	return strings.Join(out, " || ")
}

// any returns the condition of a group one of whose threads has a condition.
func (e *ending) any(some string) string {
	if e.g.p.o.Granularity == Warp {
		return "__klap_warp_any(" + some + ", thread, threads)"
	}
	return "__syncthreads_or(" + some + ")"
}

// rounds joins the next launches of all threads again and again. A launch is of the round in which those
// in front of it have happened, site by site in the order of the text.
func (e *ending) rounds() {
	e.f("struct __klap_node *at = chain->first;\nwhile (%s) {\n", e.any("at != 0"))
	for _, v := range e.sites {
		e.f("{\nconst struct %s *%s = 0;\n", v.c.tag(), v.k)
		e.f("if (at && at->site == %d) {\n%s = (const struct %s *)(at + 1);\nat = at->next;\n}\n", v.number, v.k, v.c.tag())
		e.join([]local{v})
		e.f("}\n")
	}
	e.f("}\n")
}

// launches calls body for text with each launch of a thread at a site.
func (e *ending) launches(v local, body func()) {
	if !e.each {
		body()
		return
	}
	e.f("for (struct __klap_node *at = chain->first; at; at = at->next) {\nif (at->site == %d) {\n", v.number)
	e.f("const struct %s *%s = (const struct %s *)(at + 1);\n", v.c.tag(), v.k, v.c.tag())
	body()
	e.f("}\n}\n")
}

// sums writes the sums of the sites over the group.
func (e *ending) sums(sites []local) {
	if !e.each {
		var bad []string
		for _, v := range sites {
			if e.k.chained {
				bad = append(bad, v.k+" && "+v.k+"->pred > 1")
			} else {
				bad = append(bad, v.k+"->pred > 1")
			}
		}
		e.f("int alone = %s;\n", strings.Join(bad, " || "))
	} else {
		e.f("int alone = 0;\n")
	}
	for _, v := range sites {
		e.sum(v)
	}
}

// sum writes the sum of a site over the group, and the largest blocks of its launches.
func (e *ending) sum(v local) {
	type most struct{ name, value string }
	var list []most
	e.f("unsigned long long mine%s = 0;\n", v.s)
	if !v.sameThreads {
		list = append(list, most{"threads", v.threads})
	}
	if !v.sameShared {
		list = append(list, most{"shared", "(unsigned int)" + v.shared})
	}
	for _, m := range list {
		e.f("unsigned int %s%s = 0;\n", m.name, v.s)
	}
	condition := "!alone && " + v.k + "->pred"
	switch {
	case e.each:
		condition = v.k + "->pred == 1"
	case e.k.chained:
		condition = "!alone && " + v.k
	}
	e.launches(v, func() {
		e.f("if (%s) {\n", condition)
		if e.each {
			e.f("mine%s += 1ull << 40 | %s;\n", v.s, v.units)
			for _, m := range list {
				e.f("%[1]s%[2]s = __klap_max(%[1]s%[2]s, %[3]s);\n", m.name, v.s, m.value)
			}
			e.f("} else {\nalone = 1;\n}\n")
			return
		}
		e.f("mine%s = 1ull << 40 | %s;\n", v.s, v.units)
		for _, m := range list {
			e.f("%s%s = %s;\n", m.name, v.s, m.value)
		}
		e.f("}\n")
	})
	e.f("struct __klap_sum %s = %s_sum(mine%[1]s, thread, threads);\n", v.s, e.group)
	for _, m := range list {
		e.f("%[1]s.%[2]s = %[3]s_max(%[2]s%[1]s, thread, threads);\n", v.s, m.name, e.group)
	}
}

// chunk writes the group's chunk with the lists of the sites.
func (e *ending) chunk(sites []local) {
	var bytes, holders []string
	for _, v := range sites {
		bytes = append(bytes, fmt.Sprintf("__klap_bytes(%s.total, sizeof(struct %s))", v.s, v.c.tag()))
		holders = append(holders, fmt.Sprintf("(%s.total != 0)", v.s))
	}
	threads := ""
	if e.g.p.o.Granularity == Warp {
		threads = ", threads"
	}
	e.f("char *chunk = %s_take(%s, %s, thread%s);\n", e.group, strings.Join(bytes, " + "), strings.Join(holders, " + "), threads)
	at := "chunk"
	for j, v := range sites {
		e.f("struct __klap_list *%s = (struct __klap_list *)(%s);\n", v.l, at)
		at = fmt.Sprintf("(char *)%s + %s", v.l, bytes[j])
	}
	e.f("if (chunk) {\n")
	for _, v := range sites {
		e.launches(v, func() {
			condition := "mine" + v.s
			if e.each {
				condition = v.k + "->pred == 1"
			}
			e.f("if (%s) {\n", condition)
			e.f("*(struct %[1]s *)__klap_put(%[2]s, %[3]s, sizeof(struct %[1]s)) = *%[4]s;\n", v.c.tag(), v.l, v.s, v.k)
			if e.each {
				e.f("%s.before += 1ull << 40 | %s;\n", v.s, v.units)
			}
			e.f("}\n")
		})
	}
	e.f("}\n")
}

// lone writes the launches that threads do themselves: all if there is no chunk.
func (e *ending) lone(sites []local) {
	e.f("if (!chunk || alone) {\n")
	if e.each {
		e.f("for (struct __klap_node *at = chain->first; at; at = at->next) {\n")
		for _, v := range sites {
			e.f("if (at->site == %d) {\nconst struct %s *%s = (const struct %s *)(at + 1);\nif (!chunk || %s->pred > 1) {\n%s(%s);\n}\n}\n",
				v.number, v.c.tag(), v.k, v.c.tag(), v.k, v.c.aloneOf(v.site), v.alone)
		}
		e.f("}\n")
	}
	if !e.each {
		e.threads(sites)
	}
	e.f("}\n")
}

// threads writes the launches by each thread of its own.
func (e *ending) threads(sites []local) {
	for _, v := range sites {
		launches := v.k + "->pred"
		if e.k.chained {
			launches = v.k
		}
		e.f("if (%s) {\n%s(%s);\n}\n", launches, v.c.aloneOf(v.site), v.alone)
	}
}

// launch writes the launch of a group's list.
func (e *ending) launch(v local) {
	e.launched = append(e.launched, v.site)
	threads, shared := v.size(v.s + ".")
	units := fmt.Sprintf("(unsigned int)(%s.total & 0xffffffffffull)", v.s)
	e.f("%s<<<%s, %s, %s, %s>>>(o%d%s%s);\n", v.c.aggName(), v.grid(units), threads, shared, e.g.stream(e.k), v.index, v.warps(units), v.passed)
}

// open writes that of the list's front.
func (e *ending) open(v local) {
	open := "__klap_open"
	if v.c.flat {
		open += "_flat"
	}
	e.f("struct __klap_launch o%d = %s(%s, %s);\n", v.index, open, v.l, v.s)
}

// padded writes the sums of flattened launches, of threads, as warps.
func (e *ending) padded(sites []local) {
	for _, v := range sites {
		if v.c.flat {
			e.f("%[1]s = __klap_in_warps(%[1]s);\n", v.s)
		}
	}
}

// grid returns the blocks of an aggregated launch of so many units: blocks, or warps if it is flattened.
func (v local) grid(units string) string {
	if v.c.flat {
		return fmt.Sprintf("(%s + %d) / %d", units, flatThreads/32-1, flatThreads/32)
	}
	return units
}

// warps returns the warps as an argument of a flattened launch.
func (v local) warps(units string) string {
	if v.c.flat {
		return ", " + units
	}
	return ""
}

// size returns the size of the blocks of an aggregated launch and their dynamic shared memory: members of a record where
// launches have different ones.
func (v local) size(record string) (threads, shared string) {
	threads, shared = record+"threads", record+"shared"
	if v.sameThreads {
		threads = v.threads
	}
	if v.sameShared {
		shared = v.shared
	}
	return threads, shared
}

// join writes the aggregation of sites over a warp or a block.
func (e *ending) join(sites []local) {
	e.sums(sites)
	e.chunk(sites)
	e.f("%s;\nif (chunk && %s) {\n", e.barrier, e.first)
	e.padded(sites)
	for _, v := range sites {
		e.f("if (%s.total) {\n", v.s)
		e.open(v)
		e.launch(v)
		e.f("}\n")
	}
	e.f("}\n")
	e.lone(sites)
}

// wide writes the aggregation over blocks: each adds its lists to its group's record, and the last one launches.
func (e *ending) wide() {
	most := 0
	if e.g.p.o.Granularity == Multiblock {
		most = e.g.p.o.blocks()
	}
	open, leave := fmt.Sprintf("__klap_open_group(%d, %d, thread, threads, &grid);\n", len(e.sites), most), "thread == 0"
	if e.g.p.switches(e.k) {
		e.f("struct __klap_grid *grid = 0;\nstruct __klap_group *group = 0;\n")
		e.f("if ((unsigned long long)gridDim.x * gridDim.y * gridDim.z > %d) {\ngroup = %s}\n", fewBlocks, open)
		leave += " && grid"
	} else {
		e.f("struct __klap_grid *grid;\nstruct __klap_group *group = %s", open)
	}
	launches := e.some()
	if e.few() {
		e.many()
		launches = "many"
	}
	e.f("if (%s) {\n", e.any(launches))
	single := e.g.p.switches(e.k) && !e.k.chained
	if single {
		e.f("if ((unsigned long long)gridDim.x * gridDim.y * gridDim.z * threads <= %d) {\n", fewLaunches)
		e.threads(e.sites)
		e.f("} else {\n")
	}
	e.sums(e.sites)
	e.chunk(e.sites)
	e.f("__syncthreads();\nif (chunk && thread == 0) {\n")
	e.padded(e.sites)
	e.f("int own = group == 0")
	for _, v := range e.sites {
		e.f(" || (%s.total & 0xffffffffffull) > 0x7fffffff / group->size", v.s)
	}
	e.f(";\n")
	for j, v := range e.sites {
		e.f("if (%s.total) {\n", v.s)
		e.open(v)
		e.f("if (own) {\n")
		e.launch(v)
		e.f("} else {\n__klap_join(group, %d, %s, %s);\n}\n}\n", j, v.l, v.s)
	}
	e.f("}\n")
	e.lone(e.sites)
	if single {
		e.f("}\n")
	}
	if e.few() {
		e.f("} else {\n")
		e.do()
	}
	e.f("}\n")
	e.f("if (%s) {\nif (group && __klap_arrive(group)) {\n", leave)
	var some []string
	for j := range e.sites {
		e.f("struct __klap_site *g%d = __klap_close(group, %d);\n", j, j)
		some = append(some, fmt.Sprintf("(g%d != 0)", j))
	}
	e.f("__klap_hold(%s);\n", strings.Join(some, " + "))
	if e.k.behind {
		e.leave()
	} else {
		for j, v := range e.sites {
			e.launchClosed(j, v)
		}
	}
	e.f("}\n__klap_leave(grid);\n}\n")
}

// launchClosed writes the launch of a group's lists of a site.
func (e *ending) launchClosed(j int, v local) {
	e.launched = append(e.launched, v.site)
	threads, shared := v.size(fmt.Sprintf("g%d->", j))
	units := fmt.Sprintf("g%d->blocks", j)
	e.f("if (g%[1]d) {\n%[2]s<<<%[7]s, %[5]s, %[6]s, %[3]s>>>(g%[1]d->launch%[8]s%[4]s);\n}\n", j, v.c.aggName(), e.g.stream(e.k), v.passed, threads, shared, v.grid(units), v.warps(units))
}

// place gives the aggregated launches the positions of those of the program.
func (e *ending) place(f *syntax.FuncDecl) {
	for n := range syntax.Preorder(f) {
		if l, ok := n.(*syntax.LaunchExpr); ok {
			l.SetSpan(tree.At(e.launched[0].launch))
			e.launched = e.launched[1:]
		}
	}
}
