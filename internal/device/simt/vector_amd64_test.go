package simt

// withoutVectors calls f while the CPU's vector instructions are not used.
func withoutVectors(f func()) {
	if !hasVectors {
		f()
		return
	}
	defer func() {
		hasVectors = true
		blend, spread, distinct, load32, load64 = blendVector, spreadVector, distinctVector, load32Vector, load64Vector
		loadRow32, storeRow32 = loadRow32Vector, storeRow32Vector
	}()
	hasVectors = false
	blend, spread, distinct, load32, load64 = blendEach, spreadEach, distinctEach, load32Each, load64Each
	loadRow32, storeRow32 = loadRow32Each, storeRow32Each
	f()
}
