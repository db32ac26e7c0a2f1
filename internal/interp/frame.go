package interp

// A frame holds the values of variables while their homes serve something else:
// another call of a recursive function, or another iteration of a group.
type frame struct {
	ints   []int64
	floats []float64
	sets   []bool
	memory []byte
}

// save copies the variables into the frame, whose room it uses again.
func (f *frame) save(vars []place) {
	f.ints, f.floats, f.sets, f.memory = f.ints[:0], f.floats[:0], f.sets[:0], f.memory[:0]
	for _, p := range vars {
		switch {
		case p.cell != nil:
			f.ints = append(f.ints, *p.cell)
		case p.fcell != nil:
			f.floats = append(f.floats, *p.fcell)
		default:
			f.memory = append(f.memory, p.seg.data...)
		}
		if p.set != nil {
			f.sets = append(f.sets, *p.set)
		}
	}
}

// restore puts the values of the same variables back.
func (f *frame) restore(vars []place) {
	ints, floats, sets, memory := f.ints, f.floats, f.sets, f.memory
	for _, p := range vars {
		switch {
		case p.cell != nil:
			*p.cell, ints = ints[0], ints[1:]
		case p.fcell != nil:
			*p.fcell, floats = floats[0], floats[1:]
		default:
			memory = memory[copy(p.seg.data, memory):]
		}
		if p.set != nil {
			*p.set, sets = sets[0], sets[1:]
		}
	}
}

// frameSize returns the bytes that a frame of the variables takes.
func frameSize(vars []place) (size int64) {
	for _, p := range vars {
		size += 9
		if p.seg != nil {
			size += int64(len(p.seg.data))
		}
	}
	return size
}
