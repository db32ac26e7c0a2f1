package simt

import (
	"fmt"
	"strings"
	"testing"
)

// TestReconverge: a branch's lanes meet at its immediate post-dominator, and
// nowhere when a path ends the kernel first.
func TestReconverge(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		// Instructions are numbered from 1: 0 is the setp before.
		{"if", "@%p bra L; add.u32 %r, %r, 1; L: ret;", "1->3"},
		{"if else", "@%p bra L; add.u32 %r, %r, 1; bra M; L: add.u32 %r, %r, 2; M: ret;", "1->5 3->5"},
		{"loop", "L: add.u32 %r, %r, 1; @%p bra L; ret;", "2->3"},
		{"loop with break", "L: add.u32 %r, %r, 1; @%p bra M; @!%p bra L; M: ret;", "2->4 3->4"},
		{"nested", "@%p bra M; @%p bra L; add.u32 %r, %r, 1; L: add.u32 %r, %r, 1; M: ret;", "1->5 2->4"},
		{"one side exits", "@%p bra L; ret; L: add.u32 %r, %r, 1; ret;", "1->none"},
		{"guarded exit", "@%p bra L; @%p exit; L: ret;", "1->none"},
		{"endless", "@%p bra L; L: bra L;", "1->none 2->none"},
		{"brx", "T: .branchtargets A, B; brx.idx %r, T; A: add.u32 %r, %r, 1; bra C; B: add.u32 %r, %r, 2; C: ret;", "1->5 3->5"},
	} {
		d := Open(Options{})
		mod, err := d.Load("cfg.ptx", head+".entry k() { .reg .pred %p; .reg .b32 %r; setp.eq.u32 %p, 1, 2; "+c.body+" }")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for i, in := range mod.(*module).kernels["k"].fn.code {
			if in.ctl != ctlBranch && in.ctl != ctlIndexed {
				continue
			}
			to := "none"
			if in.reconv != none {
				to = fmt.Sprint(in.reconv)
			}
			got = append(got, fmt.Sprintf("%d->%s", i, to))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
