package tune

import (
	"slices"
	"strings"
	"sync"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/opt"
)

// An Axis is a switch and its candidate values for one program; the first is
// the value when the switch is not given.
type Axis struct {
	Name   string
	Values []string
	// Fine says that the switch tunes others: a threshold, or a size. It is
	// searched last.
	Fine bool
}

// A Space is the search space for one program.
type Space struct {
	Axes  []Axis
	Parts []lower.Part // of the program, to which switches may be limited
	info  *check.Info

	mu   sync.Mutex
	keys map[string]string // CUDA texts by switches, a cache of lowering
}

// worth lists the candidate values of switches, in the order of trial. Values
// unknown to this compiler are ignored, so a policy may be listed before it
// exists; unlisted switches are candidates only if they are boolean.
var worth = []Axis{
	{"outline", []string{"none", "auto"}, false},
	{"batch", []string{"1", "2", "4", "8"}, false},
	{"coop", []string{"none", "warp", "block", "thread"}, false},
	{"np", []string{"none", "fg", "wp", "tb", "wp,fg", "tb,fg", "tb,wp", "tb,wp,fg", "gr,fg", "gr,wp,fg", "gr,tb,wp,fg", "gr,wp,serial", "wp,serial", "tb,wp,serial"}, false},
	{"eager", []string{"false", "true"}, true},
	{"bounds", []string{"false", "true"}, true},
	{"scope", []string{"grid", "block:512", "block:2048", "cluster:2048", "cluster:8192"}, true},
	{"unroll", []string{"1", "2"}, true},
	{"block", []string{"256", "128", "512", "1024"}, true},
	{"outline-threads", []string{"0", "128", "256", "1024"}, true},
	{"outline-blocks", []string{"0", "1", "4", "6"}, true},
	{"backoff", []string{"auto", "1", "4", "16", "blocked-4", "blocked-16", "list"}, true},
	{"backoff-tail", []string{"0", "32", "256"}, true},
	{"np-gr", []string{"0", "256", "1024", "16384"}, true},
	{"np-tb", []string{"0", "512", "2048"}, true},
	{"np-wp", []string{"0", "16", "64", "128"}, true},
	{"np-fg", []string{"0", "2", "8"}, true},
}

// bases are the settings of other switches with which a value is tested for an
// effect on the program.
var bases = []string{"", "outline=auto batch=4 coop=block np=tb,wp,fg", "np=wp,fg,serial"}

// SpaceOf returns the switches that affect a program, with those values that give
// distinct programs. It compares the results of lowering, so it is exact. Clusters
// of blocks are candidates only for devices that have them, and for graphs with many
// iterations of little work.
func SpaceOf(info *check.Info, clusters bool) (*Space, error) {
	s := &Space{Parts: parts(info), info: info, keys: map[string]string{}}
	if _, err := s.Key(lower.Options{}); err != nil {
		return nil, err
	}
	nodes, err := opt.Explain(info, opt.Options{})
	if err != nil {
		return nil, err
	}
	for _, a := range candidates(nodes) {
		if a.Name == "scope" && !clusters {
			a.Values = slices.DeleteFunc(a.Values, func(v string) bool { return strings.HasPrefix(v, "cluster:") })
		}
		kept := Axis{Name: a.Name, Fine: a.Fine}
		seen := map[string]bool{}
		for _, v := range a.Values {
			if made := s.made(a.Name, v); !seen[made] {
				seen[made] = true
				kept.Values = append(kept.Values, v)
			}
		}
		if len(kept.Values) > 1 {
			s.Axes = append(s.Axes, kept)
		}
	}
	return s, nil
}

// candidates returns all switches with their candidate values, for a program with these
// nodes of outline trees.
func candidates(nodes []opt.OutlineNode) []Axis {
	var out []Axis
	known := map[string]bool{}
	for _, a := range worth {
		known[a.Name] = true
		a.Values = slices.DeleteFunc(slices.Clone(a.Values), func(v string) bool {
			return new(lower.Options).Set(a.Name, v) != nil
		})
		if a.Name == "outline" {
			a.Values = append(a.Values, nodeSets(nodes)...)
		}
		if len(a.Values) > 1 {
			out = append(out, a)
		}
	}
	for _, w := range lower.Switches() {
		if !known[w.Name] && w.Unset == "false" {
			out = append(out, Axis{w.Name, []string{"false", "true"}, true})
		}
	}
	return out
}

// The bounds of the search over nodes of outline trees: with more nodes none is tried by
// itself, and of the sets of several the smaller ones come first.
const (
	maxNodes    = 8
	maxNodeSets = 16
)

// nodeSets returns the sets of loops that can be outlined, of which none is in another,
// besides outlining all: with a single one there is no choice.
func nodeSets(nodes []opt.OutlineNode) []string {
	var can []int // indices of nodes
	for i, n := range nodes {
		if len(n.Why) == 0 && n.Loops {
			can = append(can, i)
		}
	}
	if len(can) < 2 || len(can) > maxNodes {
		return nil
	}
	// A node is in another if it comes after it, deeper, with none as high between.
	inside := func(i, j int) bool {
		return i > j && !slices.ContainsFunc(nodes[j+1:i+1], func(n opt.OutlineNode) bool { return n.Depth <= nodes[j].Depth })
	}
	sets := [][]int{nil}
	var out []string
	for len(sets) > 0 && len(out) < maxNodeSets {
		set := sets[0]
		sets = sets[1:]
		if set != nil {
			out = append(out, nodeNumbers(nodes, set))
		}
		for _, i := range can {
			if (set == nil || i > set[len(set)-1]) && !slices.ContainsFunc(set, func(j int) bool { return inside(i, j) }) {
				sets = append(sets, append(slices.Clone(set), i))
			}
		}
	}
	return out
}

// nodeNumbers returns a set of nodes as the switch outline takes it.
func nodeNumbers(nodes []opt.OutlineNode, set []int) string {
	var o lower.Outline
	for _, i := range set {
		o.Nodes = append(o.Nodes, nodes[i].ID)
	}
	return o.String()
}

// made returns the programs that a value of a switch gives with each of the
// bases: values with the same result are equivalent.
func (s *Space) made(name, value string) string {
	var b strings.Builder
	for _, text := range bases {
		o, err := lower.ParseOptions(text)
		if err == nil {
			err = o.Set(name, value)
		}
		key := ""
		if err == nil {
			key, err = s.Key(o)
		}
		if err != nil { // not a candidate: it cannot be compiled
			key = "refused"
		}
		b.WriteString(key + " ")
	}
	return b.String()
}

// Key returns a canonical key: combinations that give the same program have
// the same key.
func (s *Space) Key(o lower.Options) (string, error) {
	text := o.String()
	s.mu.Lock()
	key, known := s.keys[text]
	s.mu.Unlock()
	if known {
		return key, nil
	}
	lowered, err := loweredText(s.info, o)
	if err != nil {
		return "", err
	}
	key = ProgramHash([]byte(lowered))
	s.mu.Lock()
	s.keys[text] = key
	s.mu.Unlock()
	return key, nil
}

// Size returns the number of combinations of the switches that are not fine.
func (s *Space) Size() int {
	n := 1
	for _, a := range s.Axes {
		if !a.Fine {
			n *= len(a.Values)
		}
	}
	return n
}

// All returns every combination of the switches that are not fine.
func (s *Space) All() []lower.Options {
	all := []lower.Options{{}}
	for _, a := range s.Axes {
		if a.Fine {
			continue
		}
		var next []lower.Options
		for _, o := range all {
			for _, v := range a.Values {
				if o.Set(a.Name, v) == nil {
					next = append(next, o)
				}
			}
		}
		all = next
	}
	return all
}

// sets reports whether o has a value of a switch that is not the first of its axis, for the
// program or for a part of it.
func sets(o lower.Options, a Axis) bool {
	i := slices.IndexFunc(lower.Switches(), func(s lower.Switch) bool { return s.Name == a.Name })
	return lower.Switches()[i].Value(o) != a.Values[0] || slices.ContainsFunc(o.Parts, func(p lower.PartSwitch) bool { return p.Name == a.Name && p.Value != a.Values[0] })
}
