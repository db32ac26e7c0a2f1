package klap

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/syntax"
)

// Kernel launch promotion (KLAP, section III; Figures 5 to 7).
//
//	__global__ void k(int *p, int i, int sum) {	__global__ void k_from_kernel(int *p, pool) {
//		...                                    		if (!__klap_descendant(&__klap_at, pool)) return;
//		if (threadIdx.x == 0 && i > 0) {       		int i = slot->a1;
//			k<<<1, 32>>>(p, i - 1, sum + s);   		if (i > 0) __klap_descend_k(&__klap_at, ..., p, i - 1);
//		}                                      		else __klap_stop(&__klap_at);
//		...                                    		if (!__klap_acquire(&__klap_at)) goto __klap_end;
//	}                                          		int sum = slot->a2;
//	                                           		...
//	                                           		if (threadIdx.x == 0 && i > 0) {
//	                                           			__klap_release_k(&__klap_at, sum + s);
//	                                           		}
//	                                           		...
//	                                           	__klap_end:
//	                                           		__klap_finish(&__klap_at, 1, 0);
//	                                           	}
//
// The instances of a kernel that launches itself are a chain. The kernel k, with the name and the
// parameters that its launches know, is the first instance. All others are blocks of k_from_kernel, which one launch makes in pools of N
// (section III-B); without aggregation N is 1. An instance that is the last one of its pool launches the next pool at its begin.
//
// A parameter is passed on as it is, and then it is one of k_from_kernel; or its next value is known at
// the kernel's begin, or it is postponed. There are two chains of flags. The first one has the launch
// condition and the values that are known: if the condition is known at the begin (it is promoted), an instance passes it on
// at once. The second one has the postponed values, and is released in place of the launch. If the condition is not known, the next instance
// is speculated: there is the second chain alone, and the instance is ended if its parent ends without a launch.
//
// With overlap (section III-C) what is in front of a call of klap_overlap runs before the second chain is
// acquired. It must not use postponed parameters, which is checked, and not depend on what
// instances in front of it write behind the boundary, which is the program's promise.
//
// No deadlock. A block waits for the instance in front of it alone. In a pool that is a block that took its index earlier, so that it is
// resident or has ended, however few blocks are resident. For the first block of a pool it is the block that launched the pool.
// No block waits for a block that it launches, nor for the launch. So it does not matter when pools begin: while their
// parents run, as with CUDA's device runtime, or when they have ended, as with the queue that the host drains
// (package dynpar), where the first block finds its flags set.
//
// Grids may be 24 deep. Pools that would be deeper are tail launches, which begin when the grid that launches them is
// complete. What cannot be promoted at run time happens as in the program: if the pool of memory is exhausted, if a launch
// fails, and for launches of a second thread.
//
// Cost. A link is a release, the load that sees it, a barrier, and the stores and loads of postponed parameters, if they are not one word,
// which comes with the flag in a store of 64 bits: about a microsecond on
// an H200, where a tail launch takes 11. A link of launch conditions is no release, if one word or nothing is known at the begin: the next
// instance reads nothing else that this one has written. A pool adds a launch for N links; if the launch condition is known at the begin, the last instance of a
// pool launches the next one as soon as it has begun, which is early as the first chain of flags runs ahead. If
// instances are speculated, it does so when it is its turn, and the cost of the launch is that of the chain, an N-th a link. From the 24th
// pool on that is a tail launch, which begins when the pool in front has ended.

//go:embed promote.cu
var promoteLibrary string

// overlapNames are the symbols of the function that marks the boundary.
var overlapNames = map[string]bool{"klap_overlap": true, "_Z12klap_overlapv": true}

// maxDescendants is the most blocks that a pool may have.
const maxDescendants = 65535

// SetPromote reads none, or basic, aggregate:N and overlap with a comma between them; nothing is basic.
func (o *Options) SetPromote(text string) error {
	o.Promote, o.Aggregate, o.Overlap = false, 0, false
	if text == "none" {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		name, count, given := strings.Cut(word, ":")
		switch {
		case name == "aggregate" && given && o.Aggregate == 0:
			n, err := strconv.Atoi(count)
			if err != nil || n < 2 || n > maxDescendants {
				return fmt.Errorf("aggregate:%s: want a number of descendants from 2 to %d", count, maxDescendants)
			}
			o.Aggregate = n
		case word == "overlap" && !o.Overlap:
			o.Overlap = true
		case text == "basic" || text == "":
		default:
			return fmt.Errorf("want basic, aggregate:N, overlap, aggregate:N,overlap or none")
		}
	}
	o.Promote = true
	return nil
}

// descendants returns the blocks of a pool.
func (o Options) descendants() int { return max(1, o.Aggregate) }

// promote makes the instances of kernels that launch themselves begin before they are launched.
func promote(p *Program, run *pass.Run) error {
	if !p.o.Promote {
		return nil
	}
	list := p.sites()
	var promoted []*promotion
	for _, s := range list {
		if s.child != s.fn && (p.o.Granularity != None || p.o.Threshold != 0 || p.o.Coarsen != 0 && p.o.Coarsen != 1) {
			continue // other passes say what becomes of it
		}
		m, reason := p.promotion(s, list)
		s.reason = reason
		if reason == "" {
			promoted = append(promoted, m)
			p.note(run, s, m.done(), "")
			p.reported(s, "", "")
		} else {
			p.note(run, s, "", "not promoted")
			s.reason = ""
		}
	}
	if len(promoted) == 0 {
		return nil
	}
	for _, m := range promoted {
		for _, f := range reachable(m.fn) {
			unrestricted(f.Decl) // what instances in front write is read in the same grid
		}
	}
	p.promoted = map[string]bool{}
	file := *p.info.File
	file.Decls = nil
	for _, m := range promoted {
		for _, name := range []string{m.name(), m.fromKernel(), m.descend()} {
			p.promoted[name] = true
		}
	}
	first := map[string]*promotion{}
	for _, m := range promoted {
		first[m.name()] = m
	}
	for _, d := range p.info.File.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || named(promoted, f) == nil {
			file.Decls = append(file.Decls, d)
			continue
		}
		m := named(promoted, f)
		if first[m.name()] != nil {
			delete(first, m.name())
			file.Decls = append(file.Decls, m.front()...)
		}
		if f.Body == nil {
			file.Decls = append(file.Decls, d)
			continue
		}
		file.Decls = append(file.Decls, m.entry(), m.descendant())
	}
	file.Decls = p.withLibrary(file.Decls)
	if err := p.set(&file); err != nil {
		return fmt.Errorf("%w\n%s", err, syntax.String(&file))
	}
	return nil
}

func named(list []*promotion, f *syntax.FuncDecl) *promotion {
	for _, m := range list {
		if m.name() == f.Name.Name {
			return m
		}
	}
	return nil
}

// A passing says how the next instance has a parameter.
type passing uint8

const (
	same      passing = iota // it is passed on as it is
	known                    // its next value is known at the kernel's begin
	postponed                // its next value is known at the launch
)

// A promotion is a kernel that launches itself, and how it does.
type promotion struct {
	p  *Program
	fn *check.FuncInfo
	s  *site
	// pass says how parameters are passed on, and next has the values of those that are known, at the kernel's begin.
	pass []passing
	next []syntax.Expr
	// condition is that of the launch, at the kernel's begin; conditional says that it is known. Nil for
	// always, of the thread that launches.
	conditional bool
	condition   syntax.Expr
	block       [3]syntax.Expr // the size of the block, at the kernel's begin
	shared      syntax.Expr
	tail        bool // the launch waits for the grid's end
	boundary    int  // the index of the statement that marks the boundary; -1 for none
}

func (m *promotion) name() string       { return m.fn.Object.Name }
func (m *promotion) fromKernel() string { return m.name() + fromKernelSuffix }

// fromKernelSuffix is that of the kernel of all instances but the first.
const fromKernelSuffix = "_from_kernel"

func (m *promotion) descend() string { return "__klap_descend_" + m.name() }
func (m *promotion) release() string { return "__klap_release_" + m.name() }
func (m *promotion) tag() string     { return "__klap_slot_" + m.name() }

// done says what is done, for the report.
func (m *promotion) done() string {
	text := "promoted"
	if n := m.p.o.Aggregate; n > 0 {
		text += fmt.Sprintf(", %d descendants a launch", n)
	}
	if !m.conditional {
		text += ", speculated"
	}
	switch {
	case m.boundary >= 0:
		text += ", overlapped"
	case m.p.o.Overlap:
		text += "; no overlap, since the kernel does not call klap_overlap"
	}
	var names []string
	for i, q := range m.pass {
		if q == postponed {
			names = append(names, m.fn.Params[i].Name)
		}
	}
	if len(names) > 0 && m.conditional {
		text += "; postponed: " + strings.Join(names, ", ")
	}
	return text
}
