package simt

import "testing"

// TestFramesAreKept launches a kernel of which thread 0 alone writes a register that
// all read, first with the value 7 for all: what a launch leaves in the registers that
// the next one takes over is neither read by it nor taken for written.
func TestFramesAreKept(t *testing.T) {
	const text = `.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n) {
	.reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 mov.u32 %r3, 7;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r3;
	ret;
}
`
	r := newRigText(t, Options{CheckUninitialised: true}, text)
	x := r.buffer("x", make([]int32, 32))
	r.ok("k", 1, 32, x, int32(32))
	r.clean()
	r.ok("k", 1, 32, x, int32(1))
	if got := r.read(x, 2); got[0] != 7 || got[1] != 0 {
		t.Errorf("threads 0 and 1 read %v, want 7 and 0", got)
	}
	r.one("uninitialised", "register")
}
