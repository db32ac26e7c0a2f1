package difftest

import "fmt"

// collective adds an operation that all threads of a block do together.
func (g *generator) collective(b *block) {
	t := g.target(true)
	if t == nil {
		return
	}
	// set returns "$ = e;" for a text that is of type typ.
	set := func(typ *ctype, text string, args ...*exp) {
		e := convert(t.t, &exp{typ, text, args})
		b.add("$ = $;", t, e)
	}
	const full = "0xffffffffu"
	switch g.IntN(10) {
	case 0, 1:
		typ := pick(g, wide)
		width := g.one("", "", ", 8", ", 16")
		switch g.IntN(4) {
		case 0:
			set(typ, "__shfl_sync("+full+", $, $ & 31"+width+")", cast(typ, g.exp(2)), cast(tInt, g.exp(1)))
		case 1:
			set(typ, "__shfl_xor_sync("+full+", $, "+g.one("1", "3", "5", "8", "16", "31")+width+")", cast(typ, g.exp(2)))
		case 2:
			set(typ, "__shfl_up_sync("+full+", $, "+g.one("1u", "2u", "7u", "$ & 31u")+width+")", cast(typ, g.exp(2)), cast(tUInt, g.leaf()))
		default:
			set(typ, "__shfl_down_sync("+full+", $, "+g.one("1u", "3u", "$ & 7u")+width+")", cast(typ, g.exp(2)), cast(tUInt, g.leaf()))
		}
	case 2:
		set(tUInt, "__ballot_sync("+full+", $)", cast(tInt, g.exp(2)))
	case 3:
		set(tInt, g.one("__any_sync", "__all_sync")+"("+full+", $)", cast(tInt, g.exp(2)))
	case 4:
		set(tInt, g.one("__syncthreads_and", "__syncthreads_or", "__syncthreads_count")+"($)", cast(tInt, g.exp(2)))
	case 5:
		set(tUInt, "wsum($)", cast(tUInt, g.exp(2)))
	case 6:
		typ := pick(g, []*ctype{tInt, tUInt, tULLong})
		set(tUInt, "__match_any_sync("+full+", $)", cast(typ, &exp{tInt, "($ & 7)", []*exp{cast(tInt, g.exp(2))}}))
	case 7, 8:
		g.exchange(b, t)
	default:
		g.cells(b, t)
	}
}

// exchange passes values through shared memory.
func (g *generator) exchange(b *block, t *exp) {
	sh := pick(g, g.shared)
	if t.t.isInt() && sh.t.float {
		return
	}
	put := cast(sh.t, g.exp(2))
	switch {
	case g.IntN(3) == 0 && !sh.t.float && !sh.t.signed: // a reduction in log steps
		b.add(fmt.Sprintf("%[1]s[threadIdx.x] = $;\n__syncthreads();\nfor (unsigned o = 32u; o > 0u; o >>= 1) {\n"+
			"\tif (threadIdx.x < o) %[1]s[threadIdx.x] %[2]s= %[1]s[threadIdx.x + o];\n\t__syncthreads();\n}\n$ = %[1]s[0];\n__syncthreads();",
			sh.text, g.one("+", "^", "*")), put, t)
	case g.IntN(3) == 0: // within a warp
		b.add(fmt.Sprintf("__syncthreads();\n%[1]s[threadIdx.x] = $;\n__syncwarp();\n$ = %[1]s[threadIdx.x ^ %[2]s];\n__syncthreads();",
			sh.text, g.one("1u", "4u", "31u")), put, t)
	default:
		b.add(fmt.Sprintf("%[1]s[threadIdx.x] = $;\n__syncthreads();\n$ = %[1]s[(threadIdx.x + $) & 63u];\n__syncthreads();", sh.text),
			put, t, cast(tUInt, g.exp(1)))
	}
}

// cells does atomics in shared memory.
func (g *generator) cells(b *block, t *exp) {
	b.add(fmt.Sprintf("if (threadIdx.x < 8u) cells[threadIdx.x] = threadIdx.x;\n__syncthreads();\natomic%s(&cells[$], $);\n__syncthreads();\n$ = cells[$];\n__syncthreads();",
		g.one("Add", "Xor", "Max", "Min", "Or")), g.index(7), cast(tUInt, g.exp(2)), t, g.index(7))
}
