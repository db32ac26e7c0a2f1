package ptxtest

// A template is an instruction, or a few that belong together, of the generator. In its text
//
//	<a|b>    is one of the alternatives
//	$=R      a register that is written: H has 16 bits, R 32, L 64, P is a predicate
//	$R       a register that is read
//	$K       a register of 32 bits or a constant
//	$N31     a number from 0 to 31
//	$A4      the offset of so many bytes, aligned, in a slot of memory that is the thread's; $B is the last one again
//	@M       the mask of the lanes that are here
//	@L       the beginning of a label
//	!f32 %t0 a line that replaces a NaN in a register by one that is always the same
//
// and %t0, %th0, %tl0, %tp0 and so on are registers that no other statement reads.
type template struct {
	text string
	// nan is the type of the result, if PTX leaves open which NaN it may be.
	nan string
}

// What ptxas 13.0 compiles wrongly is left out, and nothing else of those instructions:
//   - a guard of set and testp: where it is false, set changes its destination, too, and testp clears it; that of sums and
//     differences of four unsigned bytes that are added up it forgets;
//   - a constant amount of 65536 or more by which 16 bits are shifted: it is cut to 16 bits;
//   - a field of bfi.b32 whose length, a constant, is above 31 and whose position another above 0: the mask is that of the length
//     modulo 32; and one of bfe.s32 whose position is above 31, both constants: it is -1;
//   - the one of set.f32 and of set of a half: where it is zero-extended to 64 bits, it may become the integer 1, and that of a half is in
//     both halves of its register, although the upper one is taken for 0. Those ones go through a permutation of their bytes;
//   - pairs of bytes in floating point that become the lower half of a register: the register of the upper half may be overwritten
//     while it is in use. They go through xor;
//   - cvt.sat of a float that an integer instruction has saturated: it is dropped. Its operand goes through xor;
//   - a floating-point number of which a byte is stored, or by which 64 bits are shifted: it is converted to an integer of that size first,
//     where PTX takes its bits. It goes through xor, and so does what 16 bits are shifted by: a float's conversion to 32 bits without sign
//     becomes one to 16 bits, with a sign for shr.s16;
//   - the absolute value of a half, or of a pair of them, whose bits are of a float that has no sign, a saturated one or an absolute value:
//     it is dropped, although the lower half may have a sign. Its operand goes through xor;
//   - mad.hi.sat where another instruction has the lower bits of the same product: both become a wide one that does not saturate. A factor
//     goes through xor;
//   - a conversion of the bits of a cnot, taken for a floating-point number: the integer 1 becomes the number one. They go through xor;
//   - a byte or a half of a register that bfe.s32 or a vector load extends with its sign, and that a conversion takes for a number without
//     sign: the conversion becomes one of a byte or half with a sign. It goes through xor;
//   - sums of pairs of halves in shared memory, where the second operand is of a register of 64 bits: both halves of it are its lower one,
//     or the upper one is of the other 32 bits. It goes through xor;
//   - a remainder by a constant without sign, in a branch of brx.idx: the constant may be added where it should be subtracted. Divisors
//     differ among lanes.
//
// ptxas 13.5 compiles the three in front of the last one as 13.0 does.
//
// Open, too, is the absolute value of the least integer, and of 16 bits its negation: ptxas takes the one for positive, and does not
// cut the other to 16 bits. Minima may have any NaN: of twice the same operand ptxas makes a copy.
var unguarded = []string{"set.", "testp.", "vadd4.u32.u32.u32.add", "vsub4.u32.u32.u32.add"}

// A family is a kind of instruction, which is drawn as often as its weight says.
type family struct {
	weight int
	list   []template
}

// of returns templates without NaNs.
func of(texts ...string) []template {
	list := make([]template, len(texts))
	for i, t := range texts {
		list[i].text = t
	}
	return list
}

// nans returns templates whose result may be any NaN of a type.
func nans(typ string, texts ...string) []template {
	list := of(texts...)
	for i := range list {
		list[i].nan = typ
	}
	return list
}

// Sums and products name their rounding: without it, PTX allows that they become one fused multiplication and addition.
const (
	compare  = "<eq|ne|lt|le|gt|ge>"
	compareF = "<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>"
	rounding = "<rn|rz|rm|rp>"
)

// arithmetic is what functions, too, are made of.
var arithmetic = []family{
	{8, integers},
	{4, longs},
	{4, shorts},
	{8, packed},
	{8, bitFields},
	{4, carries},
	{6, singles},
	{3, doubles},
	{8, halves},
	{4, brains},
	{8, conversions},
	{3, tensorFormats},
	{6, comparisons},
	{4, moves},
	{4, shapes},
}

// families are what is done wherever some lanes come: whoever they are, they know each other by their mask.
var families = append(arithmetic[:len(arithmetic):len(arithmetic)], family{8, memory}, family{4, atomics}, family{2, copies}, family{8, lanes})

// warpFamilies are those that need all lanes of a warp, and blockFamilies those that need all threads of a block.
var (
	warpFamilies  = []family{{3, shuffles}, {4, products}, {2, matrices}}
	blockFamilies = []family{{1, barriers}}
)

var integers = of(
	"<add|sub|min|max>.<u32|s32> $=R, $R, $K",
	"mul.<lo|hi>.<u32|s32> $=R, $R, $K",
	"mad.<lo|hi>.<u32|s32> $=R, $R, $R, $K",
	"<add|sub>.sat.s32 $=R, $R, $K",
	"xor.b32 %t0, $R, 85\nmad.hi.sat.s32 $=R, %t0, $R, $R",
	"<mul24.lo|mul24.hi>.<u32|s32> $=R, $R, $R",
	"<mad24.lo|mad24.hi>.<u32|s32> $=R, $R, $R, $R",
	"sad.<u32|s32> $=R, $R, $R, $R",
	"neg.s32 $=R, $R",
	"max.s32 %t0, $R, -0x7fffffff\nabs.s32 $=R, %t0",
	"mov.u32 %t0, %laneid\nxor.b32 %t0, %t0, $R\nor.b32 %t0, %t0, 1\n<div|rem>.u32 $=R, $R, %t0",
	"and.b32 %t0, $R, 0x7ffffff\nor.b32 %t0, %t0, 1\n<div|rem>.s32 $=R, $R, %t0",
	"<min|max>.relu.s32 $=R, $R, $R",
	"<add|sub|min|max>.u32 $=R, $N255, $R",
)

var longs = of(
	"<add|sub|min|max>.<u64|s64> $=L, $L, $L",
	"mul.<lo|hi>.<u64|s64> $=L, $L, $L",
	"mad.lo.<u64|s64> $=L, $L, $L, $L",
	"mul.wide.<u32|s32> $=L, $R, $K",
	"mad.wide.<u32|s32> $=L, $R, $R, $L",
	"neg.s64 $=L, $L",
	"max.s64 %tl0, $L, -0x7fffffffffffffff\nabs.s64 $=L, %tl0",
	"sad.<u64|s64> $=L, $L, $L, $L",
	"<and|or|xor>.b64 $=L, $L, $L",
	"not.b64 $=L, $L",
	"cnot.b64 %tl0, $L\nxor.b64 $=L, %tl0, 85",
	"<shl.b64|shr.u64|shr.s64|shr.b64> $=L, $L, <0|1|2|15|16|31|32|33|63|64|65|127|255|256|-1>",
	"xor.b32 %t0, $R, 64\n<shl.b64|shr.u64|shr.s64|shr.b64> $=L, $L, %t0",
	"or.b64 %tl0, $L, 1\n<div|rem>.u64 $=L, $L, %tl0",
)

var shorts = of(
	"<add|sub|min|max>.<u16|s16> $=H, $H, $H",
	"mul.<lo|hi>.<u16|s16> $=H, $H, $H",
	"mad.lo.<u16|s16> $=H, $H, $H, $H",
	"mul.wide.<u16|s16> $=R, $H, $H",
	"mad.wide.<u16|s16> $=R, $H, $H, $R",
	"sad.<u16|s16> $=H, $H, $H, $H",
	"max.s16 %th0, $H, -0x7fff\n<abs|neg>.s16 $=H, %th0",
	"<and|or|xor>.b16 $=H, $H, $H",
	"not.b16 $=H, $H",
	"cnot.b16 %th0, $H\nxor.b16 $=H, %th0, 85",
	"xor.b32 %t0, $R, 16\n<shl.b16|shr.u16|shr.s16> $=H, $H, %t0",
	"<shl.b16|shr.u16|shr.s16> $=H, $H, <0|1|5|8|15|16|17|31|32|33|255|256|32768|65535>",
	"or.b16 %th0, $H, 1\n<div|rem>.u16 $=H, $H, %th0",
)

// packed are the instructions on the bytes and halves of a register.
var packed = of(
	"<vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4>.<u32.u32.u32|s32.s32.s32|u32.s32.u32|s32.u32.s32><|.sat|.add> $=R, $R, $R, $R",
	"<vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2>.<u32.u32.u32|s32.s32.s32|u32.s32.u32|s32.u32.s32><|.sat|.add> $=R, $R, $R, $R",
	"<add|min|max>.<u16x2|s16x2> $=R, $R, $R",
	"<min|max>.relu.s16x2 $=R, $R, $R",
	"cvt.pack.sat.<u16|s16>.s32 $=R, $R, $R",
	"cvt.pack.sat.<u8|s8>.s32.b32 $=R, $R, $R, $R",
	"dp4a.<u32|s32>.<u32|s32> $=R, $R, $R, $R",
	"dp2a.<lo|hi>.<u32|s32>.<u32|s32> $=R, $R, $R, $R",
	"prmt.b32 $=R, $R, $R, $K",
	"prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16> $=R, $R, $R, $R",
)

var bitFields = of(
	"<and|or|xor>.b32 $=R, $R, $K",
	"not.b32 $=R, $R",
	"cnot.b32 %t0, $R\nxor.b32 $=R, %t0, 85",
	"lop3.b32 $=R, $R, $R, $R, $N255",
	"shf.<l|r>.<wrap|clamp>.b32 $=R, $R, $R, $K",
	"<shl.b32|shr.u32|shr.s32> $=R, $R, $K",
	"mov.u32 %t0, %laneid\nxor.b32 %t0, %t0, $R\nbfe.<u32|s32> $=R, $R, %t0, $R", // the position is no constant
	"bfe.u32 $=R, $R, $N31, $N33",
	"bfe.s32 %t0, $R, $N31, $N33\nxor.b32 $=R, %t0, 85",
	"bfe.<u64|s64> $=L, $L, $N66, $N66",
	"and.b32 %t0, $R, 127\nbfe.<u64|s64> $=L, $L, %t0, $N66",                   // positions above 255 are not defined, and ptxas does not cut them off here
	"mov.u32 %t0, %laneid\nxor.b32 %t0, %t0, $R\nbfi.b32 $=R, $R, $R, $R, %t0", // the length is no constant
	"bfi.b32 $=R, $R, $R, $N31, $N31",
	"bfi.b32 $=R, $R, $R, 0, $N33",
	"bfi.b64 $=L, $L, $L, $N63, $N66",
	"<popc|clz>.b32 $=R, $R",
	"<popc|clz>.b64 $=R, $L",
	"bfind<|.shiftamt>.<u32|s32> $=R, $R",
	"bfind<|.shiftamt>.<u64|s64> $=R, $L",
	"brev.b32 $=R, $R",
	"brev.b64 $=L, $L",
	"and.b32 %t0, $R, 31\nshr.s32 %t1, $R, 27\nfns.b32 $=R, $R, %t0, %t1",
	"szext.<clamp|wrap>.<u32|s32> $=R, $R, $R",
	"bmsk.<clamp|wrap>.b32 $=R, $R, $R",
)

var carries = of(
	"<add.cc|sub.cc>.u32 $=R, $R, $K\n<addc|subc>.u32 $=R, $R, $R",
	"add.cc.u32 $=R, $R, $R\naddc.cc.u32 $=R, $R, $R\naddc.u32 $=R, $R, 0",
	"sub.cc.s32 $=R, $R, $R\nsubc.cc.s32 $=R, $R, $R\nsubc.s32 $=R, $R, 0",
	"mad.lo.cc.u32 $=R, $R, $R, $R\nmadc.hi.u32 $=R, $R, $R, $R",
	"mad.hi.cc.<u32|s32> $=R, $R, $R, $R\naddc.u32 $=R, $R, 0",
	"<add.cc|sub.cc>.u64 $=L, $L, $L\n<addc|subc>.u64 $=L, $L, $L",
)

var singles = append(nans("f32",
	"<abs|neg><|.ftz>.f32 $=R, $R",
	"<min|max><|.ftz><|.NaN>.xorsign.abs.f32 $=R, $R, $R",
	"<min|max><|.ftz><|.NaN>.f32 $=R, $R, $R",
	"copysign.f32 $=R, $R, $R",
	"cvt.<rni|rzi|rmi|rpi><|.ftz>.f32.f32 $=R, $R",
	"xor.b32 %t0, $R, 1\ncvt.sat.f32.f32 $=R, %t0",
	"cvt.ftz.f32.f32 $=R, $R",
), of(
	"<add|sub|mul>."+rounding+"<|.ftz><|.sat>.f32 $=R, $R, $R",
	"fma."+rounding+"<|.ftz><|.sat>.f32 $=R, $R, $R, $R",
	"div.rn<|.ftz>.f32 $=R, $R, $R",
	"<sqrt|rcp>."+rounding+".f32 $=R, $R",
)...)

var doubles = nans("f64",
	"<add|sub|mul>."+rounding+".f64 $=L, $L, $L",
	"fma."+rounding+".f64 $=L, $L, $L, $L",
	"<min|max>.f64 $=L, $L, $L",
	"<abs|neg>.f64 $=L, $L",
	"copysign.f64 $=L, $L, $L",
	"cvt.<rni|rzi|rmi|rpi>.f64.f64 $=L, $L",
	"sqrt.rn.f64 $=L, $L",
)

var halves = append(append(nans("f16",
	"neg<|.ftz>.f16 $=H, $H",
	"xor.b16 %th0, $H, 1\nabs<|.ftz>.f16 $=H, %th0",
	"<min|max><|.NaN>.xorsign.abs.f16 $=H, $H, $H",
	"<min|max><|.ftz><|.NaN>.f16 $=H, $H, $H",
), nans("f16x2",
	"neg<|.ftz>.f16x2 $=R, $R",
	"xor.b32 %t0, $R, 1\nabs<|.ftz>.f16x2 $=R, %t0",
	"<min|max><|.NaN>.xorsign.abs.f16x2 $=R, $R, $R",
	"<min|max><|.ftz><|.NaN>.f16x2 $=R, $R, $R",
)...), of(
	"<add|sub|mul>.rn<|.ftz><|.sat>.f16 $=H, $H, $H",
	"<add|sub|mul>.rn<|.ftz><|.sat>.f16x2 $=R, $R, $R",
	"fma.rn<|.ftz><|.sat|.relu>.f16 $=H, $H, $H, $H",
	"fma.rn<|.ftz><|.sat|.relu>.f16x2 $=R, $R, $R, $R",
)...)

var brains = append(append(nans("bf16",
	"neg.bf16 $=H, $H",
	"xor.b16 %th0, $H, 1\nabs.bf16 $=H, %th0",
	"<min|max><|.NaN>.xorsign.abs.bf16 $=H, $H, $H",
	"<min|max><|.NaN>.bf16 $=H, $H, $H",
), nans("bf16x2",
	"neg.bf16x2 $=R, $R",
	"xor.b32 %t0, $R, 1\nabs.bf16x2 $=R, %t0",
	"<min|max><|.NaN>.xorsign.abs.bf16x2 $=R, $R, $R",
	"<min|max><|.NaN>.bf16x2 $=R, $R, $R",
)...), of(
	"<add|sub|mul>.rn.bf16 $=H, $H, $H",
	"<add|sub|mul>.rn.bf16x2 $=R, $R, $R",
	"fma.rn<|.relu>.bf16 $=H, $H, $H, $H",
	"fma.rn<|.relu>.bf16x2 $=R, $R, $R, $R",
)...)

var conversions = append(nans("f64",
	"cvt.f64.f32 $=L, $R",
	"cvt.f64.f16 $=L, $H",
), of(
	"cvt.<rn|rz><|.relu>.<f16|bf16>.f32 $=H, $R",
	"cvt.<rn|rz><|.relu>.<f16x2|bf16x2>.f32 $=R, $R, $R",
	"cvt.f32.<f16|bf16> $=R, $H",
	"cvt."+rounding+".f32.f64 $=R, $L",
	"cvt.rn.f16.f64 $=H, $L",
	"cvt.<rni|rzi|rmi|rpi>.<u32|s32>.f32 $=R, $R",
	"cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f32 $=L, $R",
	"cvt.<rni|rzi|rmi|rpi>.<u32|s32>.f64 $=R, $L",
	"cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f64 $=L, $L",
	"cvt.<rni|rzi|rmi|rpi>.<u16|s16>.f16 $=H, $H",
	"cvt.<rni|rzi|rmi|rpi>.<u32|s32>.f16 $=R, $H",
	"cvt."+rounding+".f32.<u32|s32> $=R, $R",
	"cvt."+rounding+".f32.<u64|s64> $=R, $L",
	"cvt."+rounding+".f64.<u64|s64> $=L, $L",
	"cvt.rn.f64.<u32|s32> $=L, $R",
	"cvt.rn.f16.<u16|s16> $=H, $H",
	"cvt.rn.f16.<u32|s32> $=H, $R",
	"cvt<|.sat>.<u8|s8|u16|s16>.<u32|s32> $=R, $R",
	"cvt<|.sat>.<u32|s32>.<u64|s64> $=R, $L",
	"cvt<|.sat>.<u16|s16>.<u64|s64> $=H, $L",
	"cvt.<u64|s64>.<u8|s8|u16|s16> $=L, $H",
	"cvt<|.sat>.<u32.s32|s32.u32> $=R, $R",
)...)

// tensorFormats are the conversions to and from the formats of tensor cores.
var tensorFormats = append(nans("f32",
	"cvt.<rn|rz><|.relu>.tf32.f32 $=R, $R",
	"cvt.rna.tf32.f32 $=R, $R",
	"and.b32 %t0, $R, 0xfffff000\ncvt.<rn|rna>.tf32.f32 $=R, %t0", // halfway between two
), of(
	"and.b32 %t0, $R, 0xffff8000\ncvt.rn<|.relu>.bf16.f32 $=H, %t0",
	"and.b32 %t0, $R, 0xfffff000\ncvt.rn<|.relu>.f16.f32 $=H, %t0",
	"and.b32 %t0, $R, 0xfff80000\ncvt.rn.satfinite.<e4m3x2|e5m2x2>.f32 %th0, %t0, %t0\nxor.b16 $=H, %th0, 0x5555",
	"cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f32 %th0, $R, $R\nxor.b16 $=H, %th0, 0x5555",
	"cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f16x2 %th0, $R\nxor.b16 $=H, %th0, 0x5555",
	"cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2> $=R, $H",
)...)

var comparisons = of(
	"setp."+compare+".<u32|s32> $=P, $R, $K",
	"setp."+compare+".<u32|s32> $=P|$=P, $R, $K",
	"setp."+compare+".<and|or|xor>.<u32|s32> $=P, $R, $K, <|!>$P",
	"setp.<eq|ne|lo|ls|hi|hs>.u32 $=P, $R, $K",
	"setp."+compare+".<u64|s64> $=P, $L, $L",
	"setp."+compare+".<u16|s16> $=P, $H, $H",
	"setp."+compareF+"<|.ftz>.f32 $=P, $R, $R",
	"setp."+compareF+".<and|or|xor><|.ftz>.f32 $=P|$=P, $R, $R, $P",
	"setp."+compareF+".f64 $=P, $L, $L",
	"setp."+compareF+".<f16|bf16> $=P, $H, $H",
	"setp."+compareF+".<f16x2|bf16x2> $=P|$=P, $R, $R",
	"setp."+compareF+".<and|or|xor>.<f16x2|bf16x2> $=P|$=P, $R, $R, $P",
	"set."+compare+".<u32|s32>.<u32|s32> $=R, $R, $K",
	"set."+compareF+".<u32|s32>.f32 $=R, $R, $R",
	"set."+compare+".f32.<u32|s32> %t0, $R, $K\nprmt.b32 $=R, %t0, %t0, 0x2103",
	"set."+compareF+".f32.f32 %t0, $R, $R\nprmt.b32 $=R, %t0, %t0, 0x2103",
	"set."+compareF+".<u32|s32>.<f16|bf16> $=R, $H, $H",
	"set."+compareF+".<f16x2.f16x2|bf16x2.bf16x2|u32.f16x2|s32.bf16x2> $=R, $R, $R",
	"set."+compareF+".<f16.f16|bf16.bf16> %th0, $H, $H\nmov.b32 %t0, {%th0, %th0}\nprmt.b32 $=R, %t0, %t0, 0x2103",
	"testp.<finite|infinite|number|notanumber|normal|subnormal>.f32 $=P, $R",
	"testp.<finite|infinite|number|notanumber|normal|subnormal>.f64 $=P, $L",
	"<and|or|xor>.pred $=P, $P, $P",
	"not.pred $=P, $P",
)

var moves = of(
	"mov.b32 $=R, $K",
	"mov.b64 $=L, {$R, $R}",
	"mov.b64 {$=R, $=R}, $L",
	"mov.b32 $=R, {$H, $H}",
	"mov.b32 {$=H, $=H}, $R",
	"mov.b64 $=L, {$H, $H, $H, $H}",
	"selp.b32 $=R, $R, $K, $P",
	"selp.b64 $=L, $L, $L, $P",
	"selp.b16 $=H, $H, $H, $P",
	"slct.b32.s32 $=R, $R, $R, $R",
	"slct<|.ftz>.b32.f32 $=R, $R, $R, $R",
	"slct.b64.s32 $=L, $L, $L, $R",
	"cvt.u32.u16 $=R, $H",
	"cvt.u16.u32 $=H, $R",
	"mov.u32 $=R, <%tid.x|%ctaid.x|%ntid.x|%laneid|%lanemask_lt|%lanemask_le|%lanemask_eq|%lanemask_gt|%lanemask_ge>",
	"ld.const.b32 $=R, [table+<0|4|8|12|16|20|24|28|32|36|40|44|48|52|56|60>]",
)

// shapes bring the exponents of random bits into a range where arithmetic rounds rather than overflows.
var shapes = of(
	"and.b32 %t0, $R, 0x81ffffff\nadd.u32 $=R, %t0, 0x3f000000",
	"and.b32 %t0, $R, 0x83ff83ff\nadd.u32 $=R, %t0, 0x38003800",
	"and.b32 %t0, $R, 0x83ff83ff\nadd.u32 $=R, %t0, 0x3e003e00",
	"and.b64 %tl0, $L, 0x803fffffffffffff\nadd.u64 $=L, %tl0, 0x3fd0000000000000",
	"and.b16 %th0, $H, 0x83ff\nadd.u16 $=H, %th0, <0x3800|0x3e00>",
	"and.b32 $=R, $R, <1|3|7|15|255|0xffff>",
	"and.b32 $=R, $R, <0xfffff000|0xffff8000|0xfff80000>", // halfway between two numbers of a narrower format
	"and.b32 $=R, $R, <0x807fffff|0x83ff83ff|0x807f807f>", // subnormal
	"and.b64 $=L, $L, <0xfffffffff0000000|0x800fffffffffffff>",
	"mov.b32 $=R, <0|0x80000000|0x7f800000|0xff800000|0x7fffffff|1|0x80000001|0x7f7fffff|0x00800000|0x7c007c00|0xfc007bff|0x03ff8400|0x7f80ff80|0x7f7f0080|0x43e00000|0x47600000|0xffffffff>",
	"mov.b64 $=L, <0|0x8000000000000000|0x7ff0000000000000|0x1|0x7fefffffffffffff|0x0010000000000000|0xffffffffffffffff|0x3ff0000010000000>",
)
