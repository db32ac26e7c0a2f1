package device

import "testing"

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 30: "3.0 GiB", 2 << 40: "2.0 TiB", 5000 << 40: "5000.0 TiB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestDim3(t *testing.T) {
	if got := (Dim3{X: 5}).Count(); got != 5 {
		t.Errorf("a missing component does not count as one: %d", got)
	}
	if got := (Dim3{X: 1 << 20, Y: 1 << 15, Z: 4}).Count(); got != 1<<37 {
		t.Errorf("the count of a large grid is %d", got)
	}
	if got := (Dim3{X: 2}).String(); got != "2x1x1" {
		t.Errorf("prints as %q", got)
	}
}

func TestOutOfMemoryMessage(t *testing.T) {
	for _, c := range []struct {
		err  OutOfMemoryError
		want string
	}{
		{OutOfMemoryError{"graph dst", 2 << 30, 1 << 30}, "device out of memory: graph dst needs 2.0 GiB, 1.0 GiB are free"},
		{OutOfMemoryError{"graph dst", 2 << 30, -1}, "device out of memory: graph dst needs 2.0 GiB"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
