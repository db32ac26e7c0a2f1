package plan

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/source"
	"irgl/internal/suggest"
	"irgl/syntax"
)

// Read returns what the attributes of an IrGL program say. An attribute that there is
// not, that its statement cannot have, or with wrong arguments is an error.
func Read(f *syntax.File, diags *source.List) *Plan {
	p := new(Plan).Clone()
	if len(f.Attributes) == 0 {
		return p
	}
	w := &walk{}
	for _, d := range f.Decls {
		w.kind, w.forAlls = syntax.PlainFunc, 0
		if fn, ok := d.(*syntax.FuncDecl); ok {
			w.kind = fn.Kind
		}
		w.visit(d, func(n syntax.Node) {
			var before []string
			for _, a := range f.Attributes[n] {
				r := &reading{plan: p, node: n, attribute: a, diags: diags}
				r.read(w, before)
				before = append(before, a.Name.Name)
			}
		})
	}
	return p
}

// A walk is where in a program a statement is.
type walk struct {
	kind    syntax.FuncKind
	forAlls int // parallel ForAlls around it
}

// visit calls f with n and all nodes in it.
func (w *walk) visit(n syntax.Node, f func(syntax.Node)) {
	var open []bool // for each node around: it is a parallel ForAll
	syntax.Inspect(n, func(n syntax.Node) bool {
		if n == nil {
			if open[len(open)-1] {
				w.forAlls--
			}
			open = open[:len(open)-1]
			return true
		}
		f(n)
		s, ok := n.(*syntax.ForAllStmt)
		open = append(open, ok && !s.Serial)
		if ok && !s.Serial {
			w.forAlls++
		}
		return true
	})
}

// A reading is one attribute that is being read.
type reading struct {
	plan      *Plan
	node      syntax.Node
	attribute *syntax.Attribute
	diags     *source.List
}

func (r *reading) errorf(code source.Code, hint, format string, args ...any) {
	d := r.diags.Errorf(r.attribute.Pos(), r.attribute.End(), code, format, args...)
	d.Hint = hint
}

// read reads the attribute, which follows others of its statement.
func (r *reading) read(w *walk, before []string) {
	name := r.attribute.Name.Name
	k := kindOf(name)
	switch {
	case k == nil:
		names := Names()
		r.errorf(CodeUnknown, "there are "+strings.Join(names, ", "), "there is no attribute %s%s", name, suggest.Hint(name, names))
		return
	case !k.suitsNode(w, r.node) && !k.limits(w, r.node):
		hint := name + " is for " + k.suits
		if _, whole := r.node.(*syntax.FuncDecl); whole && w.kind == syntax.KernelFunc && (name == "queue" || slices.Contains(shareNames[:], name)) {
			hint += "; what all of a kernel shares is said by coop(LEVEL)"
		}
		r.errorf(CodeSuits, hint, "%s does not suit this statement", name)
		return
	case slices.Contains(before, name) && !k.calls:
		r.errorf(CodeArgs, "leave one of them out", "the statement has %s twice", name)
		return
	}
	var wrong string
	if k.suitsNode(w, r.node) {
		wrong = k.read(r)
	} else {
		wrong = r.part(k)
	}
	if wrong != "" {
		r.errorf(CodeArgs, "its form is "+k.form, "%s", wrong)
	}
}

// Names returns the names of the attributes.
func Names() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// none reports arguments of an attribute that has no any.
func (r *reading) none() string {
	if len(r.attribute.Args) > 0 {
		return r.attribute.Name.Name + " has no arguments"
	}
	return ""
}

// loop changes what is decided about the loop that the attribute is of.
func (r *reading) loop(change func(*Loop)) {
	s := r.node.(*syntax.ForAllStmt)
	l := r.plan.Loops[s]
	change(&l)
	r.plan.Loops[s] = l
}

func readThreads(r *reading) string {
	args := r.attribute.Args
	if len(args) != 1 || args[0].Word != "" {
		return "threads needs how many threads a block has"
	}
	if err := CheckThreads(args[0].Number); err != nil {
		return err.Error()
	}
	r.plan.Threads[r.node.(*syntax.FuncDecl)] = args[0].Number
	return ""
}

func readDeal(r *reading) string {
	on, wrong := r.onOrNone()
	r.loop(func(l *Loop) { l.Deal = on })
	return wrong
}

// onOrNone takes the argument none, or no argument.
func (r *reading) onOrNone() (on bool, wrong string) {
	if args := r.attribute.Args; len(args) == 1 && args[0].String() == "none" {
		return false, ""
	}
	return true, r.none()
}

func readQueue(r *reading) string {
	r.loop(func(l *Loop) { l.Queue = true })
	return r.none()
}

func readBatch(r *reading) string {
	n, eager, wrong := r.batch()
	if wrong == "" {
		r.loop(func(l *Loop) { l.Batch, l.Eager = n, eager })
	}
	return wrong
}

// batch takes the arguments of batch.
func (r *reading) batch() (n int, eager bool, wrong string) {
	args := r.attribute.Args
	if len(args) == 0 || args[0].Word != "" {
		return 0, false, "batch needs how many iterations are begun at once"
	}
	if err := CheckBatch(args[0].Number); err != nil {
		return 0, false, err.Error()
	}
	eager = len(args) == 2 && args[1].String() == "eager"
	if len(args) > 1 && !eager {
		return 0, false, fmt.Sprintf("%s is no argument of batch", args[1])
	}
	return args[0].Number, eager, ""
}

func readNP(r *reading) string {
	args := r.attribute.Args
	if len(args) == 1 && args[0].String() == "none" {
		r.loop(func(l *Loop) { l.NP = [Policies]int{} })
		return ""
	}
	if len(args) == 0 {
		return "np needs the policies that execute the loop"
	}
	var np [Policies]int
	last := -1
	for i, a := range args {
		p := slices.Index(PolicyNames[:], a.Word)
		switch {
		case p < 0:
			return fmt.Sprintf("%s is no policy%s", a, suggest.Hint(a.Word, PolicyNames[:]))
		case p <= last:
			return fmt.Sprintf("the policies take their shares in the order %s", strings.Join(PolicyNames[:], ", "))
		case a.Number == 0 || p == Serially && a.Number >= 0:
			return fmt.Sprintf("%s is no size of a policy", a)
		case a.Number < 0 && i < len(args)-1:
			return fmt.Sprintf("%s takes all, so that %s gets nothing", a, args[i+1].Word)
		}
		last, np[p] = p, max(a.Number, 1)
	}
	if last == ByGrid || np[last] > 1 {
		np[Serially] = 1
	}
	r.loop(func(l *Loop) { l.NP = np })
	return ""
}

// shares notes a share of the calls of a statement for which suits holds, or of those
// whose numbers the arguments say.
func (r *reading) shares(args []*syntax.AttributeArg, s Share, suits func(syntax.Node) bool) string {
	all := sites(r.node)
	var chosen []syntax.Node
	for _, a := range args {
		if a.Word != "" || a.Number < 1 || a.Number > len(all) {
			return fmt.Sprintf("%s is no number of a call: the statement has %d", a, len(all))
		}
		if !suits(all[a.Number-1]) {
			return fmt.Sprintf("%s does not suit %s", r.attribute.Name.Name, syntax.String(all[a.Number-1]))
		}
		chosen = append(chosen, all[a.Number-1])
	}
	if len(args) == 0 {
		chosen = slices.DeleteFunc(all, func(n syntax.Node) bool { return !suits(n) })
	}
	for _, n := range chosen {
		if _, twice := r.plan.Shares[n]; twice {
			return fmt.Sprintf("%s has two attributes that say how it shares its atomic", strings.TrimSuffix(syntax.String(n), ";"))
		}
		r.plan.Shares[n] = s
	}
	return ""
}

// level takes the level that comes first among the arguments.
func (r *reading) level() (l Level, rest []*syntax.AttributeArg, wrong string) {
	args := r.attribute.Args
	for l := Thread; l <= Block; l++ {
		if len(args) > 0 && args[0].String() == l.String() {
			return l, args[1:], ""
		}
	}
	return 0, nil, r.attribute.Name.Name + " needs a level, thread, warp or block"
}

func readEach(r *reading) string {
	return r.shares(r.attribute.Args, Share{}, func(syntax.Node) bool { return true })
}

func readReserve(r *reading) string {
	level, rest, wrong := r.level()
	if wrong != "" {
		return wrong
	}
	return r.shares(rest, Share{Reserve, level}, isPush)
}

func readGather(r *reading) string {
	level, rest, wrong := r.level()
	if wrong != "" {
		return wrong
	}
	return r.shares(rest, Share{Gather, level}, isAtomic)
}

func readLanes(r *reading) string { return r.shares(r.attribute.Args, Share{Lanes, Warp}, isAtomic) }

// change changes what is decided about the node of an outline tree that the attribute
// is of.
func (r *reading) change(change func(*Node)) {
	n := r.plan.Nodes[r.node]
	change(&n)
	r.plan.Nodes[r.node] = n
}

func readOutline(r *reading) string {
	n := Node{}
	for _, a := range r.attribute.Args {
		switch {
		case a.Word == "threads":
			if err := CheckThreads(a.Number); err != nil {
				return err.Error()
			}
			n.Threads = a.Number
		case a.Word == "blocks":
			if err := CheckBlocks(a.Number); err != nil {
				return err.Error()
			}
			n.Blocks = a.Number
		case a.String() == "dp":
			n.Launches = true
		default:
			return fmt.Sprintf("%s is no argument of outline", a)
		}
	}
	if n.Launches && n.Threads+n.Blocks > 0 {
		return "a control kernel that launches kernels has one thread: dp takes neither threads nor blocks"
	}
	r.change(func(to *Node) { to.Outline, to.Threads, to.Blocks, to.Launches = true, n.Threads, n.Blocks, n.Launches })
	return ""
}

func readScope(r *reading) string {
	args := r.attribute.Args
	if len(args) != 2 || args[1].Word != "" {
		return "scope needs block or a cluster, and the length of the worklist up to which it executes the rounds"
	}
	cluster := args[0].Number
	var err error
	switch {
	case args[0].String() == "block":
		cluster = 0
	case args[0].Word == "cluster":
		err = CheckCluster(cluster)
	default:
		return fmt.Sprintf("%s is neither block nor a cluster", args[0])
	}
	if err == nil {
		err = CheckItems(args[1].Number)
	}
	if err != nil {
		return err.Error()
	}
	r.change(func(n *Node) { n.Items, n.Cluster = args[1].Number, cluster })
	return ""
}
