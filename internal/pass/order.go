package pass

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Select returns the list of the rows named, in the order of the names. A name
// may be given more than once. It refuses unknown names and an order of two
// rows that the constraints of l forbid, with the reason; of rows given more
// than once the first of the one must precede the last of the other.
func (l *List[T]) Select(names []string) (*List[T], error) {
	rows := make(map[string]Pass[T], len(l.passes))
	for _, p := range l.passes {
		rows[p.Name] = p
	}
	out := &List[T]{orders: l.orders}
	first, last := map[string]int{}, map[string]int{}
	for i, name := range names {
		if err := l.known(name); err != nil {
			return nil, err
		}
		if _, again := first[name]; !again {
			first[name] = i
		}
		last[name] = i
		out.passes = append(out.passes, rows[name])
	}
	for _, o := range l.orders {
		before, ok1 := first[o.Before]
		after, ok2 := last[o.After]
		if ok1 && ok2 && before >= after {
			return nil, fmt.Errorf("%s must run before %s: %s", o.Before, o.After, o.Reason)
		}
	}
	return out, nil
}

// Shuffled returns the rows of l in another order that its constraints allow,
// one that depends on the seed alone. A further run of a row stays behind the
// first.
func (l *List[T]) Shuffled(seed uint64) *List[T] {
	index := make(map[string]int, len(l.passes))
	for i, p := range l.passes {
		index[p.Name] = i
	}
	after := make([][]int, len(l.passes)) // by row: the rows that wait for it
	waits := make([]int, len(l.passes))
	wait := func(before, then string) {
		after[index[before]] = append(after[index[before]], index[then])
		waits[index[then]]++
	}
	for _, o := range l.orders {
		wait(o.Before, o.After)
	}
	for _, p := range l.passes {
		if p.Repeats != "" {
			wait(p.Repeats, p.Name)
		}
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	out := &List[T]{orders: l.orders}
	for len(ready) > 0 {
		k := rng.IntN(len(ready))
		i := ready[k]
		ready = slices.Delete(ready, k, k+1)
		out.passes = append(out.passes, l.passes[i])
		for _, j := range after[i] {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return out
}
