package memory

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Limit returns how many bytes of memory this process may use at most,
// math.MaxInt64 if no limit is known.
func Limit() int64 { return min(systemLimit(), debug.SetMemoryLimit(-1)) }

// systemLimit is Limit without GOMEMLIMIT, which a program may change.
var systemLimit = sync.OnceValue(func() int64 {
	limit := addressSpace()
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		limit = min(limit, meminfo(string(text)))
	}
	// The root of the hierarchy that a container sees is its own group.
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			limit = min(limit, number(string(text)))
		}
	}
	return limit
})

// meminfo returns the machine's memory from the text of /proc/meminfo.
func meminfo(text string) int64 {
	for line := range strings.Lines(text) {
		if size, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			if kib := number(strings.TrimSuffix(strings.TrimSpace(size), "kB")); kib < math.MaxInt64>>10 {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// number reads a positive number; anything else, such as "max", is no limit.
func number(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 {
		return math.MaxInt64
	}
	return n
}

// Format prints a number of bytes with a unit, as in "1.5 GiB".
func Format(bytes int64) string {
	const units = "KMGTPE"
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	unit, size := 0, float64(bytes)/(1<<10)
	for size >= 1<<10 && unit < len(units)-1 {
		unit, size = unit+1, size/(1<<10)
	}
	return fmt.Sprintf("%.4g %ciB", size, units[unit])
}
