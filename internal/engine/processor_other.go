//go:build !unix

package engine

import "time"

// processorTime returns 0: processor times do not count here.
func processorTime() time.Duration { return 0 }
