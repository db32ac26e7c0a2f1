package ptxtest

import (
	"fmt"
	"strings"
)

// InputWords is how many words of input a program reads.
const InputWords = 4096

// slotBytes are a thread's own bytes in each of shared, local and global memory.
const slotBytes = 64

// stride is how many bytes a thread stores: its slot of global memory, then the registers, and copies of the other slots.
const stride = 352

// OutputBytes returns the size of a program's output.
func (p *Program) OutputBytes() int { return p.Threads * p.Blocks * stride }

// Module returns the text of a module with programs.
func Module(programs ...*Program) string {
	var e emitter
	e.WriteString(".version 8.4\n.target sm_90\n.address_size 64\n\n.const .align 4 .b32 table[16] = { 0x7fffffff, 0x80000000, 1, 0x3f800000, " +
		"0xbf800000, 0x3c003c00, 0x7c00fc00, 0x3f803f80, 0x7f80ff80, 0xff, 0x80, 0x7f7f7f7f, 0x80808080, 0x00010001, 0xdeadbeef, 0x12345678 };\n")
	for _, p := range programs {
		p.write(&e)
	}
	return e.String()
}

// registers declares those that statements share, and those that they use for themselves.
func registers(e *emitter) {
	e.line(".reg .pred %%p<%d>, %%tp<2>", predicates)
	e.line(".reg .b16 %%h<%d>, %%th<4>", halfWords)
	e.line(".reg .b32 %%r<%d>, %%t<4>", words)
	e.line(".reg .b64 %%l<%d>, %%tl<2>", longWords)
}

// name returns the name of a function.
func (p *Program) name(i int) string { return fmt.Sprintf("f%d_%d", p.Seed, i) }

// Body returns the text of the program's statements, and of the functions that it calls, which differ from one program to the next;
// those before and behind them do not.
func (p *Program) Body() string {
	var e emitter
	main := p.main()
	e.WriteString(main)
	for _, i := range p.called(main) {
		fmt.Fprintf(&e, "%s:\n", p.name(i))
		e.list(p.funcs[i], place{})
	}
	return e.String()
}

// main returns the text of the statements that are not of a function.
func (p *Program) main() string {
	var e emitter
	e.list(p.body, place{})
	return e.String()
}

// called returns which functions the program calls, whose main text is main.
func (p *Program) called(main string) (list []int) {
	for i := range p.funcs {
		if strings.Contains(main, p.name(i)+",") {
			list = append(list, i)
		}
	}
	return list
}

// function writes a function of the program: its registers begin as what can be made of its parameters.
func (p *Program) function(e *emitter, i int) {
	fmt.Fprintf(e, "\n.func (.param .b32 r) %s(.param .b32 a, .param .b64 b)\n{\n", p.name(i))
	registers(e)
	e.line("ld.param.b32 %%r0, [a]")
	e.line("ld.param.b64 %%l0, [b]")
	for i := 1; i < words; i++ {
		e.line("mad.lo.u32 %%r%d, %%r0, 0x%x, %%r%d", i, p.consts[0]|1, i-1)
	}
	for i := 1; i < longWords; i++ {
		e.line("mad.lo.u64 %%l%d, %%l0, 0x%x, %%l%d", i, p.consts[1]|1, i-1)
	}
	derived(e)
	e.list(p.funcs[i], place{})
	for i := 1; i < words; i++ {
		e.line("mad.lo.u32 %%r0, %%r0, 31, %%r%d", i)
	}
	for i := range longWords {
		e.line("cvt.u32.u64 %%t0, %%l%d", i)
		e.line("mad.lo.u32 %%r0, %%r0, 31, %%t0")
	}
	for i := range halfWords {
		e.line("cvt.u32.u16 %%t0, %%h%d", i)
		e.line("mad.lo.u32 %%r0, %%r0, 31, %%t0")
	}
	for i := range predicates {
		e.line("selp.b32 %%t0, %d, 0, %%p%d", 1<<i, i)
		e.line("xor.b32 %%r0, %%r0, %%t0")
	}
	e.line("st.param.b32 [r], %%r0")
	e.WriteString("\tret;\n}\n")
}

// derived writes the first values of the other registers.
func derived(e *emitter) {
	for i := range halfWords {
		e.line("cvt.u16.u32 %%h%d, %%r%d", i, i)
	}
	for i := range predicates {
		e.line("setp.lt.s32 %%p%d, %%r%d, %%r%d", i, i, i+1)
	}
}

// write writes a program.
func (p *Program) write(e *emitter) {
	main := p.main()
	for _, i := range p.called(main) {
		p.function(e, i)
	}
	fmt.Fprintf(e, "\n.visible .entry %s(.param .u64 in, .param .u64 out)\n{\n", p.Kernel())
	registers(e)
	e.line(".reg .b32 %%u<%d>, %%n<%d>, %%m<%d>, %%a<24>", uniforms, maxNest+1, maxNest+2)
	e.line(".reg .b32 %%thread, %%threads, %%lane, %%own, %%slots, %%bar, %%mat")
	e.line(".reg .b64 %%e<24>, %%in, %%gown, %%own64, %%dig")
	warps := (p.Threads + 31) / 32
	e.line(".shared .align 16 .b8 own[%d]", slotBytes*p.Threads)
	e.line(".shared .align 16 .b8 mat[%d]", 2048*warps)
	e.line(".shared .align 8 .b8 bars[%d]", 8*p.Threads)
	e.line(".shared .align 16 .b8 counts[64]")
	e.line(".shared .align 8 .b64 gate")
	e.line(".local .align 16 .b8 slot[%d]", slotBytes)
	p.preamble(e)
	e.WriteString(main)
	p.epilogue(e)
	e.WriteString("\tret;\n}\n")
}

// preamble writes all that statements may read: registers and memory.
func (p *Program) preamble(e *emitter) {
	for l := range strings.SplitSeq(`ld.param.u64 %in, [in]
ld.param.u64 %gown, [out]
mov.u32 %thread, %tid.x
mov.u32 %threads, %ntid.x
mov.u32 %lane, %laneid
mov.u32 %t0, %ctaid.x
mad.lo.u32 %t0, %t0, %threads, %thread
mad.wide.u32 %gown, %t0, STRIDE, %gown
mov.u32 %slots, own
mad.lo.u32 %own, %thread, 64, %slots
cvt.u64.u32 %own64, %own
cvta.shared.u64 %own64, %own64
mov.u32 %bar, bars
mad.lo.u32 %bar, %thread, 8, %bar
shr.u32 %t1, %thread, 5
mov.u32 %mat, mat
mad.lo.u32 %mat, %t1, 2048, %mat
shl.b32 %t1, %t1, 5
sub.u32 %t1, %threads, %t1
min.u32 %t1, %t1, 32
bmsk.clamp.b32 %m0, 0, %t1
mov.b64 %dig, 1`, "\n") {
		e.line("%s", strings.ReplaceAll(l, "STRIDE", fmt.Sprint(stride)))
	}
	index := func(format string, args ...any) {
		e.line(format, args...)
		e.line("and.b32 %%t1, %%t1, %d", InputWords-2)
		e.line("mul.wide.u32 %%tl0, %%t1, 4")
		e.line("add.u64 %%tl0, %%in, %%tl0")
	}
	for i := range words {
		index("mad.lo.u32 %%t1, %%t0, 0x%x, 0x%x", p.consts[0]|1, p.consts[1]+uint32(i)*0x9e3779b9>>7)
		e.line("ld.global.b32 %%r%d, [%%tl0]", i)
	}
	for i := range longWords {
		index("mad.lo.u32 %%t1, %%t0, 0x%x, 0x%x", p.consts[2]|1, p.consts[3]+uint32(i)*0x85ebca6b>>5)
		e.line("ld.global.b64 %%l%d, [%%tl0]", i)
	}
	derived(e)
	for i := range uniforms {
		index("mov.u32 %%t1, 0x%x", p.consts[i])
		e.line("ld.global.b32 %%u%d, [%%tl0]", i)
	}
	for i := 0; i < slotBytes; i += 8 {
		e.line("st.shared.b64 [%%own+%d], %%l%d", i, i/8)
		e.line("st.local.b64 [slot+%d], %%l%d", i, 7-i/8)
		e.line("st.global.b64 [%%gown+%d], %%l%d", i, i/8)
	}
	e.line("setp.eq.u32 %%tp0, %%thread, 0")
	for i := 0; i < slotBytes; i += 8 {
		e.line("@%%tp0 st.shared.b64 [counts+%d], %%l%d", i, i/8)
	}
	e.line("bar.sync 0")
}

// epilogue writes the stores of all values; value knows their offsets.
func (p *Program) epilogue(e *emitter) {
	at := slotBytes
	store := func(typ string, size int, reg string) {
		e.line("st.global.%s [%%gown+%d], %s", typ, at, reg)
		at += size
	}
	store("b64", 8, "%dig")
	for i := range longWords {
		store("b64", 8, fmt.Sprintf("%%l%d", i))
	}
	for i := range words {
		store("b32", 4, fmt.Sprintf("%%r%d", i))
	}
	e.line("mov.b32 %%t0, 0")
	for i := range predicates {
		e.line("selp.b32 %%t1, %d, 0, %%p%d", 1<<i, i)
		e.line("or.b32 %%t0, %%t0, %%t1")
	}
	store("b32", 4, "%t0")
	for i := range uniforms {
		store("b32", 4, fmt.Sprintf("%%u%d", i))
	}
	for i := range halfWords {
		store("b16", 2, fmt.Sprintf("%%h%d", i))
	}
	at = (at + 7) / 8 * 8
	for i := 0; i < slotBytes; i += 8 {
		e.line("ld.shared.b64 %%tl0, [%%own+%d]", i)
		store("b64", 8, "%tl0")
	}
	for i := 0; i < slotBytes; i += 8 {
		e.line("ld.local.b64 %%tl0, [slot+%d]", i)
		store("b64", 8, "%tl0")
	}
}

// value returns the name of the value at an offset of a thread's output, where it begins and its size.
func value(at int) (name string, begin, size int) {
	const (
		longs  = slotBytes + 8
		words0 = longs + 8*longWords
		preds  = words0 + 4*words
		unis   = preds + 4
		halves = unis + 4*uniforms
		shared = (halves + 2*halfWords + 7) / 8 * 8
		local  = shared + slotBytes
	)
	of := func(first, size int, format string) (string, int, int) {
		i := (at - first) / size
		return fmt.Sprintf(format, i), first + i*size, size
	}
	switch {
	case at < slotBytes:
		return of(0, 1, "byte %d of global memory")
	case at < longs:
		return "the digest", slotBytes, 8
	case at < words0:
		return of(longs, 8, "%%l%d")
	case at < preds:
		return of(words0, 4, "%%r%d")
	case at < unis:
		return "the predicates", preds, 4
	case at < halves:
		return of(unis, 4, "%%u%d")
	case at < shared:
		return of(halves, 2, "%%h%d")
	case at < local:
		return of(shared, 1, "byte %d of shared memory")
	}
	return of(local, 1, "byte %d of local memory")
}
