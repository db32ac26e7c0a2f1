package simt

import (
	"fmt"
	"strings"
	"testing"
)

// TestInlined: reports name the functions that were inlined, and the places of their calls, as the .loc of nvcc
// -lineinfo have them.
func TestInlined(t *testing.T) {
	const text = `.version 9.0
.target sm_90
.address_size 64
.visible .entry _Z1kPi(.param .u64 p)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	.loc 1 3 30
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd1, %rd2;
	.loc 1 2 60, function_name $L__info_string0, inlined_at 1 3 30
	.loc 1 1 61, function_name $L__info_string1, inlined_at 1 2 60
	st.global.u32 [%rd1], %r1;
	.loc 1 4 9
	ld.global.u32 %r2, [%rd2+4];
	ret;
}
.file 1 "in.cu"
.section .debug_str
{
$L__info_string0:
.b8 95,90,49,102,80,105,105,0
$L__info_string1:
.b8 95,90,49,103,80,105,105,0
}
`
	r := newRigText(t, Checked(), text)
	NameAsCXX(r.mod)
	err := r.run("_Z1kPi", 1, 32, r.buffer("p", make([]int32, 32)))
	if err == nil {
		t.Error("no fault")
	}
	var got []string
	for _, rep := range r.d.Reports() {
		for _, s := range rep.Sites {
			if s.At.Position.File == "" {
				continue
			}
			line := fmt.Sprintf("%s: %s at %s", rep.Kind, s.At.Function, s.At.Position)
			for _, c := range s.Calls {
				line += fmt.Sprintf(", called by %s at %s", c.Function, c.Position)
			}
			got = append(got, line)
		}
	}
	want := []string{
		"race: g(int*, int) at in.cu:1:61, called by f(int*, int) at in.cu:2:60, called by k(int*) at in.cu:3:30",
		"race: g(int*, int) at in.cu:1:61, called by f(int*, int) at in.cu:2:60, called by k(int*) at in.cu:3:30",
		"out-of-bounds: k(int*) at in.cu:4:9",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
