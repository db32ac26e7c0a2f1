package simt

import (
	"strings"
	"testing"

	"irgl/internal/device"
)

// asyncKernel copies 16 bytes a thread to shared memory, does what steps say, reads four bytes of the
// thread that it is told, and stores them.
func asyncKernel(steps string) string {
	return ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry k(.param .u64 in, .param .u64 out) {
.shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r8, bar;
mad.wide.u32 %rd3, %r1, 16, %rd1; mad.lo.u32 %r3, %r1, 16, %r2; mad.wide.u32 %rd4, %r1, 4, %rd2; mov.u32 %r4, %r3;
xor.b32 %r5, %r1, 1; mad.lo.u32 %r6, %r5, 16, %r2;
` + steps + `
ld.shared.b32 %r7, [%r4+4]; st.global.b32 [%rd4], %r7; ret; }
`
}

// TestAsyncCopies: a copy is there when it is waited for, and an access before that is reported, with its twin
// that waits.
func TestAsyncCopies(t *testing.T) {
	const start = "cp.async.ca.shared.global [%r3], [%rd3], 16;\n"
	const other = "mov.u32 %r4, %r6;\n"
	const init = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r8], 64; bar.sync 0;\n"
	const wait = "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra L;\n"
	for name, c := range map[string]struct {
		steps string
		word  string // of the report; "" for none
		from  int32  // added to the thread's number: whose bytes are read
	}{
		"none":            {start + "cp.async.commit_group;", "copies to it, by cp.async, at PTX line 10, thread", 0},
		"group":           {start + "cp.async.commit_group; cp.async.wait_group 0;", "", 0},
		"too few":         {start + "cp.async.commit_group; cp.async.wait_group 1;", "before the copy is waited for", 0},
		"second":          {start + "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;", "", 0},
		"not committed":   {start + "cp.async.wait_group 0;", "before the copy is waited for", 0},
		"all":             {start + "cp.async.wait_all;", "", 0},
		"other":           {start + "cp.async.wait_all; bar.sync 0;" + other, "", 1},
		"other, no bar":   {start + "cp.async.wait_all;" + other, "unordered", 1},
		"only bar":        {start + "bar.sync 0;" + other, "before the copy is waited for", 1},
		"written":         {start + "st.shared.b32 [%r3+8], %r1; cp.async.wait_all;", "before the copy is waited for", 0},
		"barrier":         {init + start + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];" + wait + other, "", 1},
		"barrier, own":    {init + start + "cp.async.mbarrier.arrive.shared.b64 [%r8]; mbarrier.arrive.shared.b64 %rd5, [%r8];" + wait + other, "", 1},
		"barrier, early":  {init + start + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r8];", "before the copy is waited for", 0},
		"barrier, nobody": {init + start + "mbarrier.arrive.shared.b64 %rd5, [%r8];" + wait, "before the copy is waited for", 0},
	} {
		t.Run(name, func(t *testing.T) {
			text := asyncKernel(c.steps)
			assembles(t, text)
			r := newRigText(t, Checked(), text)
			in := r.buffer("in", values(256, func(i int) int32 { return int32(i) }))
			out := r.buffer("out", make([]int32, 64))
			r.ok("k", 1, 64, in, out)
			if c.word == "" {
				r.clean()
				equal(t, "out", r.read(out, 64), values(64, func(i int) int32 { return 4*(int32(i)^c.from) + 1 }))
				return
			}
			r.one(device.Race, c.word)
			if strings.Contains(c.word, "copy") && r.d.Reports()[0].Rule != device.RuleRaceAsync {
				t.Errorf("rule %s", r.d.Reports()[0].Rule)
			}
		})
	}
}

// TestAsyncSizes: what a copy does not read is zero.
func TestAsyncSizes(t *testing.T) {
	for copying, want := range map[string]func(i int) int32{
		"cp.async.ca.shared.global [%r3], [%rd3], 16, 6":                               func(i int) int32 { return int32(4*i+1) & 0xffff },
		"cp.async.cg.shared.global [%r3], [%rd3], 16, 0":                               func(int) int32 { return 0 },
		"setp.lt.u32 %p1, %r1, 9; cp.async.ca.shared.global [%r3+4], [%rd3+8], 4, %p1": func(i int) int32 { return int32(4*i+2) * int32(max(0, min(1, i-8))) },
	} {
		text := asyncKernel(copying + "; cp.async.wait_all;")
		assembles(t, text)
		r := newRigText(t, Checked(), text)
		in := r.buffer("in", values(256, func(i int) int32 { return int32(i) }))
		out := r.buffer("out", make([]int32, 64))
		r.ok("k", 1, 64, in, out)
		r.clean()
		equal(t, copying, r.read(out, 64), values(64, want))
	}
}

// TestMemoryBarriers: phases, what arrivals return, bytes that are expected, and barriers that are used wrongly.
func TestMemoryBarriers(t *testing.T) {
	const init = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r8], 64; bar.sync 0;\n"
	const read = "selp.u32 %r7, 1, 0, %p2; add.u32 %r7, %r7, %r9; st.shared.b32 [%r4+4], %r7;"
	for name, c := range map[string]struct{ steps, fault string }{
		"token": {init + "mov.u32 %r9, 0; mbarrier.arrive.shared.b64 %rd5, [%r8]; L: mbarrier.test_wait.shared.b64 %p2, [%r8], %rd5; @!%p2 bra L;" + read, ""},
		"twice": {init + "mov.u32 %r9, 0; mbarrier.arrive.shared.b64 %rd5, [%r8]; L: mbarrier.try_wait.shared.b64 %p2, [%r8], %rd5; @!%p2 bra L; mbarrier.arrive.shared.b64 %rd5, [%r8]; M: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 1; @!%p2 bra M;" + read, ""},
		"bytes": {init + "mov.u32 %r9, 0; mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r8], 4; mbarrier.test_wait.shared.b64 %p3, [%r8], %rd5; selp.u32 %r9, 64, 0, %p3; mbarrier.complete_tx.shared.b64 [%r8], 4; L: mbarrier.test_wait.shared.b64 %p2, [%r8], %rd5; @!%p2 bra L;" + read, ""},
		"count": {init + "mov.u32 %r9, 0; mbarrier.arrive.noComplete.shared.b64 %rd5, [%r8], 2;" + read, "completes its phase"},
		"never": {"mbarrier.arrive.shared.b64 %rd5, [%r8]; setp.eq.u32 %p2, 0, 0; mov.u32 %r9, 0; " + read, "mbarrier.init has not made it"},
		"more":  {"setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r8], 63; bar.sync 0; mbarrier.arrive_drop.shared.b64 %rd5, [%r8]; setp.eq.u32 %p2, 0, 0; mov.u32 %r9, 0; " + read, "more threads arrive"},
		"place": {"mbarrier.arrive.b64 %rd5, [%rd1]; setp.eq.u32 %p2, 0, 0; mov.u32 %r9, 0; " + read, "not in shared memory"},
		"hangs": {init + "mov.u32 %r9, 0; @%p1 bra N; mbarrier.arrive.shared.b64 %rd5, [%r8]; N: L: mbarrier.test_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra L;" + read, "deadlock"},
	} {
		t.Run(name, func(t *testing.T) {
			text := asyncKernel(c.steps)
			assembles(t, text)
			o := Checked()
			o.SpinLimit = 50_000
			r := newRigText(t, o, text)
			in, out := r.buffer("in", make([]int32, 4)), r.buffer("out", make([]int32, 64))
			err := r.run("k", 1, 64, in, out)
			switch {
			case c.fault == "" && err != nil:
				t.Fatal(err)
			case c.fault == "":
				r.clean()
				equal(t, "out", r.read(out, 64), values(64, func(int) int32 { return 1 }))
			case err == nil || !strings.Contains(err.Error(), c.fault):
				t.Errorf("%v, want %q", err, c.fault)
			}
		})
	}
}

// TestBulkCopies: a copy of many bytes is there when the barrier that counts them has ended its phase, and an access before that is
// reported.
func TestBulkCopies(t *testing.T) {
	const init = "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r8], 64; bar.sync 0;\n"
	const copying = "mov.u32 %r9, 1024; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r9, [%r8];\n"
	const arrive = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r8], 1024; @!%p1 mbarrier.arrive.shared.b64 %rd5, [%r8];\n"
	const wait = "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra L;\n"
	for name, c := range map[string]struct {
		steps string
		word  string // of the report or fault; "" for none
	}{
		"waited for":       {init + copying + arrive + wait, ""},
		"expected apart":   {init + "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], 1024;" + copying + "mbarrier.arrive.shared.b64 %rd5, [%r8];\n" + wait, ""},
		"not waited for":   {init + copying + arrive, "unordered"},
		"only bar":         {init + copying + arrive + "bar.sync 0;", "before the copy is waited for"},
		"not its group":    {init + copying + arrive + "cp.async.wait_all; bar.sync 0;", "before the copy is waited for"},
		"not expected":     {init + copying + "mbarrier.arrive.shared.b64 %rd5, [%r8];\n" + wait, "before the copy is waited for"},
		"more is expected": {init + copying + strings.Replace(arrive, "1024", "1040", 1) + wait, "deadlock"},
		"written":          {init + copying + "st.shared.b32 [%r3+8], %r1;" + arrive + wait, "race on s+"},
		"its source":       {init + "add.u64 %rd1, %rd1, 4;" + copying + arrive + wait, "not a multiple of 16"},
		"its size":         {init + strings.Replace(copying, "1024", "1020", 1) + arrive + wait, "not a multiple of 16"},
		"too long":         {init + strings.Replace(copying, "1024", "2048", 1) + arrive + wait, "past its end"},
		"no barrier":       {"setp.eq.u32 %p1, %r1, 0;" + copying + wait, "mbarrier.init has not made it"},
	} {
		t.Run(name, func(t *testing.T) {
			text := asyncKernel(c.steps)
			assembles(t, text)
			o := Checked()
			o.SpinLimit = 50_000
			r := newRigText(t, o, text)
			in := r.buffer("in", values(256, func(i int) int32 { return int32(i) }))
			out := r.buffer("out", make([]int32, 64))
			err := r.run("k", 1, 64, in, out)
			switch reports := r.d.Reports(); {
			case c.word == "" && err != nil:
				t.Fatal(err)
			case c.word == "":
				r.clean()
				equal(t, "out", r.read(out, 64), values(64, func(i int) int32 { return 4*int32(i) + 1 }))
			case (err == nil || !strings.Contains(err.Error(), c.word)) && (len(reports) != 1 || !strings.Contains(reports[0].String(), c.word)):
				t.Errorf("%v and %v, want %q", err, reports, c.word)
			}
		})
	}
}
