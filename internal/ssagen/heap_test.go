package ssagen_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
)

// TestHeapFaults runs kernels that misuse malloc and free: the emulator reports each.
func TestHeapFaults(t *testing.T) {
	for _, tt := range []struct{ name, body, kind, text string }{
		{"freed twice", "int *p = (int *)malloc(8); free(p); free(p);", device.BadFree, "malloc in k is freed already"},
		{"freed inside", "int *p = (int *)malloc(8); free(p + 1);", device.BadFree, "no allocation starts there"},
		{"another's", "free(out);", device.BadFree, "which malloc did not return"},
		{"used after free", "int *p = (int *)malloc(8); *p = 1; free(p); *out = *(volatile int *)p;", device.OutOfBounds, "malloc in k, which is freed"},
		{"past the end", "int *p = (int *)malloc(8); p[*out + 2] = 1;", device.OutOfBounds, "malloc in k"},
		{"never written", "int *p = (int *)malloc(8); p[0] = 1; *out = p[1];", device.Uninitialised, "malloc in k+4"},
		{"written", "int *p = (int *)malloc(8); p[0] = 1; p[1] = 2; *out = p[0] + p[1]; free(p);", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, optimise := range []bool{false, true} {
				mod := compile(t, "in.cu", []byte("__global__ void k(int *out) { "+tt.body+" }"), optimise)
				d := simt.Open(simt.Checked())
				defer d.Close()
				m, err := d.Load("in.cu", ptx.Print(mod))
				if err != nil {
					t.Fatal(err)
				}
				k, err := m.Kernel("k")
				if err != nil {
					t.Fatal(err)
				}
				p, err := d.Alloc("out", 8)
				if err != nil {
					t.Fatal(err)
				}
				params := binary.LittleEndian.AppendUint64(nil, uint64(p))
				err = d.Launch(k, device.Launch{Block: device.Dim3{X: 1}, Params: params})
				if err == nil {
					err = d.Sync(context.Background())
				}
				stops := tt.kind != "" && tt.kind != device.Uninitialised
				if (err != nil) != stops {
					t.Errorf("optimise %v: error %v", optimise, err)
				}
				reports := d.Reports()
				if tt.kind == "" {
					if len(reports) > 0 {
						t.Errorf("optimise %v: reports %v", optimise, reports)
					}
					continue
				}
				if len(reports) != 1 || reports[0].Kind != tt.kind || !strings.Contains(reports[0].String(), tt.text) {
					t.Errorf("optimise %v: reports %v, want %s with %q", optimise, reports, tt.kind, tt.text)
				}
			}
		})
	}
}
