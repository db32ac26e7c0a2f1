//go:build !amd64

package simt

// There are no vector kernels.

const hasVectors = false

func vectorCode() *vectorTables { return &vectorTables{} }
