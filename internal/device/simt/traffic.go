package simt

// Traffic counts how kernels read and write an allocation with loads and stores,
// atomics excluded.
type Traffic struct {
	Accesses  uint64 // instructions of warps
	Sectors   uint64 // of 32 bytes, that they moved
	Scattered uint64 // accesses that moved more sectors than as many bytes in a row lie in
}

// Traffic returns what was counted so far of the allocations with each name. An
// access to several allocations counts for one of them.
func (d *Device) Traffic() map[string]Traffic {
	all := make(map[string]Traffic, len(d.traffic))
	for name, t := range d.traffic {
		all[name] = *t
	}
	return all
}

// count counts an access of a warp to as many sectors and bytes.
func (b *buffer) count(sectors int, bytes uint64) {
	if b.traffic == nil {
		return
	}
	b.traffic.Accesses++
	b.traffic.Sectors += uint64(sectors)
	// Bytes in a row that begin anywhere lie in one sector more than they fill.
	if uint64(sectors) > (bytes+31)/32+1 {
		b.traffic.Scattered++
	}
}
