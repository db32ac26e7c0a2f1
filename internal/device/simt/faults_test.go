package simt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/internal/device"
)

// find returns the reports of a kind.
func (r *rig) find(kind string) []device.Report {
	var list []device.Report
	for _, rep := range r.d.Reports() {
		if rep.Kind == kind {
			list = append(list, rep)
		}
	}
	return list
}

// one checks that exactly one report of the kind exists and holds all words.
func (r *rig) one(kind string, words ...string) {
	r.t.Helper()
	list := r.find(kind)
	if len(list) != 1 {
		r.t.Errorf("%d reports of %s, want 1: %v", len(list), kind, r.d.Reports())
		return
	}
	for _, w := range words {
		if !strings.Contains(list[0].String(), w) {
			r.t.Errorf("report %q does not contain %q", list[0], w)
		}
	}
}

// TestRaces: positives, each with the nearest kernel without a race, under
// every schedule.
func TestRaces(t *testing.T) {
	schedules(t, func(t *testing.T, o Options) {
		for _, c := range []struct {
			kernel      string
			grid, block uint32
			args        int
			buffer      string
			words       []string // none: no race
		}{
			{"race_same", 1, 2, 1, "p0", []string{"writes", "same value", "p0+0"}},
			{"race_same", 2, 1, 1, "p0", []string{"thread 0 of block 0", "thread 0 of block 1", "same value"}},
			{"race_same", 1, 1, 1, "", nil},
			{"race_value", 1, 2, 1, "p0", []string{"PTX line"}},
			{"race_shared", 1, 64, 1, "", []string{"race", "thread"}},
			{"race_warp", 1, 32, 1, "", []string{"race"}},
			{"sync_warp", 1, 32, 1, "", nil},
			{"race_atomic", 1, 64, 2, "p0", []string{"atomic or volatile", "reads"}},
			{"only_atomic", 4, 64, 1, "", nil},
			{"gridnofence", 2, 1, 2, "p0", []string{"writes", "reads"}},
		} {
			t.Run(c.kernel, func(t *testing.T) {
				r := newRig(t, o, "behaviour.ptx")
				var args []any
				for i := range c.args {
					args = append(args, r.buffer([]string{"p0", "p1"}[i], make([]int32, 64)))
				}
				r.ok(c.kernel, c.grid, c.block, args...)
				if c.words == nil {
					r.clean()
					return
				}
				r.one("race", append(c.words, "kernel "+c.kernel)...)
				if list := r.find("race"); c.buffer != "" && list[0].Buffer != c.buffer {
					t.Errorf("buffer %q, want %q", list[0].Buffer, c.buffer)
				}
			})
		}
	})
}

// TestAcquire: what one block wrote before its flag is there for another that waits
// for the flag and acquires. A barrier behind the wait hands on what the waiting
// thread has acquired; it acquires nothing itself.
func TestAcquire(t *testing.T) {
	const text = head + `.entry k(.param .u64 a, .param .u64 b) {
.reg .b64 %%rd<3>; .reg .b32 %%r<4>; .reg .pred %%p<3>;
ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b];
mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;
setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra MEET;
setp.ne.u32 %%p2, %%r2, 0; @%%p2 bra WAIT;
st.global.u32 [%%rd1], 7; fence.acq_rel.gpu; st.volatile.global.u32 [%%rd2], 1; bra MEET;
WAIT: %s setp.eq.u32 %%p2, %%r3, 0; @%%p2 bra WAIT; %s
MEET: bar.sync 0;
@!%%p1 bra DONE; setp.eq.u32 %%p2, %%r2, 0; @%%p2 bra DONE;
ld.global.u32 %%r3, [%%rd1]; st.global.u32 [%%rd2+4], %%r3;
DONE: ret; }`
	schedules(t, func(t *testing.T, o Options) {
		for _, c := range []struct {
			load, behind string
			race         bool
		}{
			{"ld.volatile.global.u32 %r3, [%rd2];", "", true},
			{"ld.relaxed.gpu.global.u32 %r3, [%rd2];", "", true},
			{"ld.volatile.global.u32 %r3, [%rd2];", "fence.acq_rel.gpu;", false},
			{"ld.acquire.gpu.global.u32 %r3, [%rd2];", "", false},
		} {
			r := newRigText(t, o, fmt.Sprintf(text, c.load, c.behind))
			a, b := r.buffer("a", []int32{0}), r.buffer("b", []int32{0, 0})
			r.ok("k", 2, 2, a, b)
			if got := r.read(b, 2); got[1] != 7 {
				t.Errorf("%s %s: read %d, want 7", c.load, c.behind, got[1])
			}
			if c.race {
				r.one("race", "reads", "writes")
			} else {
				r.clean()
			}
		}
	})
}

// TestFaults: every kind of fault ends the launch with an error that names
// kernel and PTX line, and is reported.
func TestFaults(t *testing.T) {
	o := Checked()
	o.SpinLimit, o.MaxInstructions = 100000, 1000000
	for _, c := range []struct {
		kernel string
		block  uint32
		args   func(r *rig) []any
		kind   string // of the report; "" for errors that are none
		words  []string
	}{
		{"race_same", 1, func(r *rig) []any { return []any{r.buffer("x", []int32{1}) + 4} }, "out-of-bounds", []string{"x+4", "past its end"}},
		{"race_same", 1, func(r *rig) []any { return []any{r.buffer("x", []int32{1}) - 4} }, "out-of-bounds", []string{"4 bytes before x"}},
		{"race_same", 1, func(*rig) []any { return []any{uint64(0)} }, "out-of-bounds", []string{"null pointer"}},
		{"race_same", 1, func(r *rig) []any {
			p := r.buffer("gone", []int32{1})
			if err := r.d.Free(p); err != nil {
				r.t.Fatal(err)
			}
			return []any{p}
		}, "out-of-bounds", []string{"gone", "freed"}},
		{"race_same", 1, func(r *rig) []any { return []any{r.buffer("x", []int32{1, 2}) + 2} }, "misaligned", []string{"multiple of 4"}},
		{"oob_shared", 8, func(r *rig) []any { return []any{r.buffer("x", []int32{1}), int32(8)} }, "out-of-bounds", []string{"shared memory", "offset 32"}},
		{"oob_local", 1, func(r *rig) []any { return []any{r.buffer("x", make([]int32, 8)), int32(9)} }, "out-of-bounds", []string{"local memory"}},
		{"divergent", 32, func(r *rig) []any { return []any{r.buffer("x", make([]int32, 64))} }, "divergent-barrier", []string{"bar.sync", "0x0000ffff"}},
		{"splituni", 32, func(*rig) []any { return []any{int32(16)} }, "divergent-branch", []string{"bra.uni", "0x0000ffff", "0xffff0000"}},
		{"poll", 32, func(r *rig) []any { return []any{r.buffer("x", []int32{0})} }, "", []string{"deadlock", "poll"}},
		{"forever", 1, func(r *rig) []any { return []any{r.buffer("x", []int32{0})} }, "", []string{"more than the limit of 1000000; thread 0 of block 0"}},
		{"check", 1, func(*rig) []any { return []any{int32(3)} }, "", []string{"assertion x != 3"}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			r := newRig(t, o, "behaviour.ptx")
			err := r.run(c.kernel, 1, c.block, c.args(r)...)
			f, ok := errors.AsType[*Fault](err)
			if !ok || f.Line == 0 && c.kernel != "forever" {
				t.Fatalf("error %v, want a fault with a line", err)
			}
			for _, w := range append(c.words, "kernel "+c.kernel) {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not contain %q", err, w)
				}
			}
			if c.kind == "" {
				r.clean()
				return
			}
			r.one(c.kind, append(c.words, "PTX line")...)
			if err := r.d.Sync(context.Background()); err != nil {
				t.Errorf("Sync after the fault was delivered: %v", err)
			}
		})
	}
}

// TestFaultBase: a wrong address is described by the buffer that it was computed from,
// not by the one that is nearest.
func TestFaultBase(t *testing.T) {
	const text = head + `.entry k(.param .u64 p, .param .u64 q, .param .u64 i) { .reg .b64 %%rd<9>; .reg .b32 %%r<4>;
		ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd2, %%rd1; ld.param.u64 %%rd6, [q]; ld.param.u64 %%rd3, [i];
		%s mov.u32 %%r1, 1; st.global.u32 [%%rd5], %%r1; ret; }`
	const add = "shl.b64 %rd4, %rd3, 2; add.s64 %rd5, %rd2, %rd4;"
	for _, c := range []struct {
		name, body string
		index      int64
		want       string
	}{
		{"behind", add, 5, "is x+20, past its end: it has 16 bytes"},
		{"near the next", add, 1080, "is x+4320, past its end: it has 16 bytes"},
		{"far", add, 1 << 30, "is x+4294967296, past its end: it has 16 bytes"},
		{"before", add, -1080, "is 4320 bytes before x"},
		{"mad", "mad.lo.s64 %rd5, %rd3, 4, %rd2;", 1080, "is x+4320, past its end"},
		{"two buffers", add + "add.s64 %rd5, %rd2, %rd4; sub.s64 %rd7, %rd5, %rd6; add.s64 %rd5, %rd6, %rd7;", 1080, "bytes before y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRigText(t, Checked(), fmt.Sprintf(text, c.body))
			x, y := r.buffer("x", make([]int32, 4)), r.buffer("y", make([]int32, 4))
			if err := r.run("k", 1, 1, x, y, c.index); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestUninitialised(t *testing.T) {
	r := newRig(t, Checked(), "behaviour.ptx")
	r.ok("uninit_shared", 1, 64, r.buffer("x", make([]int32, 64)))
	r.one("uninitialised", "thread 40 of block 0", "PTX line")
	r = newRig(t, Checked(), "behaviour.ptx")
	r.ok("uninit_local", 1, 1, r.buffer("x", make([]int32, 64)), int32(3))
	r.one("uninitialised", "local memory")
	r = newRig(t, Checked(), "behaviour.ptx")
	r.ok("uninit_local", 1, 1, r.buffer("x", make([]int32, 64)), int32(8))
	r.clean()
	r = newRigText(t, Checked(), head+`.entry k() { .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4;
@%p1 mov.u32 %r2, 5; add.u32 %r2, %r2, 1; ret; }`)
	r.ok("k", 1, 32)
	r.one("uninitialised", "thread 4 of block 0", "register")
	// Registers that are packed are moved.
	const packed = `.entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>; mov.u32 %r1, 5; mov.b64 %rd1, {%r1, %r2}; `
	r = newRigText(t, Checked(), head+packed+"mov.b64 %rd2, %rd1; ret; }")
	r.ok("k", 1, 1)
	r.clean()
	r = newRigText(t, Checked(), head+packed+"add.u64 %rd2, %rd1, 1; ret; }")
	r.ok("k", 1, 1)
	r.one("uninitialised", "register")
}

// TestPaddingMayBeCopied: untyped loads and stores copy structs, padding
// included; what was never written stays so, and its use is a fault.
func TestPaddingMayBeCopied(t *testing.T) {
	const copied = `.entry k() { .local .align 8 .b8 a[16]; .local .align 8 .b8 b[16]; .reg .b32 %r<5>; .reg .b64 %rd<2>;
mov.u32 %r1, 7; st.local.u32 [a], %r1; ld.local.b64 %rd1, [a]; st.local.b64 [b], %rd1;
ld.local.b32 %r2, [a+8]; st.local.b32 [b+8], %r2; ld.local.u32 %r3, [b]; `
	r := newRigText(t, Checked(), head+copied+"ret; }")
	r.ok("k", 1, 1)
	r.clean()
	r = newRigText(t, Checked(), head+copied+"ld.local.u32 %r4, [b+8]; ret; }")
	r.ok("k", 1, 1)
	r.one("uninitialised", "local memory")
	r = newRigText(t, Checked(), head+copied+"add.u32 %r4, %r2, 1; ret; }")
	r.ok("k", 1, 1)
	r.one("uninitialised", "register")
}

// TestMergedBits: a store that replaces some bits of a word reads it first. That is no use of the
// others; another use of what was read is.
func TestMergedBits(t *testing.T) {
	const bits = `.entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .b64 %rd<2>; .reg .pred %p<2>;
ld.param.u64 %rd1, [p]; ld.global.u8 %r1, [%rd1]; and.b32 %r2, %r1, 248; `
	for _, c := range []struct {
		text  string
		clean bool
	}{
		{"or.b32 %r3, %r2, 2; st.global.u8 [%rd1], %r3; ret; }", true},
		{"st.global.u8 [%rd1], %r2; shr.u32 %r3, %r2, 3; ret; }", true},
		{"or.b32 %r3, %r2, 2; st.global.u8 [%rd1], %r3; ld.global.u8 %r4, [%rd1]; ret; }", true},
		{"or.b32 %r3, %r2, 2; st.global.u8 [%rd1], %r3; ld.global.u8 %r4, [%rd1+1]; ret; }", false},
		{"or.b32 %r3, %r2, 2; st.global.u8 [%rd1], %r3; shr.u32 %r4, %r1, 3; ret; }", false},
		{"or.b32 %r3, %r2, 2; st.global.u8 [%rd1+1], %r3; ret; }", false},
		{"or.b32 %r3, %r2, 2; add.u64 %rd1, %rd1, 1; st.global.u8 [%rd1], %r3; ret; }", false},
		{"setp.eq.u32 %p1, %r2, 8; ret; }", false},
		{"ret; }", false},
	} {
		r := newRigText(t, Checked(), head+bits+c.text)
		p, err := r.d.Alloc("p", 8)
		if err != nil {
			t.Fatal(err)
		}
		r.d.Unwritten(p)
		r.ok("k", 1, 1, uint64(p))
		if c.clean {
			r.clean()
		} else {
			r.one("uninitialised", "no thread has written")
		}
	}
}

const head = ".version 7.0\n.target sm_80\n.address_size 64\n"

func TestPrintf(t *testing.T) {
	var out bytes.Buffer
	o := Checked()
	o.Stdout = &out
	r := newRig(t, o, "behaviour.ptx")
	r.ok("hello", 1, 32, int32(2))
	if want := "t 0 str  0.00 1099511627776|%\nt 1 str  0.50 1099511627776|%\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	r.clean()
}

// TestDeterminism: the same seed gives the same run, other seeds others.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) []int32 {
		r := newRig(t, Options{Seed: seed}, "behaviour.ptx")
		counter, out := r.buffer("counter", []int32{0}), r.buffer("out", make([]int32, 400))
		r.ok("aggregate", 8, 64, counter, out, int32(400))
		return r.read(out, 400)
	}
	orders := map[string]bool{}
	for seed := range uint64(5) {
		a, b := run(seed), run(seed)
		equal(t, "second run", b, a)
		var s strings.Builder
		for _, v := range a {
			s.WriteByte(byte(v))
			s.WriteByte(byte(v >> 8))
		}
		orders[s.String()] = true
	}
	if len(orders) < 4 {
		t.Errorf("5 seeds gave %d orders", len(orders))
	}
}

// TestCounters: exact counts on small kernels.
func TestCounters(t *testing.T) {
	for _, c := range []struct {
		name, body  string
		grid, block uint32
		want        device.Counters
	}{
		{"empty", "ret;", 3, 64, device.Counters{Launches: 1, Instructions: 6}},
		{"coalesced", "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];", 1, 64,
			device.Counters{Launches: 1, Instructions: 2 * 6, Transactions: 8}},
		{"scattered", "mul.wide.u32 %rd2, %r1, 64; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;", 1, 32,
			device.Counters{Launches: 1, Instructions: 6, Transactions: 32}},
		{"vector", "mul.wide.u32 %rd2, %r1, 16; add.u64 %rd3, %rd1, %rd2; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];", 1, 32,
			device.Counters{Launches: 1, Instructions: 6, Transactions: 16}},
		{"atomics", "atom.global.add.u32 %r2, [%rd1], 1; atom.shared.add.u32 %r3, [s], 1;", 1, 40,
			device.Counters{Launches: 1, Instructions: 2 * 5, AtomicsGlobal: 40, AtomicsShared: 40}},
		{"barriers", "bar.sync 0; bar.sync 0;", 2, 64, device.Counters{Launches: 1, Instructions: 2 * 2 * 5, Barriers: 4}},
		// Warp 0 splits: 3 before, 1 branch, 1 add for half of it, then 1 ret.
		{"divergent", "setp.lt.u32 %p1, %r1, 16; @%p1 bra $end; add.u32 %r2, %r1, 1; $end:", 1, 64,
			device.Counters{Launches: 1, Instructions: 6 + 6, Branches: 2, DivergentBranches: 1}},
		{"uniform", "setp.lt.u32 %p1, %r1, 32; @%p1 bra $end; add.u32 %r2, %r1, 1; $end:", 1, 64,
			device.Counters{Launches: 1, Instructions: 5 + 6, Branches: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRigText(t, Options{}, head+`.entry k(.param .u64 p) { .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<2>; .shared .u32 s;
mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; `+c.body+" ret; }")
			if c.name == "empty" {
				r = newRigText(t, Options{}, head+".entry k() { ret; }")
				r.ok("k", c.grid, c.block)
			} else {
				r.ok("k", c.grid, c.block, r.buffer("x", make([]int32, 1024)))
			}
			if got := r.d.Counters(); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if got := r.d.KernelCounters(); len(got) != 1 || got["k"] != c.want {
				t.Errorf("by kernel: got  %+v\nwant %+v", got, c.want)
			}
			// Each access is one to x, and in a row but for one kernel's.
			want := Traffic{Sectors: c.want.Transactions}
			if want.Sectors > 0 {
				want.Accesses = uint64(c.grid * c.block / 32)
			}
			if c.name == "scattered" {
				want.Scattered = want.Accesses
			}
			if got := r.d.Traffic()["x"]; got != want {
				t.Errorf("to x: got %+v, want %+v", got, want)
			}
		})
	}
}

// TestKernelCounters: each kernel has the counts of its own launches that have
// ended; the device has those of launches that were given up, too.
func TestKernelCounters(t *testing.T) {
	r := newRigText(t, Options{}, head+`.entry a(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; atom.global.add.u32 %r1, [%rd1], 1; ret; }
.entry b() { .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r1, 0; $again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000000000; @%p1 bra $again; bar.sync 0; ret; }`)
	x := r.buffer("x", make([]int32, 1))
	r.ok("a", 2, 32, x)
	before := r.d.KernelCounters()
	if a := before["a"]; len(before) != 1 || a.AtomicsGlobal != 64 || a.Launches != 1 {
		t.Errorf("%+v", before)
	}
	k, err := r.mod.Kernel("b")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.d.Launch(k, device.Launch{Block: device.Dim3{X: 32}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if r.d.Sync(ctx) == nil {
		t.Fatal("a loop of 1000000000 rounds took a millisecond")
	}
	if _, ended := r.d.KernelCounters()["b"]; ended {
		t.Error("a launch counts before its end")
	}
	r.ok("a", 1, 32, x)
	after := r.d.KernelCounters()
	if a := after["a"].Sub(before["a"]); a.AtomicsGlobal != 32 || a.Launches != 1 || len(after) != 1 {
		t.Errorf("%+v", after)
	}
	if lost := r.d.Counters().Sub(after["a"]); lost.Launches != 1 || lost.Branches == 0 || lost.AtomicsGlobal != 0 {
		t.Errorf("the launch that was given up has %+v", lost)
	}
}

// TestLoadRefuses: PTX that cannot run is refused when it is loaded.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"wgmma.fence.sync.aligned; ret;", "wgmma"},
		{"call missing; ret;", "missing has no body"},
		{".local .b8 big[1000000]; ret;", "big"},
	} {
		d := Open(Options{})
		_, err := d.Load("bad.ptx", head+".func missing();\n.entry k() { "+c.body+" }")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bad.ptx:5") {
			t.Errorf("%s: error %v, want %q at bad.ptx:5", c.body, err, c.want)
		}
	}
}

// TestCancel: whatever waits for a kernel without an end ends with its context, and
// gives up the kernel.
func TestCancel(t *testing.T) {
	const text = head + ".entry k() { L: bra L; }"
	for _, c := range []struct {
		name string
		wait func(ctx context.Context, r *rig, p device.Ptr) error
	}{
		{"sync", func(ctx context.Context, r *rig, _ device.Ptr) error { return r.d.Sync(ctx) }},
		{"copy out", func(ctx context.Context, r *rig, p device.Ptr) error {
			return r.d.CopyOutContext(ctx, make([]byte, 4), p)
		}},
		{"event", func(ctx context.Context, r *rig, _ device.Ptr) error {
			e, err := r.d.NewEvent()
			if err != nil {
				return err
			}
			return errors.Join(e.Record(), e.Sync(ctx))
		}},
		{"stream", func(ctx context.Context, r *rig, _ device.Ptr) error { return r.d.def.Sync(ctx) }},
		{"abandon", func(_ context.Context, r *rig, _ device.Ptr) error {
			r.d.Abandon()
			return context.DeadlineExceeded
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRigText(t, Options{}, text)
			p := r.buffer("p", []int32{7})
			k, err := r.mod.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.d.Launch(k, device.Launch{Grid: device.Dim3{X: 1000}, Block: device.Dim3{X: 1024}}); err != nil {
				t.Fatal(err)
			}
			// None of these waits.
			if _, err := r.d.Load("more", text); err != nil {
				t.Error(err)
			}
			if err := errors.Join(r.d.CopyIn(p, []byte{1, 0, 0, 0}), r.d.Copy(p, p, 4), r.d.Fill(p, 2, 4)); err != nil {
				t.Error(err)
			}
			start := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			if err := c.wait(ctx, r, p); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the context's", err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			equal(t, "what was queued behind the kernel", r.read(p, 1), []int32{7})
			if err := r.d.Free(p); err != nil {
				t.Error(err)
			}
			if err := r.d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCloseGivesUp checks that closing a device does not wait for a kernel without
// an end.
func TestCloseGivesUp(t *testing.T) {
	r := newRigText(t, Options{}, head+".entry k() { L: bra L; }")
	k, err := r.mod.Kernel("k")
	if err == nil {
		err = r.d.Launch(k, device.Launch{})
	}
	if err = errors.Join(err, r.d.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestForget: faults that were taken back are found again, the others stay.
func TestForget(t *testing.T) {
	r := newRig(t, Checked(), "behaviour.ptx")
	p, out := r.buffer("p", make([]int32, 1)), r.buffer("out", make([]int32, 64))
	r.ok("race_value", 1, 2, p)
	r.one("race", "race_value")
	for range 2 {
		r.ok("race_atomic", 1, 64, p, out)
		if list := r.find("race"); len(list) < 2 || list[1].Kernel != "race_atomic" {
			t.Fatalf("%v", list)
		}
		r.d.Forget(1)
		r.one("race", "race_value")
	}
	r.d.Forget(1)
	r.d.Forget(5)
	r.d.Forget(-1)
	r.ok("race_value", 1, 2, p)
	r.one("race", "race_value")
}

// TestPointersOfVariables: an address that a register has from one variable or from
// memory, as where a list is followed, is bound to neither; a pointer that a loop
// advances in one is bound to it.
func TestPointersOfVariables(t *testing.T) {
	const list = `.entry k() { .local .align 8 .b8 a[16]; .local .align 8 .b8 b[16]; .reg .b32 %r<5>; .reg .b64 %rd<7>; .reg .pred %p<3>;
st.local.u32 [a], 1; st.local.u64 [a+8], 0; st.local.u32 [b], 2; mov.b64 %rd1, a; cvta.local.u64 %rd2, %rd1; st.local.u64 [b+8], %rd2;
mov.b64 %rd3, b; cvta.local.u64 %rd4, %rd3; `
	r := newRigText(t, Checked(), head+list+"L: ld.u32 %r2, [%rd4]; ld.u64 %rd4, [%rd4+8]; setp.ne.s64 %p1, %rd4, 0; @%p1 bra L; ret; }")
	r.ok("k", 1, 1)
	r.clean()
	r = newRigText(t, Checked(), head+list+"mov.u32 %r1, 0; L: st.u32 [%rd4], 3; add.u64 %rd4, %rd4, 4; add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 5; @%p1 bra L; ret; }")
	if err := r.run("k", 1, 1); err == nil {
		t.Error("a store past a variable is no fault")
	}
	r.one("out-of-bounds", "offset 16 of b")
}
