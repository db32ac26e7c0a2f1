package ptx

// halfRows are the instructions on 16-bit floats: f16 and bf16, and pairs of them in 32 bits.
// Minimum targets are in needs.go.
var halfRows = []formRow{
	{"add sub mul", "?rn ?ftz ?sat T=f16|f16x2", "=T T T"},
	{"add sub mul", "?rn T=bf16|bf16x2", "=T T T"},
	{"fma", "rn ?ftz ?sat T=f16|f16x2", "=T T T T"},
	{"fma", "rn ?ftz relu T=f16|f16x2", "=T T T T"},
	{"fma", "rn ?relu T=bf16|bf16x2", "=T T T T"},
	{"abs neg", "?ftz T=f16|f16x2", "=T T"},
	{"abs neg", "T=bf16|bf16x2", "=T T"},
	{"min max", "?ftz ?NaN T=f16|f16x2", "=T T T"},
	{"min max", "?NaN T=bf16|bf16x2", "=T T T"},
	{"ex2", "approx T=f16|f16x2", "=T T"},
	{"ex2", "approx ftz T=bf16|bf16x2", "=T T"},
	{"tanh", "approx T=f16|f16x2|bf16|bf16x2", "=T T"},

	{"setp", "$fcmp ?ftz T=f16|bf16", "=pred T T"},
	{"setp", "$fcmp $bool ?ftz T=f16|bf16", "=pred T T pred"},
	{"setp", "$fcmp ?ftz T=f16x2|bf16x2", "=pp T T"},
	{"setp", "$fcmp $bool ?ftz T=f16x2|bf16x2", "=pp T T pred"},
	{"set", "$fcmp ?ftz T=u16|s16|u32|s32|f16 U=f16", "=T U U"},
	{"set", "$fcmp $bool ?ftz T=u16|s16|u32|s32|f16 U=f16", "=T U U pred"},
	{"set", "$fcmp T=u16|s16|u32|s32|bf16 U=bf16", "=T U U"},
	{"set", "$fcmp $bool T=u16|s16|u32|s32|bf16 U=bf16", "=T U U pred"},
	{"set", "$fcmp ?ftz T=u32|s32|f16x2 U=f16x2", "=T U U"},
	{"set", "$fcmp $bool ?ftz T=u32|s32|f16x2 U=f16x2", "=T U U pred"},
	{"set", "$fcmp T=u32|s32|bf16x2 U=bf16x2", "=T U U"},
	{"set", "$fcmp $bool T=u32|s32|bf16x2 U=bf16x2", "=T U U pred"},

	{"cvt", "rn|rz relu T=f16|bf16 U=f32", "=T U"},
	{"cvt", "rn|rz ?relu T=f16x2|bf16x2 U=f32", "=T U U"},

	{"atom", "$sem add noftz T=f16|f16x2|bf16|bf16x2", "=T M T"},
	{"red", "$sem add noftz T=f16|f16x2|bf16|bf16x2", "M T"},
}
