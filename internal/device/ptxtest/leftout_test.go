package ptxtest_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/device/ptxtest"
)

// leftOut are lines that ptxas compiles wrongly, or that PTX leaves open, by why.
var leftOut = []struct{ why, line string }{
	{"a guard that is forgotten", `@!?%p\d (?:set\.|testp\.|v(?:add|sub)4\.u32\.u32\.u32\.add)`},
	{"a shift of 16 bits by what is cut to 16 bits", `(?:shl\.b|shr\.[us])16 \S+ \S+ (?:-|0x|65536|\d{6})`},
	{"a bit field whose mask is of its length modulo 32", `bfi\.b32 \S+ \S+ \S+ [1-9]\d*, 3[23]`},
	{"a bit field that is -1 where its position and length are constants", `bfe\.s32 \S+ \S+ %r\d+, %r`},
	{"a one that is the integer 1, or in both halves of its register", `set\.\w+\.b?f(?:16|32)\.\w+ %[rh]`},
	{"a register that is overwritten", `cvt\.\S+e[45]m[23]x2\.f\S+ %h`},
	{"an absolute value or negation of the least integer", `(?:abs\.s(?:16|32|64)|neg\.s16) \S+ %[rlh]`},
	{"a saturation that is dropped", `cvt\.sat\.f32\.f32 \S+ %r`},
	{"a float that is converted to a byte, not cut to one", `(?:@!?%p\d )?st\.\S*b8 \S+ %[rh]`},
	{"a float that is converted to 64 bits to shift by", `(?:@!?%p\d )?(?:shl\.b|shr\.[usb])64 \S+ \S+ %r`},
	{"a conversion to 16 bits, with a sign, of what is shifted by", `(?:@!?%p\d )?(?:shl\.b|shr\.[us])16 \S+ \S+ %r`},
	{"an absolute value that is dropped", `(?:@!?%p\d )?abs\S*f16(?:x2)? \S+ %[rh]`},
	{"a saturation that is lost in a wide product", `(?:@!?%p\d )?mad\.hi\.sat\.s32 \S+ %r`},
	{"an integer that becomes the number one", `(?:@!?%p\d )?cnot\.b\d+ %[rhl]`},
	{"a sign that a number without sign keeps", `(?:@!?%p\d )?(?:bfe\.s32 %r\d+, \S+ \d|ld\.\w+\.v4\.s8 \{%r)`},
	{"a constant divisor that is added", `or\.b32 %t0, %r\d+, 1\n\s*(?:@!?%p\d )?(?:div|rem)\.u32`},
	{"a pair whose halves are taken for each other", `(?:@!?%p\d )?(?:atom|red)\.shared\.add\.noftz\.b?f16x2 (?:%\w+, )?\S+ %r`},
}

// TestLeftOut: programs have nothing of which devices and compilers make what they like.
func TestLeftOut(t *testing.T) {
	text := ptxtest.Module(group(0, 600)...)
	for _, l := range leftOut {
		if found := regexp.MustCompile(`(?m)^\s*(?:` + l.line + `).*`).FindString(text); found != "" {
			t.Errorf("%s:%s", l.why, found)
		}
	}
	direct := false // branches on a predicate itself are compared, too
	for _, m := range regexp.MustCompile(`(?m)^\s@!%p\d bra \$else(\d+);$`).FindAllStringSubmatchIndex(text, -1) {
		body, _, _ := strings.Cut(text[m[1]:], "$endif"+text[m[2]:m[3]]+":")
		if strings.Contains(body, "$head") {
			t.Errorf("a predicate that is taken for constant in a loop:%s%.500s", text[m[0]:m[1]], body)
			break
		}
		direct = true
	}
	if !direct {
		t.Error("no branch on a predicate")
	}
}

// TestReduceFunctions: a program is cut down in the functions that it calls, and what is left of them is shown.
func TestReduceFunctions(t *testing.T) {
	fails := func(p *ptxtest.Program) bool {
		functions, _, _ := strings.Cut(ptxtest.Module(p), ".visible .entry")
		return strings.Contains(functions, "dp4a.")
	}
	programs := group(0, 200)
	i := slices.IndexFunc(programs, fails)
	if i < 0 {
		t.Fatal("no function has the instruction")
	}
	p := ptxtest.Reduce(programs[i], fails)
	if p.Statements() != 2 || !strings.Contains(p.Body(), "dp4a.") {
		t.Errorf("%d statements are left of program %d, not a call and an instruction:\n%.500s", p.Statements(), p.Seed, p.Body())
	}
}
