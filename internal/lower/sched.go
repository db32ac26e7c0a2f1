package lower

import (
	"fmt"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/plan"
	"irgl/syntax"
)

// The schedulers of nested parallelism (IrGL paper, Listings 10 and 11, Table
// 5). Each takes the ranges of at least its preferred size that those before it
// have left, the last whatever is left:
//
//	gr      the longest: all blocks share them at the end of the kernel (hubs.go)
//	tb      sizes of a block and more: all threads go through one range after another
//	wp      sizes of a warp and more: its lanes do the same
//	fg      consecutive iterations of all ranges, by consecutive threads
//	serial  each thread its own
//
// Inspector and executor of tb: threads with a large range put it and their
// closure into shared memory, and their warp a mask of their lanes; all go
// through the masks. The vote that says whether there is one at all is the
// barrier that is needed anyway, so that a round without hubs costs nothing more.
//
// wp hands range and closure around by __shfl_sync; the lanes meet at each
// (Listing 11 uses shared memory, which was the only means at its time).
//
// fg scans the sizes of the block. The thread that is to do the iteration at a
// place of the scanned sequence finds its owner by binary search in the scanned
// offsets. The paper's predecessors pack the iterations into an array of slots
// instead, 8 for each thread: that takes 16 KB of shared memory for a block of
// 256, and the packing runs as long as the largest range of a warp. A search
// takes 8 reads of shared memory, which all lanes do alike and most at the same
// addresses, in 2 KB, so that more blocks fit on a multiprocessor. Its steps are
// written out, those of the slots of a round side by side. Ranges of 2^20
// iterations and more take part in several scans, so that offsets fit an int:
// the barrier behind a scan says whether there is to be another.
//
// Rounds of several iterations a thread (batch.go) take them strided, so that
// neighbours in memory are read by neighbouring lanes.

// coopLevels are the library's names for the levels of plans.
var coopLevels = [...]devlib.Level{plan.Thread: devlib.Thread, plan.Warp: devlib.Warp, plan.Block: devlib.ThreadBlock}

// A capture is one value of a closure.
type capture struct {
	name, typ string
	array     string // in shared memory; "" for none yet
}

// A schedule is one inner ForAll.
type schedule struct {
	s           *syntax.ForAllStmt
	nest        *analysis.Nest
	typ, name   string // of its variable
	first, size string // variables of the thread's own range
	n           int    // iterations of a round
	closure     []capture
	parts       []*part // what it gathers
	queues      []*queue
	rounds      string // variable that counts rounds since the queues were emptied
	ranges      string // array with the beginnings of the ranges
}

// schedulers returns the scheduling loops, in order.
func (l *lowerer) schedulers(c *schedule) []syntax.Stmt {
	np := l.plan.Loops[c.s].NP
	shared := np[plan.ByBlock] > 0 || np[plan.FineGrained] > 0
	var out []syntax.Stmt
	if shared {
		l.shareClosure(c)
	}
	if len(c.queues) > 0 && shared {
		c.rounds = l.fresh(c.name + "_rounds")
		out = append(out, l.template("int "+c.rounds+" = 0;\n")...)
	}
	c.parts = l.gatheredBy(c)
	for _, p := range c.parts {
		if shared {
			p.array = l.array(p.typ, c.name+"_all_"+nameOf(p.Object), 0)
			out = append(out, l.template(fmt.Sprintf("%s[threadIdx.x] = %s;\n", p.array, p.none()))...)
		}
	}
	for p, least := range np {
		if least == 0 {
			continue
		}
		out = append(out, l.scoped(func() []syntax.Stmt {
			switch p {
			case plan.ByGrid:
				return l.putOff(c, least)
			case plan.ByBlock:
				return l.byBlock(c, least)
			case plan.ByWarp:
				return l.byWarp(c, least)
			case plan.FineGrained:
				return l.fineGrained(c, least)
			}
			return l.serially(c)
		})...)
	}
	// What comes behind may be the next round of a serial loop.
	if shared && (c.nest.Depends || c.nest.Cache() != nil || len(c.nest.Serial) > 0 || len(c.parts) > 0) {
		out = append(out, l.template("__syncthreads();\n")...)
	}
	for _, p := range c.parts {
		if shared {
			out = append(out, l.template(p.join(nameOf(p.Object), p.array+"[threadIdx.x]"))...)
		}
	}
	return out
}

// array declares an array of shared memory with an element a thread and more.
func (l *lowerer) array(typ, want string, more int) string {
	return l.sharedVar(typ, want, l.tp.threads+more)
}

// sharedVar declares an array of shared memory, or with n 0 a variable.
func (l *lowerer) sharedVar(typ, want string, n int) string {
	name := l.fresh(want)
	l.tp.kept = append(l.tp.kept, name)
	size := ""
	if n > 0 {
		size = fmt.Sprintf("[%d]", n)
	}
	l.tp.shared = append(l.tp.shared, fmt.Sprintf("__shared__ %s %s%s;", typ, name, size))
	return name
}

// shareClosure makes room for closures in shared memory.
func (l *lowerer) shareClosure(c *schedule) {
	c.ranges = l.array(c.typ, c.name+"_all_first", 0)
	for i := range c.closure {
		k := &c.closure[i]
		k.array = l.array(k.typ, c.name+"_all_"+k.name, 0)
	}
}

// publish writes the thread's closure to shared memory.
func (c *schedule) publish() string {
	var b strings.Builder
	for _, k := range c.closure {
		fmt.Fprintf(&b, "%s[threadIdx.x] = %s;\n", k.array, k.name)
	}
	return b.String()
}

// restore returns the declarations by which an executor has the closure of the
// thread whose number the variable owner holds.
func (c *schedule) restore(owner string) []string {
	var out []string
	for _, k := range c.closure {
		out = append(out, fmt.Sprintf("%s %s = %s[%s];", k.typ, k.name, k.array, owner))
	}
	return out
}

// mask and lanes are what the kernel's warps have.
func (l *lowerer) mask() string {
	if l.tp.partial {
		return "irgl_warp_mask()"
	}
	return "0xffffffffu"
}

func (l *lowerer) lanes() string {
	if l.tp.partial {
		return "irgl_lanes()"
	}
	return "32"
}

// strided returns the rounds of threads of which number rank, one of width, does
// its part of a range that ends at the place end and has left to go.
func (l *lowerer) stridedRound(c *schedule, end, left, rank, width string) *round {
	slot := func(k int) string {
		if k == 0 {
			return rank
		}
		switch {
		case width == "32":
			return fmt.Sprintf("%d + %s", 32*k, rank)
		case k == 1:
			return width + " + " + rank
		}
		return fmt.Sprintf("%d * %s + %s", k, width, rank)
	}
	none := func(int) []string { return nil }
	return &round{s: c.s, typ: c.typ, n: c.n, restore: none,
		at: func(k int) string {
			if k == 0 {
				return fmt.Sprintf("%s - %s + (%s)%s", end, left, c.typ, rank)
			}
			return fmt.Sprintf("%s - %s + irgl_slot((irgl_index)(%s), %s)", end, left, slot(k), left)
		},
		valid: func(k int) string {
			if k == 0 {
				return "" // decided before
			}
			return fmt.Sprintf("(irgl_index)(%s) < %s", slot(k), left)
		}}
}

// stride returns how far a round of c goes.
func (c *schedule) stride(width string) string {
	if c.n == 1 {
		return width
	}
	if width == "32" {
		return fmt.Sprint(32 * c.n)
	}
	return fmt.Sprintf("%s * %d", width, c.n)
}

// full returns the statements that empty the queues of c when the next round
// could fill them; all threads of the block are there.
func (l *lowerer) full(c *schedule) string {
	if c.rounds == "" {
		return ""
	}
	half := c.queues[0].room / 2
	most := max(1, half/(l.tp.threads*c.n))
	return fmt.Sprintf("%[1]s = %[1]s + 1;\nif (%[1]s == %[2]d) {\n%[3]s%[1]s = 0;\n}\n", c.rounds, most, l.flush(c.queues, fmt.Sprint(half), false))
}

// byBlock is the scheduler of tb.
func (l *lowerer) byBlock(c *schedule, least int) []syntax.Stmt {
	sizes := l.array(c.typ, c.name+"_all_size", 0)
	masks := l.sharedVar("unsigned int", c.name+"_masks", (l.tp.threads+31)/32)
	warp, todo, owner, end, left := l.fresh("warp"), l.fresh("todo"), l.fresh(c.name+"_owner"), l.fresh(c.name+"_end"), l.fresh(c.name+"_left")
	rd := l.stridedRound(c, end, left, "threadIdx.x", "blockDim.x")
	rd.restore = func(int) []string { return c.restore(owner) }
	names, begin := l.declareParts(c)
	rd.gather = func(int) map[*check.Object]string { return c.gatherIn(names) }
	body := l.step(rd)
	gather := ""
	for i, p := range c.parts {
		gather += p.gatherWarp(l, names[i]) + "if (irgl_lane() == 0) {\n" + l.atomicTo(p, p.array+"["+owner+"]", names[i]) + "}\n"
	}
	text := fmt.Sprintf(`if (__syncthreads_or(%[1]s >= %[2]d) != 0) {
if (%[1]s >= %[2]d) {
%[3]s[threadIdx.x] = %[4]s;
%[5]s[threadIdx.x] = %[1]s;
%[6]s}
unsigned int %[7]s = __ballot_sync(%[8]s, %[1]s >= %[2]d);
if (irgl_lane() == 0) {
%[9]s[threadIdx.x / 32] = %[7]s;
}
__syncthreads();
for (int %[10]s = 0; %[10]s < (int)((blockDim.x + 31) / 32); %[10]s++) {
for (%[7]s = %[9]s[%[10]s]; %[7]s != 0; %[7]s &= %[7]s - 1) {
int %[11]s = %[10]s * 32 + __ffs((int)%[7]s) - 1;
%[12]s %[13]s = %[3]s[%[11]s] + %[5]s[%[11]s];
%[17]sfor (%[12]s %[14]s = %[5]s[%[11]s]; %[14]s > 0; %[14]s = irgl_less(%[14]s, %[15]s)) {
if (threadIdx.x < %[14]s) { irgl_hole(0); }
%[16]s}
%[18]s}
}
if (%[1]s >= %[2]d) { %[1]s = 0; }
}
`, c.size, least, c.ranges, c.first, sizes, c.publish(), todo, l.mask(), masks, warp, owner, c.typ, end, left, c.stride("blockDim.x"), l.full(c), begin, gather)
	return l.template(text, body)
}

// byWarp is the scheduler of wp.
func (l *lowerer) byWarp(c *schedule, least int) []syntax.Stmt {
	todo, owner, end, left := l.fresh("todo"), l.fresh(c.name+"_owner"), l.fresh(c.name+"_end"), l.fresh(c.name+"_left")
	mask := l.mask()
	var hand strings.Builder
	var restore []string
	for _, k := range c.closure {
		given := l.fresh(k.name + "_of")
		switch k.typ {
		case "bool", "char", "signed char", "unsigned char", "short", "unsigned short":
			fmt.Fprintf(&hand, "int %s = __shfl_sync(%s, (int)%s, %s);\n", given, mask, k.name, owner)
			restore = append(restore, fmt.Sprintf("%s %s = (%s)%s;", k.typ, k.name, k.typ, given))
		default:
			fmt.Fprintf(&hand, "%s %s = __shfl_sync(%s, %s, %s);\n", k.typ, given, mask, k.name, owner)
			restore = append(restore, fmt.Sprintf("%s %s = %s;", k.typ, k.name, given))
		}
	}
	rd := l.stridedRound(c, end, left, "irgl_lane()", l.lanes())
	rd.restore = func(int) []string { return restore }
	names, begin := l.declareParts(c)
	rd.gather = func(int) map[*check.Object]string { return c.gatherIn(names) }
	body := l.step(rd)
	gather := ""
	for i, p := range c.parts {
		gather += p.gatherWarp(l, names[i]) + "if (irgl_lane() == " + owner + ") {\n" + p.join(nameOf(p.Object), names[i]) + "}\n"
	}
	text := fmt.Sprintf(`__syncwarp(%[1]s);
for (unsigned int %[2]s = __ballot_sync(%[1]s, %[3]s >= %[4]d); %[2]s != 0; %[2]s &= %[2]s - 1) {
int %[5]s = __ffs((int)%[2]s) - 1;
%[6]s %[7]s = __shfl_sync(%[1]s, %[3]s, %[5]s);
%[6]s %[8]s = __shfl_sync(%[1]s, %[9]s, %[5]s) + %[7]s;
%[10]s%[12]sfor (; %[7]s > 0; %[7]s = irgl_less(%[7]s, (irgl_index)(%[11]s))) {
if ((irgl_index)irgl_lane() < %[7]s) { irgl_hole(0); }
}
%[13]s}
if (%[3]s >= %[4]d) { %[3]s = 0; }
__syncwarp(%[1]s);
`, mask, todo, c.size, least, owner, c.typ, left, end, c.first, hand.String(), c.stride(l.lanes()), begin, gather)
	return l.template(text, body)
}

// fineGrained is the scheduler of fg.
func (l *lowerer) fineGrained(c *schedule, least int) []syntax.Stmt {
	most := 1
	for 2*most < l.tp.threads {
		most *= 2
	}
	offsets := l.sharedVar("int", c.name+"_all_before", 2*most+1)
	// Threads that the block has not got have no items.
	fmt.Fprintf(&l.tp.begin, "for (int i = (int)(blockDim.x + 1 + threadIdx.x); i < %d; i += (int)blockDim.x) {\n%s[i] = 2147483647;\n}\n", 2*most+1, offsets)
	take, before, total, left := l.fresh(c.name+"_take"), l.fresh(c.name+"_before"), l.fresh(c.name+"_total"), l.fresh(c.name+"_left")
	place, owner := make([]string, c.n), make([]string, c.n)
	for k := range c.n {
		place[k], owner[k] = l.fresh(fmt.Sprintf("%s_place_%d", c.name, k)), l.fresh(fmt.Sprintf("%s_owner_%d", c.name, k))
	}
	slot := func(k int) string {
		if k == 0 {
			return "(int)threadIdx.x"
		} else if k == 1 {
			return "(int)(blockDim.x + threadIdx.x)"
		}
		return fmt.Sprintf("(int)(%d * blockDim.x + threadIdx.x)", k)
	}
	// The searches of all slots go hand in hand, so that none waits for another.
	var front []string
	for k := range c.n {
		at := slot(k)
		if k > 0 {
			at = fmt.Sprintf("min(%s, %s - 1)", at, left)
		}
		front = append(front, fmt.Sprintf("int %s = %s - %s + %s;", place[k], total, left, at))
	}
	for step := most; step > 0; step /= 2 {
		for k := range c.n {
			if step == most {
				front = append(front, fmt.Sprintf("int %s = irgl_later(%s, 0, %d, %s);", owner[k], offsets, step, place[k]))
			} else {
				front = append(front, fmt.Sprintf("%[1]s = irgl_later(%[2]s, %[1]s, %[3]d, %[4]s);", owner[k], offsets, step, place[k]))
			}
		}
	}
	rd := &round{s: c.s, typ: c.typ, n: c.n, front: front,
		at:      func(k int) string { return fmt.Sprintf("%s[%s] + (%s)%s", c.ranges, owner[k], c.typ, place[k]) },
		restore: func(k int) []string { return c.restore(owner[k]) },
		valid: func(k int) string {
			if k == 0 {
				return ""
			}
			return slot(k) + " < " + left
		}}
	begin, gather := l.gatherFine(c, rd, owner)
	body := l.step(rd)
	more := l.fresh(c.name + "_more")
	text := fmt.Sprintf(`for (bool %[14]s = true; %[14]s;) {
int %[1]s = %[2]s >= %[3]d ? (int)min((irgl_index)%[2]s, (irgl_index)1048576) : 0;
int %[4]s = irgl_block_scan(%[1]s);
%[5]s[threadIdx.x] = %[4]s;
if (threadIdx.x == blockDim.x - 1) {
%[5]s[blockDim.x] = %[4]s + %[1]s;
}
if (%[1]s > 0) {
%[6]s[threadIdx.x] = %[7]s - (%[8]s)%[4]s;
%[9]s}
%[7]s += (%[8]s)%[1]s;
%[2]s -= (%[8]s)%[1]s;
%[14]s = __syncthreads_or(%[2]s >= %[3]d) != 0;
int %[10]s = %[5]s[blockDim.x];
for (int %[11]s = %[10]s; %[11]s > 0; %[11]s -= min(%[11]s, (int)(%[12]s))) {
%[15]sif ((int)threadIdx.x < %[11]s) { irgl_hole(0); }
%[16]s%[13]s}
}
`, take, c.size, least, before, offsets, c.ranges, c.first, c.typ, c.publish(), total, left, c.stride("blockDim.x"), l.full(c), more, begin, gather)
	return l.template(text, body)
}

// gatherFine returns the statements before and after a round of fg that gathers:
// each slot has an owner and parts of its own, which go to the owner at once.
func (l *lowerer) gatherFine(c *schedule, rd *round, owner []string) (begin, gather string) {
	if len(c.parts) == 0 {
		return "", ""
	}
	names, whose := make([][]string, rd.n), make([]string, rd.n)
	for k := range rd.n {
		var text string
		whose[k] = l.fresh(fmt.Sprintf("%s_whose_%d", c.name, k))
		names[k], text = l.declareParts(c)
		begin += "int " + whose[k] + " = -1;\n" + text
		for i, p := range c.parts {
			gather += "{\n" + p.gatherOwners(l, names[k][i], whose[k]) + "}\n"
		}
		note := whose[k] + " = " + owner[k] + ";"
		if cond := rd.valid(k); cond != "" {
			note = "if (" + cond + ") { " + note + " }"
		}
		rd.front = append(rd.front, note)
	}
	rd.gather = func(k int) map[*check.Object]string { return c.gatherIn(names[k]) }
	return begin, gather
}

// serially is the scheduler of serial.
func (l *lowerer) serially(c *schedule) []syntax.Stmt {
	end, left := l.fresh(c.name+"_end"), l.fresh(c.name+"_left")
	body := l.step(l.ownRound(c.s, c.typ, end, left))
	text := fmt.Sprintf("for (%[1]s %[2]s = %[3]s + %[4]s, %[5]s = %[4]s; %[5]s > 0; %[5]s = irgl_less(%[5]s, %[6]d)) { irgl_hole(0); }\n",
		c.typ, end, c.first, c.size, left, c.n)
	return l.template(text, body)
}
