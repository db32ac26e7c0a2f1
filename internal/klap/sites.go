package klap

import (
	"regexp"
	"slices"
	"sync"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A site is a launch in device code.
type site struct {
	fn     *check.FuncInfo // that it is in
	launch *syntax.LaunchExpr
	child  *check.FuncInfo
	reason string // why it stays; "" if it is aggregated
	// again reports that a thread may execute it more than once: in a loop, or in a function. The
	// launches of such a kernel are a chain (chained), in which number is that of the launch.
	again, chained bool
	number         int
	loop           syntax.Node // the innermost one around it; nil for none
	// stream is what launches have in common that follow each other in the order of a thread's
	// execution; nil for launches without order.
	stream any
	// asks is the number of threads of the launch that do something; nil for those of its blocks.
	asks syntax.Expr
	// warps says that warps do the launch where its threads are few.
	warps bool
}

// The streams of device code that CUDA has names for.
const (
	nullStream      = 0
	blockStream     = 1 // cudaStreamLegacy
	perThreadStream = 2
	tailStream      = 3
	forgetStream    = 4
)

// onDevice reports whether f is code of the device.
func onDevice(f *check.FuncInfo) bool {
	return f.Decl.Attrs&(syntax.Global|syntax.Device) != 0
}

func isKernel(f *check.FuncInfo) bool { return f.Decl.Attrs.Has(syntax.Global) }

// sites returns the launches in device code, in the order of the text.
func (p *Program) sites() []*site {
	var out []*site
	for _, f := range p.info.Funcs {
		if !onDevice(f) || len(f.Launches) == 0 || p.promoted[f.Object.Name] {
			continue
		}
		byName := map[string]*check.FuncInfo{}
		for _, k := range f.Launches {
			byName[k.Object.Name] = k
		}
		var loops []syntax.Node
		jumps := jumpsBack(f.Decl)
		var visit func(n syntax.Node)
		visit = func(n syntax.Node) {
			_, loop := n.(syntax.Loop)
			if loop {
				loops = append(loops, n)
			}
			top := true
			syntax.Inspect(n, func(c syntax.Node) bool {
				if top {
					top = false
					return true
				}
				if c == nil {
					return false
				}
				visit(c)
				return false
			})
			if loop {
				loops = loops[:len(loops)-1]
			}
			if l, ok := n.(*syntax.LaunchExpr); ok {
				s := &site{fn: f, launch: l, again: len(loops) > 0 || jumps || !isKernel(f)}
				if len(loops) > 0 {
					s.loop = loops[len(loops)-1]
				}
				if id, ok := syntax.Unparen(l.Fun).(*syntax.Ident); ok {
					s.child = byName[id.Name]
				}
				out = append(out, s)
			}
		}
		visit(f.Decl.Body)
	}
	return out
}

// jumpsBack reports whether a function has a goto behind its label.
func jumpsBack(f *syntax.FuncDecl) bool {
	labels, back := map[string]bool{}, false
	for n := range syntax.Preorder(f) {
		switch n := n.(type) {
		case *syntax.LabelStmt:
			labels[n.Name.Name] = true
		case *syntax.GotoStmt:
			back = back || labels[n.Name.Name]
		}
	}
	return back
}

// Reasons why a launch stays.
const (
	reasonStream  = "launches of a block into its default stream run one after the other, and joined they would not: launch into cudaStreamFireAndForget or a stream that the thread creates, or compile with --default-stream=per-thread"
	reasonTail    = "tail launches run one after the other when their grid is complete"
	reasonUnknown = "its stream may have other launches: it is no variable that cudaStreamCreateWithFlags sets in this function and that only launches use"
	reasonBefore  = "another launch into its stream stays, and would come before it"
	reasonCopy    = "the kernel has asynchronous copies, which wait for launches in front of them in their stream"
	reasonLoop    = "the launches of a thread into its stream follow each other, and there may be several: the launch of a group of blocks has no order of that kind"
	reasonMixed   = "the kernel launches in loops or functions, too, and all launches of a group of blocks have no order then"
	reasonOutside = "the kernel is defined in another file"
	reasonPointer = "the function that launches is called through a pointer, or by the host"
	reasonExit    = "threads may leave the kernel by exit in asm, before its end"
)

// streams says which launches may be joined, by their streams.
func (p *Program) streams(list []*site) {
	for _, s := range list {
		reason := ""
		number, known := p.number(s.launch.Stream)
		switch {
		case s.launch.Stream == nil || known && number < tailStream:
			s.stream = nullStream
			if p.o.PerThread {
				break
			}
			if number == perThreadStream {
				s.stream = perThreadStream
			} else {
				reason = reasonStream
			}
		case known && number == tailStream:
			reason = reasonTail
		case known && number == forgetStream:
		default:
			if o := p.private(s); o == nil {
				reason = reasonUnknown
			} else if !s.again || !p.once(s, o, list) {
				s.stream = o
			}
		}
		if reason == "" && s.again && s.stream != nil && p.o.Granularity >= Multiblock {
			reason = reasonLoop
		}
		if s.reason == "" {
			s.reason = reason
		}
	}
}

// once reports whether a stream has one launch: the variable is declared in the loop or function of the
// launch, and no other launch uses it.
func (p *Program) once(s *site, o *check.Object, list []*site) bool {
	for _, other := range list {
		if other != s && other.fn == s.fn && p.variable(other.launch.Stream) == o {
			return false
		}
	}
	if s.loop == nil {
		return !jumpsBack(s.fn.Decl)
	}
	for n := range syntax.Preorder(s.loop) {
		if n == o.Decl {
			return true
		}
	}
	return false
}

// number returns the value of a stream that is a number.
func (p *Program) number(x syntax.Expr) (int64, bool) {
	for x != nil {
		if c := p.info.Consts[x]; c != nil {
			return c.Int, true
		}
		switch y := x.(type) {
		case *syntax.ParenExpr:
			x = y.X
		case *syntax.CastExpr:
			x = y.X
		default:
			return 0, false
		}
	}
	return 0, false
}

// private returns the variable that a launch's stream is, if only cudaStreamCreateWithFlags
// sets it and only launches use it; else nil.
func (p *Program) private(s *site) *check.Object {
	o := p.variable(s.launch.Stream)
	if o == nil || o.Kind != check.VarObj || o.Global {
		return nil
	}
	good := map[*syntax.Ident]bool{}
	mark := func(x syntax.Expr) {
		for id := range idents(x) {
			if p.variable(x) == o {
				good[id] = true
			}
		}
	}
	uses := 0
	for n := range syntax.Preorder(s.fn.Decl.Body) {
		switch n := n.(type) {
		case *syntax.LaunchExpr:
			mark(n.Stream)
		case *syntax.CallExpr:
			switch tree.Callee(n) {
			case "_Z25cudaStreamCreateWithFlagsPP11CUstream_stj", "cudaStreamCreateWithFlags":
				if len(n.Args) == 0 {
					continue
				}
				if a, ok := uncast(n.Args[0]).(*syntax.UnaryExpr); ok && a.Op == "&" {
					mark(a.X)
				}
			case "_Z17cudaStreamDestroyP11CUstream_st", "cudaStreamDestroy":
				for _, a := range n.Args {
					mark(a)
				}
			}
		}
	}
	for id := range idents(s.fn.Decl.Body) {
		if p.info.Uses[id] == o {
			if uses++; !good[id] {
				return nil
			}
		}
	}
	return o
}

// variable returns the object of a name, in casts and parentheses or not.
func (p *Program) variable(x syntax.Expr) *check.Object {
	if x == nil {
		return nil
	}
	if id, ok := uncast(x).(*syntax.Ident); ok {
		return p.info.Uses[id]
	}
	return nil
}

// uncast returns x without casts and parentheses.
func uncast(x syntax.Expr) syntax.Expr {
	for {
		switch y := x.(type) {
		case *syntax.ParenExpr:
			x = y.X
		case *syntax.CastExpr:
			x = y.X
		default:
			return x
		}
	}
}

// idents are the names in n.
func idents(n syntax.Node) func(func(*syntax.Ident) bool) {
	return func(yield func(*syntax.Ident) bool) {
		if n == nil {
			return
		}
		for c := range syntax.Preorder(n) {
			if id, ok := c.(*syntax.Ident); ok && !yield(id) {
				return
			}
		}
	}
}

// copies matches functions of device code whose work waits for launches into a stream.
var copies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`cuda(Memcpy|Memset)\w*Async|cudaEventRecord|cudaStreamWaitEvent`)
})

// wait refuses launches into streams in kernels with copies into some stream.
func (p *Program) wait(kernels []*kernel) {
	for _, k := range kernels {
		found := false
		for _, f := range reachable(k.fn) {
			for n := range syntax.Preorder(f.Decl) {
				c, ok := n.(*syntax.CallExpr)
				found = found || ok && copies().MatchString(tree.Callee(c))
			}
		}
		for _, s := range k.all {
			if found && s.stream != nil && s.reason == "" {
				s.reason = reasonCopy
			}
		}
	}
}

// mixed refuses launches over several blocks that follow each other, in kernels whose threads have chains of launches.
func (p *Program) mixed(kernels []*kernel) {
	for _, k := range kernels {
		again, n := false, map[any]int{}
		for _, s := range k.all {
			if s.reason == "" {
				again = again || s.again
				n[s.stream]++
			}
		}
		for _, s := range k.all {
			if again && s.reason == "" && s.stream != nil && n[s.stream] > 1 && p.o.Granularity >= Multiblock {
				s.reason = reasonMixed
			}
		}
	}
}

// follow refuses launches whose stream has another launch of the kernel that stays: what is deferred
// would come behind it. Streams of different kernels have nothing to do with each other.
func follow(kernels []*kernel) {
	for changed := true; changed; {
		changed = false
		for _, k := range kernels {
			for _, stays := range k.all {
				if stays.reason == "" || stays.stream == nil {
					continue
				}
				for _, s := range k.all {
					if s.reason == "" && s.stream == stays.stream {
						s.reason, changed = reasonBefore, true
					}
				}
			}
		}
	}
}

// A kernel is one whose threads launch, in its text or in functions that it calls.
type kernel struct {
	fn *check.FuncInfo
	// all are its launches, in the order of the functions, and sites those that are aggregated.
	all, sites []*site
	// ordered says that aggregated launches of a thread must keep their order.
	ordered bool
	// chained says that threads have chains of launches, since one may happen more than once.
	chained bool
	// behind says that the host launches what its grid leaves.
	behind bool
}

// kernels returns the kernels that launch, with their launches.
func (p *Program) kernels(list []*site) []*kernel {
	var out []*kernel
	for _, f := range p.info.Funcs {
		if !isKernel(f) {
			continue
		}
		k := &kernel{fn: f}
		for _, g := range reachable(f) {
			for _, s := range list {
				if s.fn == g {
					k.all = append(k.all, s)
				}
			}
		}
		if len(k.all) > 0 {
			out = append(out, k)
		}
	}
	return out
}

// reachable returns the functions that f calls, f first, without those called through pointers.
func reachable(f *check.FuncInfo) []*check.FuncInfo {
	out := []*check.FuncInfo{f}
	for i := 0; i < len(out); i++ {
		for _, g := range out[i].Calls {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// settle keeps the launches that are aggregated, and says whether they have an order.
func (k *kernel) settle() {
	k.sites = nil
	seen := map[any]bool{}
	for _, s := range k.all {
		if s.reason != "" {
			continue
		}
		k.sites = append(k.sites, s)
		if s.stream != nil {
			k.ordered = k.ordered || seen[s.stream] || s.again
			seen[s.stream] = true
		}
		k.chained = k.chained || s.again
	}
	for _, s := range k.sites {
		s.chained = s.chained || k.chained
	}
}
