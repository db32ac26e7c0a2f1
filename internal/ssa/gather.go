package ssa

// Gather moves the blocks and values of f into new memory, in the order of the
// text, and gives them numbers without gaps, which are in the order of the old
// ones. Pointers to blocks and values from before are those of another function.
//
// Passes take values away and put others, made later, between those that stay.
// The text of a large function then lies all over its memory, and a walk over
// it waits for most values: a processor reads ahead of a walk that goes upwards
// in a few places, not of one that jumps. And all that passes know by number
// they keep for the dead, too. The move costs about as much as one such walk.
func (f *Func) Gather() {
	g := gatherer{blocks: Make[*Block](f, f.nextBlock), values: Make[*Value](f, f.nextValue)}
	values, edges, args := 0, 0, 0
	for _, b := range f.Blocks {
		values += len(b.Values)
		edges += len(b.Succs) + len(b.Preds)
		for _, v := range b.Values {
			if len(v.Args) > len(v.few) {
				args += len(v.Args)
			}
		}
	}
	g.lists, g.args, g.edges = make([]*Value, 0, values), make([]*Value, 0, args), make([]*Block, 0, edges)
	g.copy(f, values)
	for i, b := range f.Blocks {
		f.Blocks[i] = g.blocks[b.ID]
		g.redirect(f.Blocks[i])
	}
	f.spare = nil // it lies among what has been left
	g.renumber(f)
}

// A gatherer moves one function. Its lists have room for all that is appended
// to them, so that what has been cut from them stays in its place.
type gatherer struct {
	blocks []*Block // by number: where the block is now
	values []*Value // by number
	lists  []*Value // of all blocks
	args   []*Value // of all values that have many
	edges  []*Block
}

// copy copies blocks, values and the lists of values.
func (g *gatherer) copy(f *Func, values int) {
	var blocks []Block
	var chunk []Value
	for n, b := range f.Blocks {
		if len(blocks) == 0 {
			blocks = make([]Block, min(len(f.Blocks)-n, valueChunk))
		}
		to := &blocks[0]
		blocks = blocks[1:]
		*to = *b
		g.blocks[b.ID] = to
		first := len(g.lists)
		for _, v := range b.Values {
			if len(chunk) == 0 {
				chunk = make([]Value, min(values-len(g.lists), valueChunk))
			}
			w := &chunk[0]
			chunk = chunk[1:]
			*w = *v
			w.Block = to
			g.values[v.ID] = w
			g.lists = append(g.lists, w)
		}
		to.Values = g.lists[first:len(g.lists):len(g.lists)]
	}
}

// redirect makes what b, a copy, points to the copies.
func (g *gatherer) redirect(b *Block) {
	for _, v := range b.Values {
		args := v.Args
		v.few = [len(v.few)]*Value{}
		switch n := len(args); {
		case n == 0:
			v.Args = nil
		case n <= len(v.few):
			v.Args = v.few[:n:n]
		default:
			v.Args = g.args[len(g.args) : len(g.args)+n : len(g.args)+n]
			g.args = g.args[:len(g.args)+n]
		}
		for i, a := range args {
			v.Args[i] = g.values[a.ID]
		}
	}
	if b.Ctrl != nil {
		b.Ctrl = g.values[b.Ctrl.ID]
	}
	b.Succs, b.Preds = g.moved(b.Succs), g.moved(b.Preds)
}

// renumber closes the gaps between numbers.
func (g *gatherer) renumber(f *Func) {
	f.nextValue, f.nextBlock = 0, 0
	for _, v := range g.values {
		if v != nil {
			v.ID = f.nextValue
			f.nextValue++
		}
	}
	for _, b := range g.blocks {
		if b != nil {
			b.ID = f.nextBlock
			f.nextBlock++
		}
	}
}

// moved returns the copies of blocks.
func (g *gatherer) moved(blocks []*Block) []*Block {
	first := len(g.edges)
	for _, b := range blocks {
		g.edges = append(g.edges, g.blocks[b.ID])
	}
	return g.edges[first:len(g.edges):len(g.edges)]
}
