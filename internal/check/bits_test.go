package check

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBitsLikeGCC lays out random structs and unions with bit-fields, and has gcc say where
// their bits are.
func TestBitsLikeGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc")
	}
	rng := rand.New(rand.NewPCG(5, 7))
	types := []string{"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "unsigned long long"}
	sizes := []int{1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8}
	const n = 300
	var decls, main strings.Builder
	for i := range n {
		word := "struct"
		if rng.IntN(8) == 0 {
			word = "union"
		}
		fmt.Fprintf(&decls, "%s s%d {", word, i)
		for j := range 1 + rng.IntN(9) {
			k := rng.IntN(len(types))
			most := 8 * sizes[k]
			if k == 0 {
				most = 1
			}
			switch rng.IntN(10) {
			case 0, 1:
				fmt.Fprintf(&decls, " %s f%d;", types[k], j)
			case 2:
				fmt.Fprintf(&decls, " %s : %d;", types[k], rng.IntN(most+1))
			case 3:
				fmt.Fprintf(&decls, " struct { %s f%d; };", types[k], j)
			default:
				fmt.Fprintf(&decls, " %s f%d : %d;", types[k], j, 1+rng.IntN(most))
			}
		}
		decls.WriteString(" int last : 3; };\n")
	}
	info, diags := checkText("in.cu", []byte(decls.String()))
	if diags.Errors() > 0 {
		t.Fatal(diags.Err())
	}
	want := map[string]string{}
	for _, s := range info.Structs {
		if s.Tag == "" {
			continue
		}
		fmt.Fprintf(&main, "\tprintf(\"%s %%d %%d\\n\", (int)sizeof(%s), (int)_Alignof(%s));\n", s.Tag, s, s)
		want[s.Tag] = fmt.Sprintf("%d %d", s.Size(), s.Align())
		for _, name := range s.names() {
			f, _ := s.Field(name)
			bits := make([]byte, s.Size())
			first, width := 8*f.Offset, 8*f.Type.Size()
			if f.Bits != nil {
				first, width = first+f.Bits.Bit, f.Bits.Width
				if f.Bits.Bit+f.Bits.Width > 8*f.Bits.Unit || f.Offset%f.Bits.Unit != 0 || f.Offset+f.Bits.Unit > s.Size() {
					t.Errorf("%s.%s: bits %d to %d of a unit of %d bytes at %d, of %d", s.Tag, name, f.Bits.Bit, f.Bits.Bit+f.Bits.Width, f.Bits.Unit, f.Offset, s.Size())
				}
			}
			if f.Type == Bool {
				width = 1
			}
			for b := first; b < first+width; b++ {
				bits[b/8] |= 1 << (b % 8)
			}
			want[s.Tag+"."+name] = fmt.Sprintf("%x", bits)
			fmt.Fprintf(&main, "\t{ %s x; memset(&x, 0, sizeof x); x.%s = -1; printf(\"%s.%s \"); dump(&x, sizeof x); }\n", s, name, s.Tag, name)
		}
	}
	dir := t.TempDir()
	text := "#include <stdio.h>\n#include <string.h>\n#include <stdbool.h>\nstatic void dump(void *p, int n) { for (int i = 0; i < n; i++) printf(\"%02x\", ((unsigned char *)p)[i]); printf(\"\\n\"); }\n" +
		decls.String() + "int main(void) {\n" + main.String() + "}\n"
	file := filepath.Join(dir, "a.c")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(gcc, "-w", "-o", filepath.Join(dir, "a"), file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	out, err := exec.Command(filepath.Join(dir, "a")).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
	for _, line := range lines {
		key, got, _ := strings.Cut(line, " ")
		if want[key] != got {
			t.Errorf("%s: gcc has %s, check %s", key, got, want[key])
		}
	}
}
