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
		c.value(e, t, dest, false)
	}
}

// needsMMA returns the need of a product of matrices.
func needsMMA(in *Inst) Need {
	shape, kind := in.Mods[2], in.Mods[6]
	if shape == "m16n8k8" && kind == "f16" || shape == "m8n8k16" {
		return oldest
	}
	return Need{7.0, 80}
}
