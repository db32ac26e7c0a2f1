package cuda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
)

// openTest opens the first GPU, or skips with the reason why there is none.
func openTest(t testing.TB) device.Device {
	t.Helper()
	d, err := Open(0)
	if errors.Is(err, ErrNoDriver) || errors.Is(err, ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDevice(t *testing.T) {
	devicetest.Run(t, func(t *testing.T) device.Device { return openTest(t) })
}

// Several GPUs, in contexts of their own and in the primary ones.
func TestSystem(t *testing.T) {
	for _, primary := range []bool{false, true} {
		t.Run(fmt.Sprintf("primary=%v", primary), func(t *testing.T) {
			devicetest.RunSystem(t, func(t *testing.T, n int) []device.Device {
				first, err := OpenWith(0, Options{Primary: primary})
				if errors.Is(err, ErrNoDriver) || errors.Is(err, ErrNoDevice) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				list := []device.Device{first}
				for i := 1; i < n; i++ {
					d, err := OpenWith(i, Options{Primary: primary})
					if err != nil {
						for _, d := range list {
							_ = d.Close() // the reason is err
						}
						if errors.Is(err, ErrNoDevice) {
							t.Skipf("the case needs %d GPUs: %v", n, err)
						}
						t.Fatal(err)
					}
					list = append(list, d)
				}
				return list
			})
		})
	}
}

// The suite in the primary context.
func TestPrimary(t *testing.T) {
	openTest(t).Close()
	devicetest.Run(t, func(t *testing.T) device.Device {
		d, err := OpenWith(0, Options{Primary: true})
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}

// TestAbsent is about machines without a GPU: List and Open say why, and agree.
func TestAbsent(t *testing.T) {
	list, err := List()
	if err == nil {
		if len(list) == 0 {
			t.Error("List returned neither a GPU nor an error")
		}
		for i, info := range list {
			t.Logf("GPU %d: %+v", i, info)
			if info.Kind != "cuda" || info.Driver == "" {
				t.Errorf("GPU %d: %+v", i, info)
			}
		}
		for _, ordinal := range []int{-1, len(list)} {
			if _, err := Open(ordinal); !errors.Is(err, ErrNoDevice) {
				t.Errorf("Open(%d): %v, want ErrNoDevice", ordinal, err)
			}
		}
		return
	}
	if !errors.Is(err, ErrNoDriver) && !errors.Is(err, ErrNoDevice) {
		t.Errorf("List: %v, want ErrNoDriver or ErrNoDevice", err)
	}
	if _, openErr := Open(0); openErr == nil || openErr.Error() != err.Error() {
		t.Errorf("Open: %v, List: %v", openErr, err)
	}
}

func TestError(t *testing.T) {
	e := &Error{Call: "cuMemAlloc(4096)", Code: codeOutOfMemory, Name: "CUDA_ERROR_OUT_OF_MEMORY", Text: "out of memory"}
	if got, want := e.Error(), "cuMemAlloc(4096): CUDA_ERROR_OUT_OF_MEMORY (out of memory)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if e.fatal() {
		t.Error("too little memory counts as fatal")
	}
	if !(&Error{Code: codeIllegalAddress}).fatal() {
		t.Error("an illegal address does not count as fatal")
	}
	load := error(&LoadError{Name: "x.ptx", Err: e})
	if !hasCode(load, codeOutOfMemory) || hasCode(load, codeNotFound) || hasCode(ErrNoDriver, codeNoDevice) {
		t.Error("hasCode does not look through LoadError")
	}
}

func TestCitedLines(t *testing.T) {
	ptx := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj"
	for _, c := range []struct{ log, want string }{
		{"", ""},
		{"ptxas application ptx input, line 3; error : Unknown", "     3 | c"},
		{"line 3; error\nline 1; error\nline 3; fatal", "     3 | c\n     1 | a"},
		{"line 0, line 11, line 99999999999999999999, outline 4", ""},
		{"line 10", "    10 | j"},
	} {
		if got := citedLines(ptx, c.log); got != c.want {
			t.Errorf("citedLines(%q) = %q, want %q", c.log, got, c.want)
		}
	}
	var log strings.Builder
	for _, n := range "123456789" {
		log.WriteString("line " + string(n) + "\n")
	}
	got := citedLines(ptx, log.String())
	if strings.Count(got, "\n") != 8 || !strings.HasSuffix(got, "h\n...") {
		t.Errorf("nine lines: %q, want eight and dots", got)
	}
}
