package mesh

import (
	"cmp"
	"math"
	"slices"
)

const maxFloat = math.MaxFloat64

// A box is a rectangle with sides parallel to the axes, borders included.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) touches(c box) bool {
	return b.x0 <= c.x1 && c.x0 <= b.x1 && b.y0 <= c.y1 && c.y0 <= b.y1
}

// A boxTree finds the boxes that touch a given one. It is a binary tree over
// the boxes, cut at the median of their centres along the longer side in turn,
// without pointers: the node over order[lo:hi] has its children over the two
// halves, and its bounds at the place of the middle.
type boxTree struct {
	boxes  []box
	order  []int32
	bounds []box
}

// leafSize is the number of boxes that are looked at one by one.
const leafSize = 8

func newBoxTree(boxes []box) *boxTree {
	t := &boxTree{boxes: boxes, order: make([]int32, len(boxes)), bounds: make([]box, len(boxes))}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	if len(boxes) > 0 {
		t.build(0, len(boxes))
	}
	return t
}

// build makes the subtree over order[lo:hi].
func (t *boxTree) build(lo, hi int) {
	b := t.boxes[t.order[lo]]
	for _, i := range t.order[lo+1 : hi] {
		c := t.boxes[i]
		b = box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
	}
	mid := (lo + hi) / 2
	t.bounds[mid] = b
	if hi-lo <= leafSize {
		return
	}
	wide := b.x1-b.x0 > b.y1-b.y0
	slices.SortFunc(t.order[lo:hi], func(i, j int32) int {
		p, q := t.boxes[i], t.boxes[j]
		// Halves are added, not sums halved: those could overflow.
		if wide {
			return cmp.Or(cmp.Compare(p.x0/2+p.x1/2, q.x0/2+q.x1/2), cmp.Compare(i, j))
		}
		return cmp.Or(cmp.Compare(p.y0/2+p.y1/2, q.y0/2+q.y1/2), cmp.Compare(i, j))
	})
	t.build(lo, mid)
	// The right child's own middle lies right of mid, so no bounds collide.
	t.build(mid, hi)
}

// visit calls found for each box that touches b.
func (t *boxTree) visit(b box, found func(i int32)) {
	if len(t.boxes) > 0 {
		t.walk(0, len(t.boxes), b, found)
	}
}

func (t *boxTree) walk(lo, hi int, b box, found func(i int32)) {
	mid := (lo + hi) / 2
	if !t.bounds[mid].touches(b) {
		return
	}
	if hi-lo <= leafSize {
		for _, i := range t.order[lo:hi] {
			if t.boxes[i].touches(b) {
				found(i)
			}
		}
		return
	}
	t.walk(lo, mid, b, found)
	t.walk(mid, hi, b, found)
}
