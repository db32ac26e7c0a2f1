package memory

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestLimit(t *testing.T) {
	if n := Limit(); n <= 0 {
		t.Errorf("the limit is %d", n)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	if n := Limit(); n > 1<<30 {
		t.Errorf("the limit is %d with GOMEMLIMIT of 1 GiB", n)
	}
}

func TestParse(t *testing.T) {
	if got := meminfo("MemTotal:       24576000 kB\nMemFree: 1 kB\n"); got != 24576000<<10 {
		t.Errorf("meminfo: %d", got)
	}
	for _, text := range []string{"", "MemTotal: x kB\n", "MemTotal: 9223372036854775807 kB\n"} {
		if got := meminfo(text); got != math.MaxInt64 {
			t.Errorf("meminfo(%q): %d", text, got)
		}
	}
	for text, want := range map[string]int64{"max\n": math.MaxInt64, "4096\n": 4096, "-1": math.MaxInt64} {
		if got := number(text); got != want {
			t.Errorf("number(%q): %d", text, got)
		}
	}
}

func TestFormat(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 3 << 30: "3 GiB", math.MaxInt64: "8 EiB"} {
		if got := Format(n); got != want {
			t.Errorf("Format(%d): %s, want %s", n, got, want)
		}
	}
}
