package difftest

import "fmt"

// sums accesses an array at sums of a few indices, some of them under conditions,
// so that addresses can be computed from one another. The indices may be of two
// types. In half of the statements one is negative, or an unsigned number that only
// the wrapping sum brings back into the array.
func (g *generator) sums(b *block) {
	if len(g.arrays) == 0 {
		return
	}
	a, t := pick(g, g.arrays), g.target(true)
	if t == nil || a.mask < 7 || t.t.float {
		return
	}
	m := 1 // of each index, so that i + 3*j + k is at most 5*m
	for 5*(2*m+1) <= a.mask {
		m = 2*m + 1
	}
	types := []*ctype{tInt, tUInt, tLLong, tULLong}
	it := pick(g, types)
	kt := it
	if g.IntN(3) == 0 {
		if kt = pick(g, types); it == tUInt && kt.size == 8 {
			kt = it // the sum is not widened after it has wrapped
		}
	}
	i, j, k, r := g.name("w"), g.name("w"), g.name("w"), g.name("w")
	small := func(t *ctype) *exp {
		return &exp{t, fmt.Sprintf("($ & %d)", m), []*exp{cast(t, g.intExp(g.leaf()))}}
	}
	inner := &block{}
	if g.IntN(2) == 0 {
		inner.add(it.name+" "+i+" = $;", small(it))
		inner.add(it.name+" "+j+" = $;", small(it))
	} else {
		inner.add(fmt.Sprintf("%s %s = $ + %d;", it.name, i, 3*m), small(it))
		inner.add(it.name+" "+j+" = 0 - $;", small(it))
	}
	inner.add(kt.name+" "+k+" = $;", small(kt))
	inner.add("unsigned long long " + r + " = 0;")
	for range 3 + g.IntN(4) {
		at := g.one("%[1]s", "%[1]s + %[2]s", "%[1]s + %[3]s", "%[1]s + %[2]s + %[3]s", "%[1]s + %[3]s + %[2]s",
			"%[1]s + 2 * %[2]s", "%[1]s + 3 * %[2]s", "%[1]s + %[2]s + %[2]s + %[3]s", "%[3]s + (%[2]s + %[1]s)")
		at = fmt.Sprintf(at, i, j, k)
		text := fmt.Sprintf("%s = %s * 5 + (unsigned long long)%s[%s];", r, r, a.text, at)
		switch n := g.IntN(8); {
		case n == 0 && !a.ro:
			inner.add(fmt.Sprintf("%s[%s] = $;", a.text, at), convert(a.t, g.leaf()))
			continue
		case n == 1:
			text = fmt.Sprintf("%s = %s * 5 + (unsigned long long)((%s + %d) * %s);", r, r, i, 1+g.IntN(6), k)
		case a.t.float:
			text = fmt.Sprintf("%s = %s * 5 + (%s[%s] > 1);", r, r, a.text, at)
		}
		if g.IntN(2) == 0 {
			inner.add("if ($) "+text, g.exp(1))
		} else {
			inner.add(text)
		}
	}
	inner.add("$ = $;", t, cast(t.t, &exp{tULLong, r, nil}))
	b.list = append(b.list, &stmt{"{@}", nil, []*block{inner}, false})
}
