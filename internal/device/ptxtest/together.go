package ptxtest

import "strings"

// This file has the instructions on memory, and those that several threads execute together. A thread has a slot of 64 bytes in
// shared memory (at %own, generic at %own64), in local memory (slot) and in global memory (%gown), all initialised, and
// reads of the inputs at %in whatever word it likes.

var memory = of(
	"st.shared.b32 [%own+$A4], $R",
	"st.shared.b16 [%own+$A2], $H",
	"xor.b32 %t0, $R, 85\nst.shared.b8 [%own+$A1], %t0",
	"st.shared.b64 [%own+$A8], $L",
	"st.shared.v2.b32 [%own+$A8], {$R, $R}",
	"st.shared.v4.b32 [%own+$A16], {$R, $R, $R, $R}",
	"st.shared.v2.b64 [%own+$A16], {$L, $L}",
	"st.shared.v4.b16 [%own+$A8], {$H, $H, $H, $H}",
	"st.local.b32 [slot+$A4], $R",
	"st.local.v4.b32 [slot+$A16], {$R, $R, $R, $R}",
	"st.global.b32 [%gown+$A4], $R",
	"st.global.v2.b64 [%gown+$A16], {$L, $L}",
	"xor.b16 %th0, $H, 85\nst.global.b8 [%gown+$A1], %th0",
	"st.b32 [%own64+$A4], $R",
	"ld.shared.<u8|s8> $=R, [%own+$A1]",
	"ld.shared.<u16|s16> $=R, [%own+$A2]",
	"ld.shared.b16 $=H, [%own+$A2]",
	"ld.shared.b32 $=R, [%own+$A4]",
	"ld.shared.b64 $=L, [%own+$A8]",
	"ld.shared.<u32|s32> $=L, [%own+$A4]",
	"ld.shared.v2.b32 {$=R, $=R}, [%own+$A8]",
	"ld.shared.v4.b32 {$=R, $=R, $=R, $=R}, [%own+$A16]",
	"ld.shared.v4.u8 {$=R, $=R, $=R, $=R}, [%own+$A4]",
	"ld.shared.v4.s8 {%t0, %t1, %t2, %t3}, [%own+$A4]\nxor.b32 $=R, %t0, 85\nxor.b32 $=R, %t1, 85\nxor.b32 $=R, %t2, 85\nxor.b32 $=R, %t3, 85",
	"ld.local.<b32|s32> $=R, [slot+$A4]",
	"ld.local.v2.b64 {$=L, $=L}, [slot+$A16]",
	"ld.global.b32 $=R, [%gown+$A4]",
	"ld.global.v4.<u16|s16> {$=H, $=H, $=H, $=H}, [%gown+$A8]",
	"ld.<b32|u32> $=R, [%own64+$A4]",
	"and.b32 %t0, $R, 60\nadd.u32 %t0, %own, %t0\nld.shared.b32 $=R, [%t0]",
	"and.b32 %t0, $R, 60\nadd.u32 %t0, %own, %t0\nst.shared.b32 [%t0], $R",
	"and.b32 %t0, $R, 56\nmov.u32 %t1, slot\nadd.u32 %t0, %t0, %t1\nld.local.b64 $=L, [%t0]",
	"and.b32 %t0, $R, 56\nmov.u32 %t1, slot\nadd.u32 %t0, %t0, %t1\nst.local.v2.b32 [%t0], {$R, $R}",
	"and.b32 %t0, $R, 4095\nmul.wide.u32 %tl0, %t0, 4\nadd.u64 %tl0, %in, %tl0\nld.global<|.nc|.ca|.cg>.b32 $=R, [%tl0]",
	"and.b32 %t0, $R, 4092\nmul.wide.u32 %tl0, %t0, 4\nadd.u64 %tl0, %in, %tl0\nld.global<|.nc>.v4.b32 {$=R, $=R, $=R, $=R}, [%tl0]",
	"and.b32 %t0, $R, 4094\nmul.wide.u32 %tl0, %t0, 4\nadd.u64 %tl0, %in, %tl0\nld.global<|.nc>.<b64|s64|f64> $=L, [%tl0]",
	"isspacep.<shared|global|local> $=P, %own64",
	"mov.u32 %t0, slot\ncvt.u64.u32 %tl0, %t0\ncvta.local.u64 %tl0, %tl0\nld.b32 $=R, [%tl0+$A4]",
)

// atomics are of the thread's own memory: their results do not depend on the order of threads.
var atomics = append(of(
	"atom.shared.<add|min|max>.<u32|s32> $=R, [%own+$A4], $R",
	"atom.global.<add|min|max>.<u32|s32> $=R, [%gown+$A4], $R",
	"atom.<add|min|max>.<u32|s32> $=R, [%own64+$A4], $R",
	"atom.shared.<inc|dec>.u32 $=R, [%own+$A4], $R",
	"atom.<shared.and|shared.or|shared.xor|shared.exch>.b32 $=R, [%own+$A4], $R",
	"atom.global.<and|or|xor|exch>.b64 $=L, [%gown+$A8], $L",
	"atom.shared.<add|min|max>.u64 $=L, [%own+$A8], $L",
	"atom.global.<min|max>.<u64|s64> $=L, [%gown+$A8], $L",
	"atom.shared.cas.b32 $=R, [%own+$A4], $R, $R",
	"ld.shared.b32 %t0, [%own+$A4]\natom.shared.cas.b32 $=R, [%own+$B], %t0, $R",
	"atom.global.cas.b64 $=L, [%gown+$A8], $L, $L",
	"ld.global.b16 %th0, [%gown+$A4]\natom.global.cas.b16 $=H, [%gown+$B], %th0, $H",
	"red.shared.<add|min|max>.<u32|s32> [%own+$A4], $R",
	"red.global.<and|or|xor>.b32 [%gown+$A4], $R",
	"red.<add.u64|max.u64|min.s64> [%own64+$A8], $L",
), floatAtomics()...)

// floatAtomics are sums of floating-point numbers in memory, where NaNs are replaced.
func floatAtomics() (list []template) {
	for _, t := range []struct{ typ, op, reg, temp, move string }{
		{"f32", "add.f32", "R", "%t0", "b32"}, {"f64", "add.f64", "L", "%tl0", "b64"},
		{"f16x2", "add.noftz.f16x2", "R", "%t0", "b32"}, {"bf16x2", "add.noftz.bf16x2", "R", "%t0", "b32"},
		{"f16", "add.noftz.f16", "H", "%th0", "b16"}, {"bf16", "add.noftz.bf16", "H", "%th0", "b16"},
	} {
		for _, m := range [][2]string{{"shared", "%own"}, {"global", "%gown"}} {
			if t.typ == "f32" && m[0] == "global" {
				continue
			}
			before, addend := "", "$"+t.reg
			if m[0] == "shared" && strings.HasSuffix(t.typ, "x2") {
				before, addend = "xor.b32 %t1, $R, 85\n", "%t1"
			}
			list = append(list, template{text: before + "atom." + m[0] + "." + t.op + " $=" + t.reg + ", [" + m[1] + "+$A8], " + addend +
				"\nld." + m[0] + "." + t.move + " " + t.temp + ", [" + m[1] + "+$B]\n!" + t.typ + " " + t.temp +
				"\nst." + m[0] + "." + t.move + " [" + m[1] + "+$B], " + t.temp})
		}
	}
	// Devices differ in whether sums of f32 in global memory flush subnormal numbers: these are near one.
	near := func(r string) string {
		return "and.b32 " + r + ", $R, 0x81ffffff\nadd.u32 " + r + ", " + r + ", 0x3f000000\n"
	}
	return append(list, template{text: near("%t0") + near("%t1") + "st.global.b32 [%gown+$A4], %t0\natom.global.add.f32 $=R, [%gown+$B], %t1"})
}

const input = "and.b32 %t0, $R, 4092\nmul.wide.u32 %tl0, %t0, 4\nadd.u64 %tl0, %in, %tl0\n"

// copies are asynchronous copies into the thread's own memory, and barriers in memory that only the thread itself uses.
var copies = of(
	input+"cp.async.ca.shared.global [%own+$A16], [%tl0], <4|8|16>\ncp.async.commit_group\ncp.async.wait_group 0\nld.shared.b32 $=R, [%own+$B]",
	input+"cp.async.cg.shared.global [%own+$A16], [%tl0], 16\ncp.async.wait_all\nld.shared.v2.b64 {$=L, $=L}, [%own+$B]",
	input+"and.b32 %t1, $R, 15\ncp.async.cg.shared.global [%own+$A16], [%tl0], 16, %t1\ncp.async.wait_all\nld.shared.v2.b64 {$=L, $=L}, [%own+$B]",
	input+"cp.async.ca.shared.global [%own+16], [%tl0], 8\ncp.async.commit_group\ncp.async.ca.shared.global [%own+32], [%tl0+4], 4\ncp.async.commit_group\n"+
		"cp.async.wait_group 1\nld.shared.b64 $=L, [%own+16]\ncp.async.wait_group 0\nld.shared.b32 $=R, [%own+32]",
	input+"mbarrier.init.shared.b64 [%bar], 1\ncp.async.ca.shared.global [%own+$A16], [%tl0], 16\ncp.async.mbarrier.arrive.noinc.shared.b64 [%bar]\n"+
		"@Lwait:\nmbarrier.test_wait.parity.shared.b64 %tp0, [%bar], 0\n@!%tp0 bra @Lwait\nld.shared.b32 $=R, [%own+$B]\nmbarrier.inval.shared.b64 [%bar]",
	"mbarrier.init.shared.b64 [%bar], 3\nmbarrier.arrive.noComplete.shared.b64 %tl0, [%bar], 2\nmbarrier.pending_count.b64 $=R, %tl0\n"+
		"mbarrier.test_wait.shared.b64 $=P, [%bar], %tl0\nmbarrier.arrive.shared.b64 %tl1, [%bar]\nmbarrier.pending_count.b64 $=R, %tl1\n"+
		"mbarrier.test_wait.shared.b64 $=P, [%bar], %tl1\nmbarrier.test_wait.parity.shared.b64 $=P, [%bar], <0|1>\nmbarrier.inval.shared.b64 [%bar]",
	"mbarrier.init.shared.b64 [%bar], 2\nmbarrier.arrive_drop.shared.b64 %tl0, [%bar]\nmbarrier.arrive.shared.b64 %tl0, [%bar]\n"+
		"mbarrier.arrive.shared.b64 %tl1, [%bar]\nmbarrier.pending_count.b64 $=R, %tl1\nmbarrier.test_wait.shared.b64 $=P, [%bar], %tl1\nmbarrier.inval.shared.b64 [%bar]",
	"mbarrier.init.shared.b64 [%bar], 1\nmbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16\nmbarrier.arrive.shared.b64 %tl0, [%bar]\n"+
		"mbarrier.test_wait.shared.b64 $=P, [%bar], %tl0\nmbarrier.complete_tx.relaxed.cta.shared.b64 [%bar], 16\n"+
		"mbarrier.test_wait.shared.b64 $=P, [%bar], %tl0\nmbarrier.inval.shared.b64 [%bar]",
)

// other puts the number of one of the lanes that are here in %t1.
const other = "popc.b32 %t0, @M\nrem.u32 %t1, $R, %t0\nadd.u32 %t1, %t1, 1\nfns.b32 %t1, @M, 0, %t1\n"

// lanes are the operations among the lanes that are here. Which lane is elected, and which others are active, PTX leaves open.
var lanes = of(
	"vote.sync.ballot.b32 $=R, <|!>$P, @M",
	"vote.sync.<all|any|uni>.pred $=P, <|!>$P, @M",
	"and.b32 %t0, $R, <1|3|12>\nmatch.any.sync.b32 $=R, %t0, @M",
	"and.b64 %tl0, $L, 0x300000001\nmatch.any.sync.b64 $=R, %tl0, @M",
	"and.b32 %t0, $R, <0|1>\nmatch.all.sync.b32 $=R|$=P, %t0, @M",
	"match.all.sync.b64 $=R|$=P, $L, @M",
	"redux.sync.<add|min|max>.<u32|s32> $=R, $R, @M",
	"redux.sync.<and|or|xor>.b32 $=R, $R, @M",
	"activemask.b32 %t0\nmov.u32 %t1, %lanemask_eq\nand.b32 $=R, %t0, %t1",
	"elect.sync %t0|%tp0, @M\nvote.sync.ballot.b32 %t1, %tp0, @M\npopc.b32 %t2, %t1\nshl.b32 %t3, 1, %t0\nand.b32 %t1, %t1, %t3\npopc.b32 %t1, %t1\nmad.lo.u32 $=R, %t2, 4, %t1",
	other+"shfl.sync.idx.b32 $=R, $R, %t1, 31, @M",
	other+"shfl.sync.idx.b32 $=R|$=P, $R, %t1, 0x1f, @M",
	"bar.warp.sync @M",
	other+"sub.s32 %t1, %t1, %lane\nmad.lo.u32 %t1, %t1, 64, %own\nbar.warp.sync @M\nst.shared.b32 [%own+$A4], $R\nbar.warp.sync @M\n"+
		"ld.shared.b32 $=R, [%t1+$B]\nbar.warp.sync @M",
)

// shuffles are between all lanes of a warp: the last operand but one has the segments and their bounds.
var shuffles = of(
	"shfl.sync.<up|down|bfly|idx>.b32 $=R|$=P, $R, $R, <0|31|0x1c03|0x1807|0x100f|0x1e01|0x101f|7|0x0404>, -1",
	"shfl.sync.up.b32 $=R, $R, $N31, <0|0x1c00>, -1",
	"shfl.sync.down.b32 $=R|$=P, $R, $N31, 31, -1",
	"shfl.sync.bfly.b32 $=R|$=P, $R, $N31, <31|0x181f>, -1",
	"shfl.sync.idx.b32 $=R|$=P, $R, $K, 31, -1",
)

// neighbour puts the offset of another thread of the block, in units of bytes, in %t0.
const neighbour = "add.u32 %t0, %thread, $N255\nrem.u32 %t0, %t0, %threads\n"

// barriers are exchanges between the threads of a block.
var barriers = of(
	"bar.sync 0\nst.shared.b32 [%own+$A4], $R\nbar.sync <0|1|15>\n"+neighbour+"mad.lo.u32 %t0, %t0, 64, %slots\nld.shared.b32 $=R, [%t0+$B]\nbar.sync 0",
	"bar.sync 0\nst.shared.b64 [%own+$A8], $L\nbarrier.sync 2\n"+neighbour+"mad.lo.u32 %t0, %t0, 64, %slots\nld.shared.b64 $=L, [%t0+$B]\nbar.sync 0",
	"bar.red.popc.u32 $=R, 0, $P",
	"bar.red.<and|or>.pred $=P, <0|3>, $P",
	"bar.sync 0\nred.shared.<add|min|max>.<u32|s32> [counts+$A4], $R\nbar.sync 0\nld.shared.b32 $=R, [counts+$B]",
	"bar.sync 0\nred.shared.<and|or|xor>.b32 [counts+$A4], $R\nbar.sync 0\nld.shared.b32 $=R, [counts+$B]",
	"bar.sync 0\nred.shared.add.u64 [counts+$A8], $L\nbar.sync 0\nld.shared.b64 $=L, [counts+$B]",
	"setp.eq.u32 %tp1, %thread, 0\nbar.sync 0\n@%tp1 mbarrier.init.shared.b64 [gate], %threads\nbar.sync 0\nst.shared.b32 [%own+$A4], $R\nmbarrier.arrive.shared.b64 %tl0, [gate]\n"+
		"@Lwait:\nmbarrier.<test_wait|try_wait>.shared.b64 %tp0, [gate], %tl0\n@!%tp0 bra @Lwait\n"+
		neighbour+"mad.lo.u32 %t0, %t0, 64, %slots\nld.shared.b32 $=R, [%t0+$B]\nbar.sync 0\n@%tp1 mbarrier.inval.shared.b64 [gate]",
)
