package ssa_test

import (
	"math/rand/v2"
	"testing"

	"irgl/internal/ssa"
)

// TestScratch takes lists of many lengths and two types, over several passes:
// each is all zeros when it is given out, none has memory of another that was
// given out in the same pass, and what is appended goes elsewhere.
func TestScratch(t *testing.T) {
	m := mustParse(t, "func @f kernel() {\nb0:\n  ret\n}\n")
	f := m.Funcs[0]
	rng := rand.New(rand.NewPCG(1, 2))
	var s ssa.Scratch
	m.UseScratch(&s)
	for pass := range 20 {
		var numbers [][]int32
		var pointers [][]*ssa.Value
		for k := range 50 {
			n := rng.IntN(1 << rng.IntN(12))
			list, others := ssa.Make[int32](f, n), ssa.Make[*ssa.Value](f, n)
			for i := range n {
				if list[i] != 0 || others[i] != nil {
					t.Fatalf("pass %d: a list of %d is not zero at %d", pass, n, i)
				}
				list[i], others[i] = int32(k+1), &ssa.Value{ID: k}
			}
			_, _ = append(list, -1), append(others, &ssa.Value{ID: -1})
			numbers, pointers = append(numbers, list), append(pointers, others)
		}
		for k := range numbers {
			for i, n := range numbers[k] {
				if n != int32(k+1) || pointers[k][i].ID != k {
					t.Fatalf("pass %d: list %d has what was written to another at %d", pass, k, i)
				}
			}
		}
		s.Reset()
	}
	m.UseScratch(nil)
	kept := ssa.Make[int32](f, 3)
	kept[0] = 7
	s.Reset()
	m.UseScratch(&s)
	for range 1000 {
		ssa.Make[int32](f, 3)[0] = 1
	}
	if kept[0] != 7 {
		t.Error("memory that was made without a scratch was given out again")
	}
}

// TestScratchAgain: a pass after another takes the same memory.
func TestScratchAgain(t *testing.T) {
	m := mustParse(t, "func @f kernel() {\nb0:\n  ret\n}\n")
	f := m.Funcs[0]
	var s ssa.Scratch
	m.UseScratch(&s)
	pass := func() {
		ssa.Make[int32](f, 5000)
		ssa.Make[bool](f, 3000)
		s.Reset()
	}
	pass()
	if n := testing.AllocsPerRun(100, pass); n != 0 {
		t.Errorf("%v allocations a pass", n)
	}
}
