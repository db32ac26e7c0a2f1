package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/plan"
	"irgl/internal/suggest"
)

// Switches are options as text, in the form that flags, tuning files and
// tables of measurements share: names and values in a fixed order, without
// those that are as in the zero Options.
//
//	outline=auto outline-threads=256 batch=4 coop=block np=wp,fg np=K2:tb np-wp=64 block=128

// A Switch is one option by its name.
type Switch struct {
	Name  string
	Usage string // what it does, with the name of its value in back quotes
	Unset string // the value that the zero Options have

	colons bool // its values have colons, so it cannot be limited to a part
	get    func(o *Options) string
	set    func(o *Options, value string) error
}

// Value returns the value of the switch in o, for the whole program.
func (s Switch) Value(o Options) string { return s.get(&o) }

// Switches returns the options that choose among executions of the same
// program, in the order in which [Options.String] writes them.
func Switches() []Switch { return slices.Clone(switches) }

var switches = []Switch{
	{
		Name: "outline", Usage: "run these loops of Host functions on the device: auto, none, or `NODES` as --explain numbers them, with commas between; dp, or dp and nodes: by a kernel that launches the others (dynamic parallelism)", Unset: "none",
		get: func(o *Options) string { return o.Outline.String() },
		set: func(o *Options, value string) (err error) {
			o.Outline, err = ParseOutline(value)
			return err
		},
	},
	count("outline-threads", "`THREADS` a block for outlined loops (0: 512 or what their kernels allow)", "0", func(o *Options) *int { return &o.OutlineThreads }, orZero(plan.CheckThreads)),
	count("outline-blocks", "`BLOCKS` a multiprocessor for outlined loops (0: 2 or what fits)", "0", func(o *Options) *int { return &o.OutlineBlocks }, orZero(plan.CheckBlocks)),
	{
		Name: "scope", Usage: "the threads that execute the rounds of outlined loops: `SCOPE` grid; block:N, one block for lists of up to N items; cluster:N, one cluster of 8 blocks, or of as many as cluster:N:BLOCKS says", Unset: "grid", colons: true,
		get: func(o *Options) string { return scopeText(o.Scope, o.Cluster) },
		set: func(o *Options, value string) (err error) {
			o.Scope, o.Cluster, err = parseScope(value)
			return err
		},
	},
	count("unroll", fmt.Sprintf("write `N` rounds of outlined Iterates and Pipes one after another, up to %d", maxUnroll), "1", func(o *Options) *int { return &o.Unroll }, checkUnroll),
	count("batch", fmt.Sprintf("begin `N` iterations of loops over edges at once, up to %d", plan.MaxBatch), "1", func(o *Options) *int { return &o.Batch }, plan.CheckBatch),
	onOff("eager", "with --batch, load also what an iteration may leave out", func(o *Options) *bool { return &o.Eager }),
	{
		Name: "coop", Usage: "what shares the atomics of pushes, reductions and counters: the operations of a thread, of a warp or of a block; `LEVEL` none, thread, warp, block", Unset: "none",
		get: func(o *Options) string { return plan.CoopLevels[o.Coop] },
		set: func(o *Options, value string) error {
			level := slices.Index(plan.CoopLevels[:], value)
			if level < 0 {
				return fmt.Errorf("there is no level %q (there are %s)%s", value, strings.Join(plan.CoopLevels[:], ", "), suggest.Hint(value, plan.CoopLevels[:]))
			}
			o.Coop = CoopLevel(level)
			return nil
		},
	},
	{
		Name: "np", Usage: "the threads that execute inner ForAlls: none, or a list of gr (grid), tb (block), wp (warp), fg (block, finely), serial: `POLICY`,...", Unset: "none",
		get: func(o *Options) string { return cmp.Or(o.NP.String(), "none") },
		set: func(o *Options, value string) (err error) {
			o.NP, err = parseSchedulers(value)
			return err
		},
	},
	count("np-gr", "inner loops from `SIZE` on are for gr (0: 4096)", "0", func(o *Options) *int { return &o.GridLoop }, orZero(plan.CheckSize)),
	count("np-tb", "inner loops from `SIZE` on are for tb (0: the block's)", "0", func(o *Options) *int { return &o.BlockLoop }, orZero(plan.CheckSize)),
	count("np-wp", "inner loops from `SIZE` on are for wp (0: 32)", "0", func(o *Options) *int { return &o.WarpLoop }, orZero(plan.CheckSize)),
	count("np-fg", "inner loops from `SIZE` on are for fg (0: 4, beside serial)", "0", func(o *Options) *int { return &o.FineLoop }, orZero(plan.CheckSize)),
	onOff("bounds", "have the items of worklists bring the bounds of their node's edges", func(o *Options) *bool { return &o.Bounds }),
	onOff("ahead", "with --outline, load the first item of each thread beside the count of the list", func(o *Options) *bool { return &o.Ahead }),
	onOff("deal", "with --np or --coop block, give the warps of a block iterations that lie apart", func(o *Options) *bool { return &o.Deal }),
	{
		Name: "backoff", Usage: "try items that conflict in a scattered order, one in `N` of them at once; list: in the order of the list; blocked-N: N consecutive ones by a thread; auto: scattered for Exclusive, list for Atomic", Unset: "auto",
		get: func(o *Options) string { return o.Backoff.text() },
		set: func(o *Options, value string) (err error) {
			o.Backoff.Order, o.Backoff.N, err = parseBackoff(value)
			return err
		},
	},
	count("backoff-tail", "have one thread try the items that conflict in lists of at most `ITEMS`, unless with --backoff=list", "0", func(o *Options) *int { return &o.Backoff.Serial }, orZero(plan.CheckItems)),
	count("block", "`THREADS` a block", "256", func(o *Options) *int { return &o.BlockThreads }, plan.CheckThreads),
	onOff("ldg", "load the graph by the path for what is only read", func(o *Options) *bool { return &o.ReadOnly }),
	onOff("ticket", "give the locks of Atomic in the order in which threads ask for them", func(o *Options) *bool { return &o.Ticket }),
}

// maxUnroll is how often a round may be written.
const maxUnroll = 16

// parseBackoff reads what the switch is given: auto, list, N or blocked-N.
func parseBackoff(value string) (Order, int, error) {
	switch value {
	case "auto":
		return AutoOrder, 0, nil
	case "list":
		return ListOrder, 0, nil
	}
	text, consecutive := strings.CutPrefix(value, "blocked-")
	n, err := strconv.Atoi(text)
	if err != nil || plan.CheckBackoff(n) != nil {
		return 0, 0, fmt.Errorf("%q is neither auto, list, blocked-N nor a number from 1 to %d", value, plan.MaxBackoff)
	}
	if consecutive {
		return Consecutive, n, nil
	}
	return Scattered, n, nil
}

// text is what parseBackoff reads.
func (b Backoff) text() string {
	switch b.Order {
	case AutoOrder:
		return "auto"
	case ListOrder:
		return "list"
	case Consecutive:
		return fmt.Sprintf("blocked-%d", b.N)
	}
	return strconv.Itoa(b.N)
}

// parseSchedulers reads a list of policies, or none.
func parseSchedulers(text string) (Schedulers, error) {
	var s Schedulers
	if text == "none" {
		return s, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		k := slices.Index(plan.PolicyNames[:], name)
		switch {
		case k < 0:
			return s, fmt.Errorf("there is no policy %q (there are %s, or none alone)%s", name, strings.Join(plan.PolicyNames[:], ", "), suggest.Hint(name, plan.PolicyNames[:]))
		case s&(1<<k) != 0:
			return s, fmt.Errorf("the policy %s is listed twice", name)
		}
		s |= 1 << k
	}
	return s, nil
}

// count is a switch with a number for a value, which check may refuse.
func count(name, usage, unset string, field func(*Options) *int, check func(int) error) Switch {
	return Switch{
		Name: name, Usage: usage, Unset: unset,
		get: func(o *Options) string {
			if *field(o) == 0 {
				return unset
			}
			return strconv.Itoa(*field(o))
		},
		set: func(o *Options, value string) error {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%q is not a number", value)
			}
			if err := check(n); err != nil {
				return err
			}
			*field(o) = n
			return nil
		},
	}
}

// onOff is a switch that is true or false.
func onOff(name, usage string, field func(*Options) *bool) Switch {
	return Switch{
		Name: name, Usage: usage, Unset: "false",
		get: func(o *Options) string { return strconv.FormatBool(*field(o)) },
		set: func(o *Options, value string) error {
			if value == "none" { // as in the attribute
				value = "false"
			}
			on, err := strconv.ParseBool(value)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false: limited to a kernel, a switch is KERNEL:true", value)
			}
			*field(o) = on
			return nil
		},
	}
}

// orZero is check for a switch whose value 0 leaves the choice to the compiler.
func orZero(check func(int) error) func(int) error {
	return func(n int) error {
		if n == 0 {
			return nil
		}
		return check(n)
	}
}

func checkUnroll(n int) error {
	if n < 1 || n > maxUnroll {
		return fmt.Errorf("a loop is unrolled by 1 to %d rounds", maxUnroll)
	}
	return nil
}

// Set sets the option of a name: to a value, to a part's with the part and a colon in front,
// or to several of these with ";" between. The error says what is wrong with the name or
// the value.
func (o *Options) Set(name, value string) error {
	k := slices.IndexFunc(switches, func(s Switch) bool { return s.Name == name })
	if k < 0 {
		var names []string
		for _, s := range switches {
			names = append(names, s.Name)
		}
		return fmt.Errorf("there is no switch %q (there are %s)%s", name, strings.Join(names, ", "), suggest.Hint(name, names))
	}
	out := *o
	for one := range strings.SplitSeq(value, ";") {
		if err := out.set(&switches[k], one); err != nil {
			return err
		}
	}
	*o = out
	return nil
}

// set sets the option of a switch, for the whole program or for a part of it.
func (o *Options) set(s *Switch, value string) error {
	if part, limited, ok := strings.Cut(value, ":"); ok && !s.colons {
		return o.setPart(s, part, limited)
	}
	return s.set(o, value)
}

// String returns the switches of o that are not as in the zero Options, with
// blanks between. [ParseOptions] reads it.
func (o Options) String() string {
	var out []string
	for _, s := range switches {
		if value := s.get(&o); value != s.Unset {
			out = append(out, s.Name+"="+value)
		}
		for _, p := range o.Parts {
			if p.Name == s.Name {
				out = append(out, p.String())
			}
		}
	}
	return strings.Join(out, " ")
}

// ParseOptions reads what [Options.String] writes; switches that are not there
// stay as in the zero Options. The value true may be left out.
func ParseOptions(text string) (Options, error) {
	var o Options
	for field := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(field, "=")
		if !given {
			value = "true"
		}
		if err := o.Set(name, value); err != nil {
			return Options{}, fmt.Errorf("%s: %w", field, err)
		}
	}
	return o, nil
}

// An Outline says which Pipes, Iterates and loops of Host functions run on the
// device: with the zero Outline none.
type Outline struct {
	Auto bool // all the outermost ones that can move and that loop
	// Nodes are numbers of nodes, as --explain gives them, that are to move: none of them
	// is in another.
	Nodes []int
	// Launches has the control kernels of them launch the kernels (dynamic parallelism)
	// instead of calling them.
	Launches bool
}

// Any reports whether any loop is to move.
func (o Outline) Any() bool { return o.Auto || len(o.Nodes) > 0 }

// ParseOutline reads what [Outline.String] writes: auto, none, or numbers with
// commas between; dp for auto by launches, or in front of numbers.
func ParseOutline(s string) (Outline, error) {
	switch s {
	case "auto":
		return Outline{Auto: true}, nil
	case "none":
		return Outline{}, nil
	case launchesWord:
		return Outline{Auto: true, Launches: true}, nil
	}
	var o Outline
	s, o.Launches = strings.CutPrefix(s, launchesWord+",")
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return Outline{}, fmt.Errorf("%q is neither auto nor none nor dp nor numbers of nodes", s)
		}
		if slices.Contains(o.Nodes, n) {
			return Outline{}, fmt.Errorf("node %d is listed twice", n)
		}
		o.Nodes = append(o.Nodes, n)
	}
	slices.Sort(o.Nodes)
	return o, nil
}

// launchesWord asks for control kernels that launch kernels.
const launchesWord = "dp"

func (o Outline) String() string {
	switch {
	case o.Auto && o.Launches:
		return launchesWord
	case o.Auto:
		return "auto"
	case o.Nodes == nil:
		return "none"
	}
	var words []string
	if o.Launches {
		words = append(words, launchesWord)
	}
	for _, n := range o.Nodes {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// parseScope reads what the switch is given: grid, block:N, cluster:N or
// cluster:N:BLOCKS.
func parseScope(value string) (items, cluster int, err error) {
	if value == "grid" {
		return 0, 0, nil
	}
	who, text, _ := strings.Cut(value, ":")
	if who == "cluster" {
		cluster = plan.ClusterBlocks
		if n, size, ok := strings.Cut(text, ":"); ok {
			text = n
			cluster, _ = strconv.Atoi(size) // 0 is no size
			if err := plan.CheckCluster(cluster); err != nil {
				return 0, 0, fmt.Errorf("%w, not %q", err, size)
			}
		}
	}
	items, err = strconv.Atoi(text)
	if who != "block" && who != "cluster" || err != nil {
		return 0, 0, fmt.Errorf("%q is neither grid nor block:N or cluster:N for lists of up to N items", value)
	}
	return items, cluster, plan.CheckItems(items)
}

// scopeText is what parseScope reads.
func scopeText(items, cluster int) string {
	switch {
	case items == 0:
		return "grid"
	case cluster == 0:
		return fmt.Sprintf("block:%d", items)
	case cluster == plan.ClusterBlocks:
		return fmt.Sprintf("cluster:%d", items)
	}
	return fmt.Sprintf("cluster:%d:%d", items, cluster)
}
