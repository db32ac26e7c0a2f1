package ptx

import (
	"strings"
	"testing"

	"irgl/internal/source"
)

// TestVerifyEach: what is wrong in a function is said of that function, and what is wrong outside of all is the module's.
func TestVerifyEach(t *testing.T) {
	const text = header + `
.global .u64 table[1] = { nowhere };
.visible .entry good() { ret; }
.visible .entry bad() { frob.u32 1; ret; }
`
	m, err := Parse(source.NewFile("each.ptx", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	funcs, err := VerifyEach(m)
	if err == nil || !strings.Contains(err.Error(), "nowhere is not declared") || strings.Contains(err.Error(), "frob") {
		t.Errorf("of the module: %v", err)
	}
	if len(funcs) != 1 {
		t.Errorf("%d functions are wrong: %v", len(funcs), funcs)
	}
	for f, err := range funcs {
		if f.Name != "bad" || !strings.Contains(err.Error(), "frob is not supported") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestReordered: Verify puts modifiers into the table's order, and types stay where they are.
func TestReordered(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"vote.ballot.sync.b32 %r1, %p1, -1;", "vote.sync.ballot.b32 %r1, %p1, -1"},
		{"atom.add.release.gpu.u32 %r1, [%rd1], %r2;", "atom.release.gpu.add.u32 %r1, [%rd1], %r2"},
		{"ld.global.acquire.gpu.u32 %r1, [%rd1];", "ld.acquire.gpu.global.u32 %r1, [%rd1]"},
		{"add.ftz.rn.f32 %f1, %f2, %f3;", "add.rn.ftz.f32 %f1, %f2, %f3"},
		{"cvt.u64.u32 %rd1, %r2;", "cvt.u64.u32 %rd1, %r2"},
	} {
		m, err := Parse(source.NewFile("order.ptx", []byte(kernelOf(c.in))))
		if err == nil {
			err = Verify(m)
		}
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		body := m.Decls[len(m.Decls)-1].(*Func).Body
		if got := body[len(body)-1].(*Inst).String(); got != c.want {
			t.Errorf("%s gives %s, want %s", c.in, got, c.want)
		}
		if out := assemble(t, ptxas(t), "sm_90", kernelOf(c.in)); out != "" {
			t.Errorf("%s: %s", c.in, out)
		}
	}
}
