package types

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/golden"
)

// A classMaker writes random classes as C++ and as types.
type classMaker struct {
	r       *rand.Rand
	tab     *Table
	classes []*Class
	src     strings.Builder
	shares  bool // fields may be [[no_unique_address]]
}

func newClassMaker(seed uint64) *classMaker {
	m := &classMaker{r: rand.New(rand.NewPCG(seed, 1)), tab: NewTable()}
	m.src.WriteString(`#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <type_traits>
alignas(64) static char buf[1 << 20];
static void bits() {
	int first = -1, n = 0;
	for (int i = 0; i < 8 * (int)sizeof buf && i < 800000; i++)
		if (buf[i / 8] >> (i % 8) & 1) { if (first < 0) first = i; n++; }
	printf(" %d:%d", first, n);
	memset(buf, 0, sizeof buf);
}
struct member { int m; };
`)
	for range 3 {
		m.add(&Class{}, "struct", "")
	}
	return m
}

func (m *classMaker) one(n int) bool { return m.r.IntN(n) == 0 }

// add lays out a class and writes it.
func (m *classMaker) add(c *Class, keyword, body string) {
	c.Name = fmt.Sprintf("C%d", len(m.classes))
	if err := Layout(c); err != nil {
		panic(err)
	}
	fmt.Fprintf(&m.src, "%s %s%s\n", keyword, strings.ReplaceAll(m.head(c), "%", ""), strings.ReplaceAll(body, "@", c.Name))
	if body == "" {
		m.src.WriteString("{ static void dump() {} };\n")
	}
	m.classes = append(m.classes, c)
}

func (m *classMaker) head(c *Class) string {
	s := ""
	if c.MinAlign > 0 {
		s += fmt.Sprintf("__attribute__((aligned(%d))) ", c.MinAlign)
	}
	if c.Packed {
		s += "__attribute__((packed)) "
	}
	s += c.Name
	for i, b := range c.Bases {
		s += []string{" : ", ", "}[min(i, 1)] + []string{"public ", "protected ", "private "}[b.Access] + "::" + b.Class.Name
	}
	return s
}

var scalarKinds = []Kind{Bool, Char, UShort, Short, Int, UInt, Long, ULongLong, Float, Double, LongDouble, Int128, Char, Char, Int}

func (m *classMaker) fieldType(union bool) Type {
	var x Type
	switch n := m.r.IntN(12); {
	case n < 7:
		x = m.tab.Basic(scalarKinds[m.r.IntN(len(scalarKinds))])
	case n == 7:
		x = m.tab.Pointer(m.tab.Basic(Int))
	case n == 8 && !union && m.one(2):
		return m.tab.Ref(m.tab.Basic(Int), false)
	case n == 8:
		x = m.tab.MemberPointer(m.tab.Class(&Class{Name: "member"}), m.tab.Basic(Int))
	default:
		x = m.tab.Class(m.pick())
		x.Class.Scope = global
	}
	for m.one(5) {
		x = m.tab.Array(x, int64(1+m.r.IntN(3)))
	}
	return x
}

// pick returns a class, most often a recent or an empty one.
func (m *classMaker) pick() *Class {
	if m.one(3) {
		return m.classes[m.r.IntN(3)]
	}
	return m.classes[max(0, len(m.classes)-1-m.r.IntN(12))]
}

func (m *classMaker) bases(c *Class) {
	for m.one(2) && len(c.Bases) < 4 {
		b := m.pick()
		if b.Union || b.Size > 4096 || slices.ContainsFunc(c.Bases, func(x Base) bool { return x.Class == b }) {
			continue
		}
		c.Bases = append(c.Bases, Base{Class: b, Access: []Access{Public, Public, Public, Private}[m.r.IntN(4)]})
	}
}

var bitKinds = []Kind{UChar, UShort, UInt, ULong, UInt, UInt, Bool}

// bitField makes a bit-field, unnamed for a third of them.
func (m *classMaker) bitField(f *Field) string {
	f.Type = m.tab.Basic(bitKinds[m.r.IntN(len(bitKinds))])
	full := int(f.Type.Size()) * 8
	if f.Type.Kind == Bool {
		full = 1
	}
	f.Width = 1 + m.r.IntN(full)
	if m.one(30) {
		f.Width = full + 1 + m.r.IntN(100)
	}
	if m.one(4) {
		f.Name = ""
		if m.one(2) {
			f.Width = 0
		}
	}
	return fmt.Sprintf("%s : %d", f.Type.Declare(f.Name), f.Width)
}

func (m *classMaker) fields(c *Class, body *strings.Builder) {
	for i := m.r.IntN(7); i > 0; i-- {
		f := &Field{Name: fmt.Sprintf("f%d", len(c.Fields)), Width: -1}
		decl := ""
		if m.one(3) {
			decl = m.bitField(f)
		} else {
			f.Type = m.fieldType(c.Union)
			if f.Type.Size() > 1<<12 {
				continue
			}
			decl = f.Type.Declare(f.Name)
			if f.Type.Element().IsClass() { // not the private injected name of a base
				decl = "::" + decl
			}
			if !c.Union && f.Type.Is(Int) && f.Width < 0 && m.one(6) {
				c.Declares |= DefaultInit
				decl += " = 1"
			}
		}
		if f.Name != "" && m.one(10) {
			f.Align = max(f.Type.Align(), 4<<m.r.IntN(4))
			decl = fmt.Sprintf("alignas(%d) %s", f.Align, decl)
		}
		if m.shares && f.Width < 0 && m.one(2) {
			f.Shares = true
			decl = "[[no_unique_address]] " + decl
		}
		if !c.Union && f.Name != "" && m.one(9) {
			f.Access = Private
			body.WriteString("private: ")
		}
		fmt.Fprintf(body, "%s; public:\n", decl)
		c.Fields = append(c.Fields, f)
	}
}

var declared = []struct {
	bits SpecialMembers
	text string
}{
	{AnyConstructor | UserConstructor | UserDefault, "@();"},
	{AnyConstructor | UserConstructor, "@(int, int);"},
	{AnyConstructor | DefaultedDefault, "@() = default;"},
	{AnyConstructor, "@(const @ &) = default;"},
	{AnyConstructor | UserConstructor | UserCopy, "@(const @ &);"},
	{UserCopyAssign, "@ &operator=(const @ &);"},
	{UserMoveAssign, "@ &operator=(@ &&);"},
	{UserDestructor, "~@();"},
	{0, "~@() = default;"},
	{AnyConstructor | UserConstructor | DefaultedDefault, "explicit @() = default;"},
}

// class makes one random class, whose dump prints what g++ says of it.
func (m *classMaker) class() {
	c := &Class{}
	keyword := "struct"
	if m.one(8) {
		c.Union, keyword = true, "union"
	} else {
		m.bases(c)
	}
	var body strings.Builder
	body.WriteString(" {\npublic:\n")
	c.Packed = m.one(8)
	if m.one(12) {
		c.MinAlign = 1 << m.r.IntN(6)
	}
	pack := m.one(8)
	if pack {
		c.Pack = 1 << m.r.IntN(5)
		fmt.Fprintf(&m.src, "#pragma pack(push, %d)\n", c.Pack)
	}
	m.fields(c, &body)
	if m.one(3) {
		d := declared[m.r.IntN(len(declared))]
		c.Declares |= d.bits
		body.WriteString(d.text + "\n")
	}
	m.dump(c, &body)
	body.WriteString("};")
	m.add(c, keyword, body.String())
	if pack {
		m.src.WriteString("#pragma pack(pop)\n")
	}
}

// dump writes a function that prints the layout by g++.
func (m *classMaker) dump(c *Class, b *strings.Builder) {
	b.WriteString("static void dump() { @ *p = (@ *)buf; (void)p;\n")
	fmt.Fprintf(b, `printf("@ %%zu %%zu %%d%%d%%d%%d", sizeof(@), alignof(@), (int)std::is_empty<@>::value, (int)(%s std::is_standard_layout<@>::value), (int)std::is_aggregate<@>::value, (int)std::is_trivially_destructible<@>::value);`+"\n", fakeTrue(c))
	for i, x := range c.Bases {
		if !m.ambiguous(c, i) {
			fmt.Fprintf(b, `printf(" +%%d", (int)((char *)(::%s *)p - (char *)p));`+"\n", x.Class.Name)
		}
	}
	for _, f := range c.Fields {
		switch {
		case f.Name == "":
		case f.Width >= 0:
			fmt.Fprintf(b, "p->%s = ~0ull; bits();\n", f.Name)
		case f.Type.IsRef(): // has no address
		default:
			fmt.Fprintf(b, `printf(" %%d", (int)((char *)&p->%s - (char *)p));`+"\n", f.Name)
		}
	}
	b.WriteString(`printf("\n"); }` + "\n")
}

// fakeTrue returns a C++ prefix that makes a condition true for classes with bases, and
// those that contain them: g++ does not see in all of them that two empty bases are of
// one class, or that the first field begins with one.
func fakeTrue(c *Class) string {
	if len(c.Bases) > 0 {
		return "true ||"
	}
	for _, f := range c.Fields {
		if x := f.Type.Element(); x.IsClass() && fakeTrue(x.Class) != "" {
			return "true ||"
		}
	}
	return ""
}

// ambiguous reports whether the conversion to the i-th base is.
func (m *classMaker) ambiguous(c *Class, i int) bool {
	for j, b := range c.Bases {
		if j != i && sharesBase(b.Class, c.Bases[i].Class) && Derives(b.Class, c.Bases[i].Class) {
			return true
		}
	}
	return false
}

// ours prints the layout of a class as dump does.
func (m *classMaker) ours(c *Class) string {
	var b strings.Builder
	flag := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	fmt.Fprintf(&b, "%s %d %d %d%d%d%d", c.Name, c.Size, c.Align, flag(c.Empty && !c.Union), flag(c.StandardLayout || fakeTrue(c) != ""), flag(c.Aggregate), flag(c.TrivialDestroy))
	for i, x := range c.Bases {
		if !m.ambiguous(c, i) {
			fmt.Fprintf(&b, " +%d", x.Offset)
		}
	}
	for _, f := range c.Fields {
		switch {
		case f.Name == "" || f.Type.IsRef():
		case f.Width >= 0:
			fmt.Fprintf(&b, " %d:%d", 8*f.Offset+int64(f.Bit), min(f.Width, f.Type.Width()))
		default:
			fmt.Fprintf(&b, " %d", f.Offset)
		}
	}
	return b.String()
}

// byGcc compiles the classes by g++ and returns what it prints of them.
func (m *classMaker) byGcc(t *testing.T) string {
	t.Helper()
	src := m.src.String() + "int main() {\n"
	for _, c := range m.classes[3:] {
		src += c.Name + "::dump();\n"
	}
	dir := t.TempDir()
	file, prog := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte(src+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-std=c++17", "-w", "-O0", "-fno-strict-aliasing", "-o", prog, file).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%.3000s", err, out)
	}
	out, err := exec.Command(prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func (m *classMaker) compare(t *testing.T, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	bad := 0
	for i, c := range m.classes[3:] {
		if got := m.ours(c); got != lines[i] {
			if bad++; bad <= 5 {
				at := strings.Index(m.src.String(), " "+c.Name+" ")
				t.Errorf("got  %s\nwant %s\n%.900s", got, lines[i], m.src.String()[max(0, at-40):])
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d classes differ", bad, len(lines))
	}
}

// TestLayoutAsRecorded compares the layouts of random classes with what g++ printed
// when the file was recorded.
func TestLayoutAsRecorded(t *testing.T) {
	const path = "testdata/layout.golden"
	m := newClassMaker(15)
	for range 280 {
		m.class()
	}
	if golden.Updating() {
		if _, err := exec.LookPath("g++"); err != nil {
			t.Skip("no g++ to record from")
		}
		golden.File(t, path, m.byGcc(t))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m.compare(t, string(want))
}

// TestLayoutAgainstGcc compares the layouts of thousands of random classes with g++'s.
func TestLayoutAgainstGcc(t *testing.T) {
	if testing.Short() {
		t.Skip("runs g++ for some seconds")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	for seed := range uint64(6) {
		m := newClassMaker(300 + seed)
		m.shares = seed >= 3
		for range 500 {
			m.class()
		}
		m.compare(t, m.byGcc(t))
	}
}
