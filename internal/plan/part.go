package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/suggest"
	"irgl/syntax"
)

// A part of a program is a kernel, or a block or loop of one. What an attribute of a part
// says is a choice and no decision: it is the value that a switch has in the part, and like
// a switch it applies where that is legal.
//
//	[[np(wp, fg)]] [[batch(4)]] Kernel K(graph) { ... }

// A Setting is a switch with its value, as the command line has them.
type Setting struct {
	Name, Value string
	From        *syntax.Attribute
}

// CoopLevels are the values of the switch coop.
var CoopLevels = [...]string{"none", "thread", "warp", "block"}

// limits reports whether the attribute, of n, limits a switch to a part of the program.
func (k *kind) limits(w *walk, n syntax.Node) bool {
	if k.part == nil || w.kind != syntax.KernelFunc {
		return false
	}
	switch n.(type) {
	case *syntax.FuncDecl:
		return true
	case *syntax.Block, syntax.Loop:
		switch k.name {
		case "coop":
			return true
		case "np", "batch":
			return slices.ContainsFunc(loopsIn(n), func(s *syntax.ForAllStmt) bool { return k.name == "batch" || !s.Serial })
		}
	}
	return false
}

// loopsIn returns the loops over ranges in a statement.
func loopsIn(n syntax.Node) []*syntax.ForAllStmt {
	var out []*syntax.ForAllStmt
	for c := range syntax.Preorder(n) {
		if s, ok := c.(*syntax.ForAllStmt); ok && c != n {
			out = append(out, s)
		}
	}
	return out
}

// part notes what an attribute of a part chooses.
func (r *reading) part(k *kind) string {
	list, wrong := k.part(r)
	for _, s := range list {
		s.From = r.attribute
		r.plan.Parts[r.node] = append(r.plan.Parts[r.node], s)
	}
	return wrong
}

func partDeal(r *reading) ([]Setting, string) {
	on, wrong := r.onOrNone()
	return []Setting{{Name: "deal", Value: strconv.FormatBool(on)}}, wrong
}

func partLdg(r *reading) ([]Setting, string) {
	on, wrong := r.onOrNone()
	return []Setting{{Name: "ldg", Value: strconv.FormatBool(on)}}, wrong
}

// partBackoff takes how the items that conflict are distributed, and up to how many one
// thread tries.
func partBackoff(r *reading) ([]Setting, string) {
	args := r.attribute.Args
	if len(args) == 0 {
		return nil, "backoff needs a distribution"
	}
	var out []Setting
	for i, a := range args {
		s := Setting{Name: "backoff", Value: a.String()}
		switch {
		case a.Word == "tail" && a.Number >= 0 && i == len(args)-1:
			if err := CheckItems(a.Number); err != nil {
				return nil, err.Error()
			}
			s = Setting{Name: "backoff-tail", Value: strconv.Itoa(a.Number)}
		case i > 0:
			return nil, fmt.Sprintf("%s is no argument of backoff behind another", a)
		case a.String() == "auto", a.String() == "list":
		case a.Word != "" && a.Word != "blocked":
			return nil, fmt.Sprintf("%s is no distribution%s", a, suggest.Hint(a.Word, []string{"auto", "list", "blocked"}))
		default:
			if err := CheckBackoff(a.Number); err != nil {
				return nil, err.Error()
			}
			s.Value = strings.ReplaceAll(a.String(), " ", "-")
		}
		out = append(out, s)
	}
	return out, ""
}

func partBatch(r *reading) ([]Setting, string) {
	n, eager, wrong := r.batch()
	return []Setting{{Name: "batch", Value: strconv.Itoa(n)}, {Name: "eager", Value: strconv.FormatBool(eager)}}, wrong
}

func partCoop(r *reading) ([]Setting, string) {
	args := r.attribute.Args
	switch {
	case len(args) != 1:
		return nil, "coop needs one level"
	case !slices.Contains(CoopLevels[:], args[0].String()):
		return nil, fmt.Sprintf("there is no level %s%s", args[0], suggest.Hint(args[0].String(), CoopLevels[:]))
	}
	return []Setting{{Name: "coop", Value: args[0].String()}}, ""
}

// partNP takes the policies, as readNP does, but that those without a size take it from the
// switches.
func partNP(r *reading) ([]Setting, string) {
	args := r.attribute.Args
	if len(args) == 1 && args[0].String() == "none" {
		return []Setting{{Name: "np", Value: "none"}}, ""
	}
	if len(args) == 0 {
		return nil, "np needs the policies that execute the loops"
	}
	var names []string
	sizes := []Setting{{Name: "np"}}
	last := -1
	for _, a := range args {
		p := slices.Index(PolicyNames[:], a.Word)
		switch {
		case p < 0:
			return nil, fmt.Sprintf("%s is no policy%s", a, suggest.Hint(a.Word, PolicyNames[:]))
		case p <= last:
			return nil, fmt.Sprintf("the policies take their shares in the order %s", strings.Join(PolicyNames[:], ", "))
		case a.Number == 0 || p == Serially && a.Number >= 0:
			return nil, fmt.Sprintf("%s is no size of a policy", a)
		}
		last, names = p, append(names, a.Word)
		if a.Number > 0 {
			sizes = append(sizes, Setting{Name: "np-" + a.Word, Value: strconv.Itoa(a.Number)})
		}
	}
	if last != Serially && args[len(args)-1].Number > 1 { // the rest stays, as with a statement
		names = append(names, PolicyNames[Serially])
	}
	sizes[0].Value = strings.Join(names, ",")
	return sizes, ""
}
