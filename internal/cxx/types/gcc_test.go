package types

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A callMaker writes random function templates and calls of them.
type callMaker struct {
	*world
	r       *rand.Rand
	classes map[string]Type
	wrap    *tmpl
}

// A randomCall is one template f<i> with a call.
type randomCall struct {
	patterns, args []Type
	lvalue         []bool
	params         []TemplateParam
	head           string
}

func (m *callMaker) one(n int) bool { return m.r.IntN(n) == 0 }

// instance interns the classes that substitution makes.
func (m *callMaker) make(t Template, args []Arg) (Type, error) {
	key := t.TemplateName() + m.ArgsKey(args)
	if x, ok := m.classes[key]; ok {
		return x, nil
	}
	c := &Class{Name: t.TemplateName(), Scope: global, Template: t, Args: args}
	x := m.Class(c)
	m.classes[key] = x
	return x, nil
}

// pattern makes a type with parameters at most depth levels deep.
func (m *callMaker) pattern(depth int) Type {
	if depth == 0 || m.one(4) {
		return []Type{m.T, m.T, m.U, m.i, m.f}[m.r.IntN(5)]
	}
	x := m.pattern(depth - 1)
	switch m.r.IntN(10) {
	case 0, 1:
		return m.Pointer(x)
	case 2:
		return m.Pointer(m.Qualify(x, Const))
	case 3:
		return m.Pointer(m.fn(x, m.pattern(depth-1)))
	case 4:
		return m.Spec(SpecInfo{Template: m.vec, Args: []Arg{typeArg(x), value(&ParamInfo{Index: 2, Name: "N"})}})
	case 5:
		return m.Spec(SpecInfo{Template: m.wrap, Args: []Arg{typeArg(x)}})
	case 6:
		return m.Ref(m.ArrayBound(x, value(&ParamInfo{Index: 2, Name: "N"})), false)
	case 7:
		return m.Ref(x, true)
	case 8:
		return m.Ref(m.Qualify(x, Const), false)
	}
	return x
}

// noRefs removes references inside of a type, where they may not be.
func (m *callMaker) usable(x Type) bool {
	s := x.String()
	for _, bad := range []string{"& *", "&*", "&>", "& >", "&[", "& const", "&,", "const &&[", "& (*", "&) *"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	return !strings.Contains(strings.TrimRight(s, "& "), "&") || strings.Contains(s, "(&)[")
}

func (m *callMaker) concrete() Type {
	return []Type{m.i, m.f, m.Basic(Char), m.Pointer(m.i), m.Pointer(m.Qualify(m.Basic(Char), Const))}[m.r.IntN(5)]
}

// call makes one call, whose arguments mostly match.
func (m *callMaker) call() (c randomCall, ok bool) {
	c.params = []TemplateParam{{Kind: TypeArg, Name: "T"}, {Kind: TypeArg, Name: "U"}, {Kind: ValueArg, Name: "N", Type: m.i}, {Kind: TypeArg, Name: "W", Pack: true}}
	c.head = "template <class T = float, class U = int, int N = 5, class... W> "
	t, u := typeArg(m.concrete()), typeArg(m.concrete())
	for range 1 + m.r.IntN(3) {
		p := m.pattern(3)
		if m.one(8) {
			t = typeArg(m.concrete()) // perhaps a conflict
		}
		s := Substitution{Table: m.Table, Args: [][]Arg{{t, u, intArg(m.Table, int64(2+m.r.IntN(2)))}}, Instance: m.make}
		a, err := s.Type(p)
		if err != nil || !m.usable(p) {
			return c, false
		}
		a = a.Unref()
		if m.one(10) {
			a = m.concrete()
		}
		if m.one(4) {
			a = m.Qualify(a, Const)
		}
		c.patterns, c.args = append(c.patterns, p), append(c.args, a)
		c.lvalue = append(c.lvalue, a.IsArray() || m.one(2))
	}
	if m.one(2) {
		m.packs(&c)
	}
	return c, true
}

// packs adds parameters of which a pack is part, and arguments for them.
func (m *callMaker) packs(c *randomCall) {
	w := m.Param(ParamInfo{Index: 3, Name: "W", Pack: true})
	ws := []Arg{typeArg(m.concrete()), typeArg(m.concrete()), typeArg(m.concrete())}[:m.r.IntN(4)]
	list := m.Expansion(w)
	around := []Type{m.Pointer(m.fn(m.T, list)), m.Spec(SpecInfo{Template: m.tup, Args: []Arg{pack(typeArg(list))}}), m.Pointer(m.fn(m.v, m.Pointer(m.i), m.Expansion(m.Pointer(w))))}
	if m.one(2) {
		p := around[m.r.IntN(len(around))]
		s := Substitution{Table: m.Table, Args: [][]Arg{{typeArg(m.f), typeArg(m.i), intArg(m.Table, 5), pack(ws...)}}, Instance: m.make}
		if a, err := s.Type(p); err == nil {
			c.patterns, c.args, c.lvalue = append(c.patterns, p), append(c.args, a), append(c.lvalue, true)
		}
	}
	if m.one(3) {
		return
	}
	elems := []Type{w, m.Pointer(w), m.Ref(m.Qualify(w, Const), false), m.Ref(w, true), m.Spec(SpecInfo{Template: m.wrap, Args: []Arg{typeArg(w)}}), m.Pointer(m.fn(w, w))}
	p := elems[m.r.IntN(len(elems))]
	c.patterns = append(c.patterns, m.Expansion(p))
	for _, a := range ws {
		if m.one(8) {
			a = typeArg(m.concrete())
		}
		s := Substitution{Table: m.Table, Args: [][]Arg{{{}, {}, {}, a}}, Instance: m.make}
		x, err := s.Type(p)
		if err != nil {
			panic(err)
		}
		c.args, c.lvalue = append(c.args, x.Unref()), append(c.lvalue, m.one(2))
	}
}

func TestDeduceAgainstGcc(t *testing.T) {
	if testing.Short() {
		t.Skip("runs g++")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	m := &callMaker{world: newWorld(), r: rand.New(rand.NewPCG(10, 7)), classes: map[string]Type{}, wrap: &tmpl{"wrap", global}}
	m.tup = &tmpl{"tup", global}
	var calls []randomCall
	for len(calls) < 1500 {
		if c, ok := m.call(); ok {
			calls = append(calls, c)
		}
	}
	dir := t.TempDir()
	errors := gccErrors(t, dir, source(calls, nil))
	var good []bool
	for i := range calls {
		_, bad := errors[i]
		good = append(good, !bad)
	}
	symbols := gccObject(t, dir, source(calls, good))
	agree, excused := 0, 0
	for i, c := range calls {
		got, err := m.deduce(&c, i)
		switch {
		case err != nil && !good[i]:
			agree++
		case err == nil && good[i] && slices.Contains(symbols, got):
			agree++
		case err == nil && !good[i] && conversion.MatchString(errors[i]):
			excused++ // deduced, and the caller refuses the conversion
		default:
			t.Errorf("%s\ngot %s, %v; g++ good %v %.600s", line(&c, i), got, err, good[i], errors[i])
		}
	}
	t.Logf("%d agree, %d are refused by conversions", agree, excused)
	if agree < len(calls)*3/4 {
		t.Errorf("only %d of %d calls agree", agree, len(calls))
	}
}

var conversion = regexp.MustCompile("cannot convert|cv-qualifiers|cannot bind|invalid conversion|discards|could not convert")

// deduce returns the symbol of what a call calls.
func (m *callMaker) deduce(c *randomCall, i int) (string, error) {
	d := Deduction{Params: c.params, Patterns: c.patterns}
	for k, a := range c.args {
		if !a.IsClass() && !c.lvalue[k] {
			a = a.Unqualified()
		}
		d.Args = append(d.Args, CallArg{Type: a, LValue: c.lvalue[k]})
	}
	d.Default = func(p int, _ []Arg) (Arg, bool, error) {
		switch p {
		case 0:
			return typeArg(m.f), true, nil
		case 1:
			return typeArg(m.i), true, nil
		case 2:
			return intArg(m.Table, 5), true, nil
		}
		return Arg{}, false, nil
	}
	if err := m.Deduce(&d); err != nil {
		return "", err
	}
	return Mangle(&Symbol{Name: fmt.Sprintf("f%d", i), Scope: global, Type: m.fn(m.v, c.patterns...), Template: true, Args: d.Result}), nil
}

// line returns a template, and the call if it is wanted, as one line.
func line(c *randomCall, i int) string {
	var params, args []string
	s := ""
	for _, p := range c.patterns {
		params = append(params, p.String())
	}
	for k := range c.args {
		name := fmt.Sprintf("a%d_%d", i, k)
		if c.lvalue[k] {
			s += "extern " + c.args[k].Declare(name) + "; "
		} else {
			s += fmt.Sprintf("using t%s = %s; t%s %s(); ", name, c.args[k], name, name)
			name += "()"
		}
		args = append(args, name)
	}
	return fmt.Sprintf("%s%svoid f%d(%s) {} void u%d() { f%d(%s); }", s, c.head, i, strings.Join(params, ", "), i, i, strings.Join(args, ", "))
}

// source returns a program with a call a line, of those that are good.
func source(calls []randomCall, good []bool) string {
	s := "template <class T, int N> struct vec {}; template <class T> struct wrap {}; template <class... T> struct tup {};\n"
	for i := range calls {
		if good == nil || good[i] {
			s += line(&calls[i], i)
		}
		s += "\n"
	}
	return s
}

var diagnostic = regexp.MustCompile(`^\S+\.cpp:(\d+):\d+: (error|note): `)

// gccErrors returns what g++ says of the calls that it refuses, by their numbers.
func gccErrors(t *testing.T, dir, text string) map[int]string {
	t.Helper()
	file := filepath.Join(dir, "a.cpp")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command("g++", "-std=c++17", "-w", "-fsyntax-only", "-fno-diagnostics-show-caret", file).CombinedOutput()
	errors := map[int]string{}
	at := -1
	for _, l := range strings.Split(string(out), "\n") {
		if d := diagnostic.FindStringSubmatch(l); d != nil {
			n, _ := strconv.Atoi(d[1])
			at = n - 2
		}
		if at >= 0 {
			errors[at] += l + "\n"
		}
	}
	return errors
}

// gccObject compiles a program and returns its symbols.
func gccObject(t *testing.T, dir, text string) []string {
	t.Helper()
	file, object := filepath.Join(dir, "b.cpp"), filepath.Join(dir, "b.o")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-std=c++17", "-w", "-c", file, "-o", object).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%.2000s", err, out)
	}
	out, err := exec.Command("nm", "-j", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
