//go:build !amd64

package simt

// withoutVectors calls f while the CPU's vector instructions are not used.
func withoutVectors(f func()) { f() }
