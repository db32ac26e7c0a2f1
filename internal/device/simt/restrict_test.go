package simt

import (
	"strings"
	"testing"

	"irgl/internal/device"
)

// restricted is a kernel whose store at text.c:5:3 goes to the first array, displaced by the
// second parameter, and whose store at text.c:6:3 to the third.
const restricted = `.version 7.0
.target sm_75
.address_size 64
.file 1 "text.c"
.global .u32 count;
.func put(.param .u64 at) { .reg .u64 %rd1; .reg .u32 %r1;
.loc 1 2 1
ld.param.u64 %rd1, [at]; mov.u32 %r1, 7; st.u32 [%rd1], %r1; ret; }
.entry k(.param .u64 p, .param .u64 far, .param .u64 q) { .reg .u64 %rd<5>; .reg .u32 %r<3>;
.loc 1 5 3
ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [far]; add.u64 %rd3, %rd1, %rd2;
ld.u32 %r1, [%rd1]; st.u32 [%rd3], %r1;
.loc 1 6 3
ld.param.u64 %rd4, [q]; st.u32 [%rd4], 1;
.loc 1 7 3
{ .param .u64 a; st.param.u64 [a], %rd4; call put, (a); }
ret; }
`

// TestRestrict: what the code of a position accesses is asked for, once for each instruction
// and allocation, also in functions; a refusal ends the launch there, before memory changes.
func TestRestrict(t *testing.T) {
	at := func(line, column int) device.Position {
		return device.Position{File: "text.c", Line: line, Column: column}
	}
	for _, test := range []struct {
		name string
		at   device.Position
		far  bool
		deny string
		want string // of the error
		asks string
	}{
		{"declared", at(5, 3), false, "read q, write q", "", "read p, write p"},
		{"displaced", at(5, 3), true, "write q", "no q here", "read p, write q"},
		{"read", at(5, 3), false, "read p", "no p here", "read p"},
		{"other code", at(6, 3), true, "write p", "", "write q"},
		{"a function", at(2, 1), false, "write q", "no q here", "write q"},
		{"no code", at(5, 4), true, "read p, write p, write q", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRigText(t, Options{CheckDeclared: true}, restricted)
			p, q := r.buffer("p", []int32{3}), r.buffer("q", []int32{4})
			var asks []string
			r.mod.(device.RestrictingModule).Restrict(test.at, func(buffer string, write bool) string {
				ask := map[bool]string{false: "read ", true: "write "}[write] + buffer
				asks = append(asks, ask)
				if strings.Contains(test.deny, ask) {
					return "no " + buffer + " here"
				}
				return ""
			})
			far := uint64(0)
			if test.far {
				far = uint64(q - p)
			}
			err := r.run("k", 1, 1, p, far, q)
			if got := strings.Join(asks, ", "); got != test.asks {
				t.Errorf("asked for %q, want %q", got, test.asks)
			}
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			fault, ok := err.(*Fault)
			if !ok || fault.Summary() != test.want || fault.Position() != test.at {
				t.Fatalf("%v, want %q at %v", err, test.want, test.at)
			}
			r.one(device.Undeclared, "thread 0 of block 0", test.at.String())
		})
	}
}

// TestRestrictOff: without the option nothing is asked.
func TestRestrictOff(t *testing.T) {
	r := newRigText(t, Options{}, restricted)
	p := r.buffer("p", []int32{3})
	r.mod.(device.RestrictingModule).Restrict(device.Position{File: "text.c", Line: 5, Column: 3}, func(string, bool) string { return "no" })
	r.ok("k", 1, 1, p, uint64(0), p)
}
