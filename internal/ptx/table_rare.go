package ptx

// rareRows are instructions that few programs use: on bytes and pairs of 16 bits, conversions to 8 bits of
// floats, and hints to caches.
var rareRows = []formRow{
	{"add", "T=u16x2|s16x2", "=T T T"},
	{"min max", "T=u16x2|s16x2", "=T T T"},
	{"min max", "relu T=s16x2|s32", "=T T T"},
	{"min max", "?ftz ?NaN xorsign abs T=f32", "=T T T"},
	{"min max", "?NaN xorsign abs T=f16|f16x2|bf16|bf16x2", "=T T T"},
	{"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4", "u32|s32 u32|s32 u32|s32 ?sat|add", "=b32 b32 b32 b32"},
	{"vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2", "u32|s32 u32|s32 u32|s32 ?sat|add", "=b32 b32 b32 b32"},
	{"cvt", "rna tf32 f32", "=b32 f32"},
	{"cvt", "rn|rz ?relu tf32 f32", "=b32 f32"},
	{"cvt", "rn satfinite ?relu e4m3x2|e5m2x2 f32", "=b16 f32 f32"},
	{"cvt", "rn satfinite ?relu e4m3x2|e5m2x2 f16x2", "=b16 b32"},
	{"cvt", "rn ?relu f16x2 e4m3x2|e5m2x2", "=b32 b16"},
	{"cvt", "pack sat u16|s16 s32", "=b32 s32 s32"},
	{"cvt", "pack sat u8|s8 s32 b32", "=b32 s32 s32 b32"},
	{"elect", "sync", "=b32p b32"},
	{"createpolicy", "fractional L2::evict_first|L2::evict_last|L2::evict_normal|L2::evict_unchanged ?L2::evict_first|L2::evict_unchanged b64", "=u64"},
	{"createpolicy", "fractional L2::evict_first|L2::evict_last|L2::evict_normal|L2::evict_unchanged ?L2::evict_first|L2::evict_unchanged b64", "=u64 f32"},
	{"ld", "global ?nc ?$ltag L2::cache_hint ?$lpre ?v2|v4 T=$mem", "=V M u64"},
	{"st", "global ?$ltag L2::cache_hint ?v2|v4 T=$mem", "M V u64"},
	{"prefetch", "global L2::evict_last|L2::evict_normal", "M"},
	{"discard", "?global L2", "M I"},
	{"applypriority", "?global L2::evict_normal", "M I"},
}
