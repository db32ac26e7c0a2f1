package ptx

import (
	"strings"
	"testing"

	"irgl/internal/source"
)

// TestInline parses templates, and checks what they are found to do and how they print.
func TestInline(t *testing.T) {
	operands := []Type{"b32", "b64", "b16", "f32"}
	for _, tt := range []struct {
		template, want string // the statements with operands as %$0
		what           string
	}{
		{"add.u32 %0, %0, 1;", "add.u32 %$0, %$0, 1;", ""},
		{"add.u32 %0, %0, 1;\n\tneg.s16 %2, %2; // twice", "add.u32 %$0, %$0, 1; neg.s16 %$2, %$2;", ""},
		{"{.reg .b32 %%r1; mov.u32 %%r1, %%laneid; add.u32 %0, %r1, %tid.x;}", "{ .reg .b32 %$r1; mov.u32 %$r1, %laneid; add.u32 %$0, %$r1, %tid.x; }", ""},
		{".reg .b32 t; mov.u32 t, %0;", ".reg .b32 t; mov.u32 t, %$0;", "scoped"},
		{"L%=: bra L%=;", "L7: bra L7;", "scoped"},
		{"ld.global.nc.f32 %3, [%1+4];", "ld.global.nc.f32 %$3, [%$1+4];", "reads"},
		{"ld.volatile.u32 %0, [%1];", "ld.volatile.u32 %$0, [%$1];", "reads memory"},
		{"st.u32 [%1], %0;", "st.u32 [%$1], %$0;", "memory"},
		{"{ { red.global.add.u32 [%1], %0; } }", "{ { red.global.add.u32 [%$1], %$0; } }", "memory"},
		{"membar.gl;", "membar.gl;", "memory"},
		{"activemask.b32 %0;", "activemask.b32 %$0;", "sync"},
		{"shfl.sync.idx.b32 %0, %0, 0, 31, -1;", "shfl.sync.idx.b32 %$0, %$0, 0, 31, -1;", "sync"},
		{"exit;", "exit;", "sync"},
		{"add.cc.u32 %0, %0, 1;", "add.cc.u32 %$0, %$0, 1;", "carry"}, {"addc.u32 %0, %0, 1;", "addc.u32 %$0, %$0, 1;", "carry"},
		{"", "", ""},
	} {
		in, err := ParseInline(tt.template, operands, 7)
		if err != nil {
			t.Errorf("%q: %v", tt.template, err)
			continue
		}
		p := &printer{}
		for _, s := range in.Body {
			p.stmt(s)
		}
		if got := strings.Join(strings.Fields(p.b.String()), " "); got != tt.want {
			t.Errorf("%q prints %q, want %q", tt.template, got, tt.want)
		}
		var what []string
		for _, w := range []struct {
			on   bool
			name string
		}{{in.Reads, "reads"}, {in.Memory, "memory"}, {in.Sync, "sync"}, {in.Carry, "carry"}, {in.Scoped, "scoped"}} {
			if w.on {
				what = append(what, w.name)
			}
		}
		if got := strings.Join(what, " "); got != tt.what {
			t.Errorf("%q: %q, want %q", tt.template, got, tt.what)
		}
	}
	for template, line := range map[string]int{
		"add.u32 %0, %4, 1;": 1, "\n\nadd.u32 %0, %3, 1;": 3, "{": 1, "} {": 1, "add.u32 %0, %0, 1": 1, "bra out;": 1, "mov.u32 %0, %r1;": 1, "}": 1,
		".reg .b32 a; .reg .b32 a;": 1, "@%0 exit;": 1,
	} {
		_, err := ParseInline(template, operands, 0)
		if err == nil {
			t.Errorf("%q is accepted", template)
		} else if d := source.Diagnostics(err).Diags[0]; d.Pos.IsValid() && d.Pos.Line() > line+1 {
			t.Errorf("%q: the error is in line %d, want %d", template, d.Pos.Line(), line)
		}
	}
}

// FuzzInline takes any template without a panic.
func FuzzInline(f *testing.F) {
	f.Add("{.reg .pred %%p; setp.eq.u32 %%p, %0, 1; @%%p bra L%=; L%=: mov.b64 %1, {%0, %0};}")
	f.Fuzz(func(t *testing.T, template string) {
		in, err := ParseInline(template, []Type{"b32", "b64"}, 1)
		if (in == nil) == (err == nil) {
			t.Errorf("%v, %v", in, err)
		}
	})
}
