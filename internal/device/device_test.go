package device

import "testing"

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
		{OutOfMemoryError{"graph dst", 2 << 30, 1 << 30}, "device out of memory: graph dst needs 2 GiB, 1 GiB are free"},
		{OutOfMemoryError{"graph dst", 2 << 30, -1}, "device out of memory: graph dst needs 2 GiB"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
