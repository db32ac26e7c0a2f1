package irgltest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// A decider puts random attributes on the statements of kernels.
type decider struct {
	*rand.Rand
	file *syntax.File
}

// attribute adds an attribute to a node in so many of ten cases.
func (d *decider) attribute(n syntax.Node, often int, name string, args ...string) {
	if d.IntN(10) >= often {
		return
	}
	a := &syntax.Attribute{Name: &syntax.Ident{Name: name}}
	for _, text := range args {
		word, number, numbered := strings.Cut(text, " ")
		arg := &syntax.AttributeArg{Word: word, Number: -1}
		if v, err := strconv.Atoi(word); err == nil {
			arg = &syntax.AttributeArg{Number: v}
		} else if numbered {
			arg.Number, _ = strconv.Atoi(number)
		}
		a.Args = append(a.Args, arg)
	}
	d.file.Attributes[n] = append(d.file.Attributes[n], a)
}

// policies returns some policies with sizes.
func (d *decider) policies() []string {
	var out []string
	for _, name := range plan.PolicyNames {
		if d.IntN(3) == 0 {
			out = append(out, fmt.Sprintf("%s %d", name, 1+d.IntN(12)))
		}
	}
	if len(out) == 0 {
		out = []string{"wp 1"}
	}
	last := len(out) - 1
	out[last], _, _ = strings.Cut(out[last], " ")
	return out
}

func (d *decider) level() string { return []string{"thread", "warp", "block"}[d.IntN(3)] }

// loop decides about a loop in so many parallel ones.
func (d *decider) loop(s *syntax.ForAllStmt, forAlls int) {
	switch {
	case forAlls == 0 && !s.Serial:
		d.attribute(s, 3, "deal")
		d.attribute(s, 5, "queue")
		d.part(s)
		return
	case !s.Serial:
		d.attribute(s, 7, "np", d.policies()...)
	}
	args := []string{strconv.Itoa(2 + d.IntN(4))}
	if d.IntN(3) == 0 {
		args = append(args, "eager")
	}
	d.attribute(s, 5, "batch", args...)
}

// part chooses for a kernel, or a loop or block with others in it.
func (d *decider) part(n syntax.Node) {
	d.attribute(n, 3, "np", d.policies()...)
	d.attribute(n, 3, "batch", strconv.Itoa(1+d.IntN(4)))
	d.attribute(n, 3, "coop", plan.CoopLevels[d.IntN(len(plan.CoopLevels))])
}

// decide goes through a statement in so many parallel ForAlls.
func (d *decider) decide(n syntax.Node, forAlls int) {
	switch s := n.(type) {
	case *syntax.ForAllStmt:
		d.loop(s, forAlls)
		if !s.Serial {
			forAlls++
		}
		d.decide(s.Body, forAlls)
		return
	case *syntax.ExprStmt:
		if text := syntax.String(s); strings.Contains(text, "WL.push(") {
			d.attribute(s, 6, "reserve", d.level())
		} else if strings.HasPrefix(text, "atomic") && d.IntN(2) == 0 {
			d.attribute(s, 8, "gather", d.level())
		} else if strings.Contains(text, "atomic") {
			d.attribute(s, 8, "lanes")
		}
		return
	case *syntax.Block:
		if strings.Contains(syntax.String(s), "ForAll") && forAlls > 0 {
			d.part(s)
		}
	case *syntax.RetryStmt:
		d.attribute(s, 6, "reserve", d.level())
		return
	}
	first := true
	syntax.Inspect(n, func(c syntax.Node) bool {
		if first {
			first = false
			return true
		}
		if s, ok := c.(syntax.Stmt); ok {
			d.decide(s, forAlls)
		}
		return false
	})
}

// decided returns a program with random attributes, of those that are legal, and how
// many there are.
func decided(t *testing.T, text string, seed uint64) (string, int) {
	t.Helper()
	d := &decider{Rand: rand.New(rand.NewPCG(seed, 9))}
	parse := func(text string) *syntax.File {
		var diags source.List
		f := syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags)
		if err := diags.Err(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return f
	}
	d.file = parse(text)
	d.file.Attributes = map[syntax.Node][]*syntax.Attribute{}
	for _, decl := range d.file.Decls {
		if f, ok := decl.(*syntax.FuncDecl); ok && f.Kind == syntax.KernelFunc {
			d.part(f)
			d.attribute(f, 2, "deal")
			d.decide(f.Body, 0)
		}
	}
	for range 100 {
		text = syntax.String(d.file)
		d.file = parse(text)
		var diags source.List
		info := check.Check(d.file, &diags)
		if diags.Errors() == 0 {
			if _, _, err := opt.Run(info, &diags, opt.Options{}); err == nil {
				n := 0
				for _, list := range d.file.Attributes {
					n += len(list)
				}
				return text, n
			}
		}
		refused := map[source.Pos]bool{}
		for _, diag := range diags.Diags {
			if !strings.HasPrefix(string(diag.Code), "A") && diag.Severity == source.Error {
				t.Fatalf("%v\n%s", diags.Err(), text)
			}
			refused[diag.Pos] = true
		}
		for n, list := range d.file.Attributes {
			var kept []*syntax.Attribute
			for _, a := range list {
				if !refused[a.Pos()] {
					kept = append(kept, a)
				}
			}
			d.file.Attributes[n] = kept
		}
	}
	t.Fatalf("no end of what is refused:\n%s", text)
	return "", 0
}

// inParts returns o with other switches for some kernels and loops of a program.
func inParts(t *testing.T, info *check.Info, o lower.Options, seed uint64) lower.Options {
	draw := rand.New(rand.NewPCG(seed, 10))
	for _, fn := range info.Funcs {
		if fn.Decl.Kind != syntax.KernelFunc {
			continue
		}
		for i := range 1 + len(opt.InnerLoops(fn)) {
			p := lower.Part{Kernel: fn.Object.Name, Loop: i}
			for _, one := range [][2]string{
				{"np", []string{"none", "wp", "tb,fg", "fg,serial", "gr,wp"}[draw.IntN(5)]}, {"batch", strconv.Itoa(1 << draw.IntN(3))},
				{"coop", plan.CoopLevels[draw.IntN(len(plan.CoopLevels))]},
			} {
				if draw.IntN(2) > 0 {
					continue
				}
				if err := o.Set(one[0], p.String()+":"+one[1]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return o
}

// TestAttributes compares the interpreter and the emulator on programs that decide
// themselves, each statement another way: what no switch can ask for.
func TestAttributes(t *testing.T) {
	total := 0
	for _, seed := range seeds(t, 24) {
		text, n := decided(t, Generate(seed), seed)
		total += n
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p, err := Load(fmt.Sprintf("seed%d", seed), text)
			if err != nil {
				t.Fatal(err)
			}
			variants := []Variant{
				{Name: "simt-attributes", Seed: seed % 11, Lower: lower.Options{BlockThreads: []int{32, 64, 96}[seed%3]}},
				{Name: "simt-attributes-all", Capacity: 1, Lower: lower.Options{Coop: lower.CoopLevel(seed % 4), NP: lower.Schedulers(seed % 32), BlockThreads: 64}},
			}
			variants[1].Lower = inParts(t, p.Info, variants[1].Lower, seed)
			if f := emulated(p, mustGenerate(t, "path:5", "star:70", "rmat:6:6"), variants); f != nil {
				t.Errorf("%v\n%s", f, text)
			}
		})
	}
	if total < 2*len(seeds(t, 24)) {
		t.Errorf("only %d attributes are legal", total)
	}
}
