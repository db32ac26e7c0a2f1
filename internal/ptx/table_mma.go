package ptx

import (
	"strconv"
	"strings"
)

// mmaRows are the products of matrices that a warp makes with its tensor cores, in the
// shapes that the device headers use. "v4:f32" is a vector of four values of a type.
var mmaRows = []formRow{
	{"mma", "sync aligned m16n8k8 row col f32 f16 f16 f32", "=v4:f32 v2:b32 v1:b32 v4:f32"},
	{"mma", "sync aligned m16n8k8 row col f16 f16 f16 f16", "=v2:b32 v2:b32 v1:b32 v2:b32"},
	{"mma", "sync aligned m16n8k16 row col f32 f16 f16 f32", "=v4:f32 v4:b32 v2:b32 v4:f32"},
	{"mma", "sync aligned m16n8k16 row col f16 f16 f16 f16", "=v2:b32 v4:b32 v2:b32 v2:b32"},
	{"mma", "sync aligned m16n8k16 row col f32 bf16 bf16 f32", "=v4:f32 v4:b32 v2:b32 v4:f32"},
	{"mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "=v4:f32 v4:b32 v2:b32 v4:f32"},
	{"mma", "sync aligned m8n8k4 row col f64 f64 f64 f64", "=v2:f64 v1:f64 v1:f64 v2:f64"},
	{"mma", "sync aligned m8n8k16 row col ?satfinite s32 s8|u8 s8|u8 s32", "=v2:s32 v1:b32 v1:b32 v2:s32"},
	{"mma", "sync aligned m16n8k16 row col ?satfinite s32 s8|u8 s8|u8 s32", "=v4:s32 v2:b32 v1:b32 v4:s32"},
	{"mma", "sync aligned m16n8k32 row col ?satfinite s32 s8|u8 s8|u8 s32", "=v4:s32 v4:b32 v2:b32 v4:s32"},
	{"mma", "sync aligned m16n8k32 row col ?satfinite s32 s4|u4 s4|u4 s32", "=v4:s32 v2:b32 v1:b32 v4:s32"},
	{"mma", "sync aligned m16n8k64 row col ?satfinite s32 s4|u4 s4|u4 s32", "=v4:s32 v4:b32 v2:b32 v4:s32"},
	{"mma", "sync aligned m16n8k8 row col f32 bf16 bf16 f32", "=v4:f32 v2:b32 v1:b32 v4:f32"},
	{"mma", "sync aligned m16n8k4 row col f32 tf32 tf32 f32", "=v4:f32 v2:b32 v1:b32 v4:f32"},
	{"mma", "sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "=v4:f32 v4:b32 v2:b32 v4:f32"},
	{"mma", "sync aligned m16n8k4 row col f64 f64 f64 f64", "=v4:f64 v2:f64 v1:f64 v4:f64"},
	{"mma", "sync aligned m16n8k8 row col f64 f64 f64 f64", "=v4:f64 v4:f64 v2:f64 v4:f64"},
	{"mma", "sync aligned m16n8k16 row col f64 f64 f64 f64", "=v4:f64 v8:f64 v4:f64 v4:f64"},

	{"ldmatrix", "sync aligned m8n8 x1 ?trans ?shared|shared::cta b16", "=v1:b32 M"},
	{"ldmatrix", "sync aligned m8n8 x2 ?trans ?shared|shared::cta b16", "=v2:b32 M"},
	{"ldmatrix", "sync aligned m8n8 x4 ?trans ?shared|shared::cta b16", "=v4:b32 M"},
	{"stmatrix", "sync aligned m8n8 x1 ?trans ?shared|shared::cta b16", "M v1:b32"},
	{"stmatrix", "sync aligned m8n8 x2 ?trans ?shared|shared::cta b16", "M v2:b32"},
	{"stmatrix", "sync aligned m8n8 x4 ?trans ?shared|shared::cta b16", "M v4:b32"},
	{"movmatrix", "sync aligned m8n8 trans b16", "=b32 b32"},
}

// vectorSpec reads an operand's "v4:f32": the number of values, and their type.
func vectorSpec(spec string) (n int, t Type, ok bool) {
	count, typ, ok := strings.Cut(spec, ":")
	if !ok || count[0] != 'v' {
		return 0, "", false
	}
	n, err := strconv.Atoi(count[1:])
	return n, Type(typ), err == nil
}

// values checks a vector of n values of type t.
func (c *operandChecker) values(o Operand, n int, t Type, dest bool) {
	if o.Kind != KindVector || len(o.List) != n {
		c.shape(o, "a vector of "+strconv.Itoa(n))
		return
	}
	for _, e := range o.List {
		c.value(e, t, dest, t == "b8") // bytes are in registers of 16 bits
	}
}

// needsMMA returns the need of a product of matrices.
func needsMMA(in *Inst) Need {
	shape, kind := in.Mods[2], in.Mods[6]
	switch {
	case shape == "m16n8k8" && kind == "f16" || shape == "m8n8k16":
		return oldest
	case kind == "e4m3" || kind == "e5m2":
		return Need{8.4, 89}
	case kind == "f64" && shape != "m8n8k4":
		return Need{7.8, 90}
	}
	return Need{7.0, 80}
}

// needsWMMA is needsMMA for wmma.
func needsWMMA(in *Inst) Need {
	for _, m := range in.Mods {
		if m == "bf16" || m == "tf32" || m == "f64" || m == "m16n16k8" || m == "m8n8k4" {
			return Need{7.0, 80}
		}
	}
	return oldest
}

// wmmaRows are the same products with fragments that only these instructions know: loads and stores of them, and
// products of what was loaded.
func wmmaRows() []formRow {
	var rows []formRow
	add := func(shapes, typ, a, b string, c ...string) {
		for _, f := range [...]struct{ name, values string }{{"a", a}, {"b", b}} {
			rows = append(rows, formRow{"wmma", "load " + f.name + " sync aligned row|col " + shapes + " ?global|shared " + typ, "=" + f.values + " M"},
				formRow{"wmma", "load " + f.name + " sync aligned row|col " + shapes + " ?global|shared " + typ, "=" + f.values + " M u32"})
		}
		for _, values := range c {
			_, t, _ := vectorSpec(values)
			kind := string(t)
			if kind == "b32" {
				kind = "f16"
			}
			rows = append(rows, formRow{"wmma", "load c sync aligned row|col " + shapes + " ?global|shared " + kind, "=" + values + " M"},
				formRow{"wmma", "load c sync aligned row|col " + shapes + " ?global|shared " + kind, "=" + values + " M u32"},
				formRow{"wmma", "store d sync aligned row|col " + shapes + " ?global|shared " + kind, "M " + values},
				formRow{"wmma", "store d sync aligned row|col " + shapes + " ?global|shared " + kind, "M " + values + " u32"})
		}
	}
	mma := func(shapes, types, d, a, b, c string) {
		rows = append(rows, formRow{"wmma", "mma sync aligned row|col row|col " + shapes + " " + types, "=" + d + " " + a + " " + b + " " + c})
	}
	const f16Shapes = "m16n16k16|m32n8k16|m8n32k16"
	add(f16Shapes, "f16", "v8:b32", "v8:b32", "v8:f32", "v4:b32")
	for d, n := range map[string]string{"f32": "v8:f32", "f16": "v4:b32"} {
		for c, m := range map[string]string{"f32": "v8:f32", "f16": "v4:b32"} {
			mma(f16Shapes, d+" "+c, n, "v8:b32", "v8:b32", m)
		}
	}
	for _, s := range [...]struct{ shape, halves, halvesB, bytes, bytesB string }{
		{"m16n16k16", "v4:b32", "v4:b32", "v2:b32", "v2:b32"},
		{"m8n32k16", "v2:b32", "v8:b32", "v1:b32", "v4:b32"},
		{"m32n8k16", "v8:b32", "v2:b32", "v4:b32", "v1:b32"},
	} {
		add(s.shape, "bf16", s.halves, s.halvesB)
		mma(s.shape, "f32 bf16 bf16 f32", "v8:f32", s.halves, s.halvesB, "v8:f32")
		add(s.shape, "s8|u8", s.bytes, s.bytesB, "v8:s32")
		for _, t := range [...]string{"s8", "u8"} {
			mma(s.shape, "s32 "+t+" "+t+" s32 ?satfinite", "v8:s32", s.bytes, s.bytesB, "v8:s32")
		}
	}
	add("m16n16k8", "tf32", "v4:b32", "v4:b32", "v8:f32")
	mma("m16n16k8", "f32 tf32 tf32 f32", "v8:f32", "v4:b32", "v4:b32", "v8:f32")
	add("m8n8k4", "f64", "v1:f64", "v1:f64", "v2:f64")
	mma("m8n8k4", "f64 f64 f64 f64 ?rn", "v2:f64", "v1:f64", "v1:f64", "v2:f64")
	return rows
}
