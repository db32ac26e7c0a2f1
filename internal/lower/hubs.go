package lower

import (
	"fmt"
	"strings"

	"irgl/syntax"
)

// The policy gr: lists that are too long even for a block. In a graph with hubs
// one block would work for as long as all others together, and the grid waits
// for it. So a thread with such a list puts it off, with its closure; at the end
// of the kernel the grid meets, and its blocks share the lists, tile by tile:
//
//	for (int n_base = ...) {
//	  ...
//	  if (e_size >= 4096) {
//	    int e_list = irgl_hub_put(&irgl_hubs_K_0, e_turn, e_first, e_size, 2048);
//	    if (e_list >= 0) { irgl_hubs_K_0_near[e_list] = near; e_size = 0; }
//	  }
//	  ... the other schedulers ...
//	}
//	irgl_grid_barrier();
//	int e_tiles = irgl_hub_tiles(&irgl_hubs_K_0, e_turn);
//	if (e_tiles > 0) {
//	  late = true;
//	  for (int e_tile = (int)blockIdx.x; e_tile < e_tiles; e_tile += (int)gridDim.x) { ... }
//	}
//	return late;
//
// A control kernel meets behind each call anyway: that barrier moves into the
// kernel, and a second one is passed only behind a call that has put something
// off, which all threads see alike. A kernel that the host launches becomes a
// cooperative launch, which ends at the last tile without another barrier.
//
// What there is room for is fixed; a list that finds none is left to the other
// policies, so that neither the size of the graph nor a node that is in the
// worklist many times can make it overflow. Two sets of counters take turns:
// nobody has to wait until they are cleared. Each has one for calls behind an
// even number of barriers and one for the others: a thread that is late to see that a call
// has put nothing off must not see what the next one does.
//
// What is legal is in package opt (np_gr.go). (Beyond the IrGL paper, which stops at the block.)

// A hub is an inner ForAll of which long ranges are put off.
type hub struct {
	*schedule
	name, turn string // the variables with its lists, and which counters it uses
	tile       int    // iterations of a tile
}

// tileSize is the size of a tile, where a list has at least two: large enough
// for several rounds of a block, small enough that all blocks end together.
const tileSize = 2048

// putOff returns the inspector of gr, which comes before the other policies.
func (l *lowerer) putOff(c *schedule, least int) []syntax.Stmt {
	tile := 32
	for tile < tileSize && 4*tile <= least {
		tile *= 2
	}
	h := &hub{schedule: c, tile: tile, name: fmt.Sprintf("irgl_hubs_%s_%d", l.tp.name, len(l.tp.hubs)), turn: l.fresh(c.name + "_turn")}
	l.tp.hubs = append(l.tp.hubs, h)
	l.tp.kept = append(l.tp.kept, h.turn)
	fmt.Fprintf(&l.tp.begin, "int %s = irgl_hub_turn(&%s);\n", h.turn, h.name)
	l.text("__device__ struct irgl_hubs %s;\n", h.name)
	list := l.fresh(c.name + "_list")
	var save strings.Builder
	for _, k := range c.closure {
		l.text("__device__ %s %s_%s[%d];\n", k.typ, h.name, k.name, l.o.Limits.WithDefaults().HubLists)
		fmt.Fprintf(&save, "%s_%s[%s] = %s;\n", h.name, k.name, list, k.name)
	}
	return l.template(fmt.Sprintf(`if (%[1]s >= %[2]d) {
int %[3]s = irgl_hub_put(&%[4]s, %[5]s, %[6]s, %[1]s, %[7]d);
if (%[3]s >= 0) {
%[8]s%[1]s = 0;
}
}
`, c.size, least, list, h.name, h.turn, c.first, tile, save.String()))
}

// shareHubs returns what follows an outermost ForAll, at the end of the
// kernel: the grid meets, and shares what has been put off.
func (l *lowerer) shareHubs() []syntax.Stmt {
	if len(l.tp.hubs) == 0 {
		return nil
	}
	var out []syntax.Stmt
	if l.tp.late != "" { // the grid may not meet again
		out = append(out, l.template(l.addTallies(true))...)
	}
	out = append(out, l.template("irgl_grid_barrier();\n")...)
	for _, h := range l.tp.hubs {
		out = append(out, l.scoped(func() []syntax.Stmt { return l.shareHub(h) })...)
	}
	return out
}

// shareHub returns the executor of gr.
func (l *lowerer) shareHub(h *hub) []syntax.Stmt {
	c := *h.schedule
	tiles, tile, owner := l.fresh(c.name+"_tiles"), l.fresh(c.name+"_tile"), l.fresh(c.name+"_list")
	end, left := l.fresh(c.name+"_end"), l.fresh(c.name+"_left")
	l.tp.kept = append(l.tp.kept, tiles)
	count := ""
	if c.rounds = ""; len(c.queues) > 0 {
		c.rounds = l.fresh(c.name + "_rounds")
		count = "int " + c.rounds + " = 0;\n"
	}
	rd := l.stridedRound(&c, end, left, "threadIdx.x", "blockDim.x")
	var closure strings.Builder
	var restore []string
	if len(c.closure) > 0 {
		fmt.Fprintf(&closure, "int %s = %s.list[%s];\n", owner, h.name, tile)
	}
	for _, k := range c.closure {
		given := l.fresh(k.name + "_of")
		fmt.Fprintf(&closure, "%s %s = %s_%s[%s];\n", k.typ, given, h.name, k.name, owner)
		restore = append(restore, fmt.Sprintf("%s %s = %s;", k.typ, k.name, given))
	}
	rd.restore = func(int) []string { return restore }
	body := l.step(rd)
	late := ""
	if l.tp.late != "" {
		late = l.tp.late + " = true;\n"
	}
	text := fmt.Sprintf(`int %[1]s = irgl_hub_tiles(&%[2]s, %[3]s);
if (%[1]s > 0) {
%[4]s%[5]sfor (int %[6]s = (int)blockIdx.x; %[6]s < %[1]s; %[6]s += (int)gridDim.x) {
%[8]s %[9]s = (%[8]s)%[2]s.size[%[6]s];
%[8]s %[10]s = %[2]s.first[%[6]s] + %[9]s;
%[7]sfor (; %[9]s > 0; %[9]s = irgl_less(%[9]s, %[11]s)) {
if (threadIdx.x < %[9]s) { irgl_hole(0); }
%[12]s}
}
%[13]s}
`, tiles, h.name, h.turn, late, count, tile, closure.String(), c.typ, left, end, c.stride("blockDim.x"), l.full(&c), l.flush(c.queues, "0", false))
	return l.template(text, body)
}
