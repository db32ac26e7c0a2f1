package tune

import (
	"slices"
	"strconv"
	"strings"

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
	Axes []Axis
	info *check.Info
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
	s := &Space{info: info, keys: map[string]string{}}
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
			a.Values = append(a.Values, separate(nodes)...)
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

// maxNodes is the maximum number of nodes of outline trees that are tried one by one.
const maxNodes = 8

// separate returns the numbers of the loops that can be outlined separately,
// besides outlining all: with a single one there is no choice.
func separate(nodes []opt.OutlineNode) []string {
	var out []string
	for _, n := range nodes {
		if len(n.Why) == 0 && n.Loops {
			out = append(out, strconv.Itoa(n.ID))
		}
	}
	if len(out) < 2 || len(out) > maxNodes {
		return nil
	}
	return out
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
	if key, ok := s.keys[text]; ok {
		return key, nil
	}
	lowered, err := loweredText(s.info, o)
	if err != nil {
		return "", err
	}
	key := ProgramHash([]byte(lowered))
	s.keys[text] = key
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

// value returns the value of a switch in o, in the axis's form.
func value(o lower.Options, a Axis) string {
	for field := range strings.FieldsSeq(o.String()) {
		if name, v, _ := strings.Cut(field, "="); name == a.Name {
			return v
		}
	}
	return a.Values[0]
}
