package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// A Use is one use of a value: as an argument of a value, or as the control of
// a block.
type Use struct {
	User  *ssa.Value // nil for a block's control
	Index int        // of the argument
	Block *ssa.Block // where the use is; for a phi, the phi's block
}

// UseLists are the uses of every value of a function.
type UseLists struct {
	f     *ssa.Func
	start []int32 // by value number: its uses are uses[start[id]:start[id+1]]
	uses  []Use
}

// Uses returns the use lists of f. All blocks count, unreachable ones, too.
func Uses(f *ssa.Func) *UseLists {
	u := &UseLists{f: f, start: ssa.Make[int32](f, f.NumValues()+1)}
	visit := func(fn func(v *ssa.Value, use Use)) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				for i, a := range v.Args {
					fn(a, Use{v, i, b})
				}
			}
			if b.Ctrl != nil {
				fn(b.Ctrl, Use{nil, 0, b})
			}
		}
	}
	visit(func(v *ssa.Value, _ Use) { u.start[v.ID+1]++ })
	// Counts become starts: all uses are in one slice, grouped by value, so
	// that no list grows separately. The entry at v.ID+1 begins as the start
	// of v and, as v's uses are added, becomes its end: the next start.
	total := int32(0)
	for i, n := range u.start {
		u.start[i] = total
		total += n
	}
	u.uses = ssa.Make[Use](f, int(total))
	visit(func(v *ssa.Value, use Use) {
		u.uses[u.start[v.ID+1]] = use
		u.start[v.ID+1]++
	})
	return u
}

// UseCounts returns the number of uses of each value of f, by number, as [UseLists.Count]
// does, without the lists.
func UseCounts(f *ssa.Func) []int32 {
	counts := ssa.Make[int32](f, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				counts[a.ID]++
			}
		}
		if b.Ctrl != nil {
			counts[b.Ctrl.ID]++
		}
	}
	return counts
}

// Of returns the uses of v in program order. The slice must not be changed.
func (u *UseLists) Of(v *ssa.Value) []Use { return u.uses[u.start[v.ID]:u.start[v.ID+1]] }

// Len returns a bound on the numbers of the values that the lists cover.
func (u *UseLists) Len() int { return len(u.start) - 1 }

// Count returns the number of uses of v.
func (u *UseLists) Count(v *ssa.Value) int { return int(u.start[v.ID+1] - u.start[v.ID]) }

// String returns a line for each value that has a result: its users, with a
// block for its control.
func (u *UseLists) String() string {
	var s strings.Builder
	for _, b := range u.f.Blocks {
		for _, v := range b.Values {
			if v.Type == ssa.Void {
				continue
			}
			fmt.Fprintf(&s, "%s:", v)
			for _, use := range u.Of(v) {
				switch {
				case use.User == nil:
					fmt.Fprintf(&s, " %s", use.Block)
				case use.User.Type == ssa.Void:
					fmt.Fprintf(&s, " %s.%d", use.User.Op, use.Index)
				default:
					fmt.Fprintf(&s, " %s.%d", use.User, use.Index)
				}
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}
