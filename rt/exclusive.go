package rt

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Exclusive. The report has it in three phases (section 3.3): all write their
// numbers, the smallest that sees others writes again, all look. Where atomic
// operations are not much dearer than stores, one phase does: of the claims of an
// element the highest counts, by atomic maximum. A claim is the number of the
// round, in which a group of iterations claims, over the complement of the
// iteration's number in its group. So claims of earlier rounds never count, and
// of one round the smallest iteration's do: it loses none of its elements, and
// some iteration of any that conflict wins. Between the claims and the look at
// them is a barrier.

// A List is what an Exclusive claims: the numbers at Low, Low+Step and so on,
// below High, of the array at P.
type List struct {
	P               unsafe.Pointer
	Low, High, Step int64

	at int // index in Program.Places
}

// ListStep returns the step of a list, which must be positive.
func ListStep(step int64, at int) int64 {
	if step < 1 {
		panic(newFault(at, StepFault, "the step of a list must be positive, not %d", step))
	}
	return step
}

// NewList returns a list after checking its bounds against the array's size; n is
// -1 for a pointer, whose array is not known; step is positive, see [ListStep]. at is the list's index in
// Program.Places.
func NewList(p unsafe.Pointer, low, high, step, n int64, at int) List {
	if n >= 0 && low < high && (low < 0 || high > n) {
		i := low
		if low >= 0 {
			i = max(low, n)
		}
		panic(noIndex{i, n, int64(at)})
	}
	if low < high && step > high-low {
		step = high - low // the first element only; Low + Step does not overflow
	}
	return List{p, low, high, step, at}
}

// AppendList appends the numbers of a list to the items of a worklist.
func AppendList[T Scalar](items []int32, l List) []int32 {
	for i := l.Low; i < l.High; i += l.Step {
		items = append(items, int32(*(*T)(elementAt[T](l.P, i))))
	}
	return items
}

func elementAt[T Scalar](p unsafe.Pointer, i int64) unsafe.Pointer {
	var x T
	return unsafe.Add(p, i*int64(unsafe.Sizeof(x)))
}

// locks holds the highest claim of every element of a domain.
type locks struct{ claims []uint64 }

// makeLocks makes the locks of domains: as many as each can have elements. A new
// lock is claimed by nobody, as all are before a round.
func (r *Run) makeLocks(domains uint8) {
	size := [numDomains]int64{ofNodes: int64(r.Nodes), ofPoints: r.grown[0].room, ofElements: r.grown[1].room}
	for d := range r.locks {
		if domains&(1<<d) != 0 && int64(len(r.locks[d].claims)) < size[d] {
			r.locks[d].claims = make([]uint64, size[d])
		}
	}
}

// newRound begins a round of claims.
func (r *Run) newRound() {
	if r.round == math.MaxUint32 {
		for d := range r.locks {
			clear(r.locks[d].claims)
		}
		r.round = 0
	}
	r.round++
}

// Claim returns the claim of the thread with that number in this round.
func (g *Group) Claim(thread int) uint64 {
	return uint64(g.r.round)<<32 | uint64(^uint32(thread))
}

// Claim claims the elements of a domain that l lists. It reports false as soon
// as one is lost: the claims that are not made would only keep others from
// theirs.
func Claim[T Scalar](g *Group, domain int, mine uint64, l *List) bool {
	claims := g.r.locks[domain].claims
	for i := l.Low; i < l.High; i += l.Step {
		e := int64(*(*T)(elementAt[T](l.P, i)))
		if e < 0 {
			continue
		}
		if uint64(e) >= uint64(len(claims)) {
			panic(noHandle(domain, e, g.r.lockable(domain), l.at))
		}
		p := &claims[e]
		for {
			old := atomic.LoadUint64(p)
			if old > mine {
				return false
			}
			if old == mine || atomic.CompareAndSwapUint64(p, old, mine) {
				break
			}
		}
	}
	return true
}

// Holds reports whether all elements of l are still claimed by mine.
func Holds[T Scalar](g *Group, domain int, mine uint64, l *List) bool {
	claims := g.r.locks[domain].claims
	for i := l.Low; i < l.High; i += l.Step {
		e := int64(*(*T)(elementAt[T](l.P, i)))
		if e >= 0 && (uint64(e) >= uint64(len(claims)) || claims[e] != mine) {
			return false
		}
	}
	return true
}

// lockable returns the number of elements of a domain that Exclusive can lock now.
func (r *Run) lockable(domain int) int64 {
	if domain == ofNodes {
		return int64(r.Nodes)
	}
	return min(r.grown[domain-ofPoints].next.Load(), r.grown[domain-ofPoints].room)
}

// SoloClaim is Claim by the only worker, which wins: it checks the elements.
func SoloClaim[T Scalar](r *Run, domain int, l List) {
	var v T
	count, step := r.lockable(domain), l.Step*int64(unsafe.Sizeof(v))
	p := unsafe.Add(l.P, l.Low*int64(unsafe.Sizeof(v)))
	for i := l.Low; i < l.High; i += l.Step {
		if e := int64(*(*T)(p)); e >= count {
			panic(noHandle(domain, e, count, l.at))
		}
		p = unsafe.Add(p, step)
	}
}

// Decided counts an Exclusive that an iteration won or lost, and returns won.
func (w *Worker) Decided(won bool) bool {
	w.tried++
	if !won {
		w.lost++
	}
	return won
}
