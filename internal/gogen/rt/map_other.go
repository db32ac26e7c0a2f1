//go:build !unix

package rt

import "os"

// mapFile reads a file: there is no mapping on this system.
func mapFile(name string) ([]byte, error) { return os.ReadFile(name) }
