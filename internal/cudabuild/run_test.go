package cudabuild

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
)

// partOf compiles a source of testdata to device code that is linked.
func partOf(t *testing.T, file string) (objectPart, *Device) {
	t.Helper()
	d, diags, err := CompileDevice(context.Background(), "testdata/"+file, nil, &Options{Relocate: true})
	if err != nil {
		t.Fatal(err, diags.Err())
	}
	return objectPart{file: file, id: d.ID, text: d.PTX, byLibrary: d.ByLibrary}, d
}

// TestLibraryLaunches runs PTX whose launches are by CUDA's device runtime on the emulator, with a stand-in
// for the library: it gets the kernel, the configuration and the stream, and the arguments where the kernel
// has its parameters. Launches that fail are errors of the thread.
func TestLibraryLaunches(t *testing.T) {
	program, about := partOf(t, "arguments.cu")
	library, _ := partOf(t, "library.cu")
	linked, err := linkParts([]objectPart{program, library}, func(p objectPart) string { return cmp.Or(p.byLibrary, p.text) })
	if err != nil {
		t.Fatal(err)
	}
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	m, err := dev.Load("program", ptx.Print(linked.Module))
	if err != nil {
		t.Fatal(err)
	}
	p := allocated(t, dev, 64)
	// The header with the errors: that of common.cu, with room for 64.
	queue := allocated(t, dev, 40+64*64)
	at, _, err := m.Global("irgl_launches$" + about.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.CopyIn(at, binary.LittleEndian.AppendUint64(nil, uint64(queue))); err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("_Z6parentPi")
	if err != nil {
		t.Fatal(err)
	}
	one := device.Dim3{X: 1, Y: 1, Z: 1}
	if err := dev.Launch(k, device.Launch{Grid: one, Block: one, Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	const size = 192 // of a record
	list, _, err := m.Global("launched")
	if err != nil {
		t.Fatal(err)
	}
	records := read(t, dev, list, 8*size)
	u32 := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
	function := func(i int) uint64 { return binary.LittleEndian.Uint64(records[i*size+128:]) }
	for i, want := range [][]uint32{{2, 3, 4, 5, 6, 1, 7, 3}, {8, 1, 1, 9, 1, 1, 0, 0}} {
		r := records[i*size+136:]
		got := []uint32{u32(r), u32(r[4:]), u32(r[8:]), u32(r[12:]), u32(r[16:]), u32(r[20:]), u32(r[24:]), u32(r[32:])}
		if !slices.Equal(got, want) {
			t.Errorf("launch %d has %v, want %v", i, got, want)
		}
	}
	if function(0) == 0 || function(1) == 0 || function(0) == function(1) {
		t.Errorf("the kernels are %#x and %#x", function(0), function(1))
	}
	var child Kernel
	for _, k := range about.Launched {
		if len(k.Params) == 4 {
			child = k
		}
	}
	param := func(i int) []byte { return records[child.Params[i].Offset:][:child.Params[i].Size] }
	mixed := param(1)
	if param(0)[0] != 1 || mixed[0] != 2 || math.Float64frombits(binary.LittleEndian.Uint64(mixed[8:])) != 2.5 || math.Float32frombits(u32(mixed[24:])) != 5 ||
		!bytes.Equal(param(2), []byte{6, 0}) || binary.LittleEndian.Uint64(param(3)) != uint64(p) {
		t.Errorf("the arguments are %v at %v", records[:child.Bytes], child.Params)
	}
	errs := read(t, dev, p, 16)
	if got, want := []uint32{u32(errs), u32(errs[4:]), u32(errs[8:]), u32(errs[12:])}, []uint32{69, 69, 0, 9}; !slices.Equal(got, want) {
		t.Errorf("the errors are %v, want %v", got, want)
	}
}

// allocated returns memory of a device.
func allocated(t *testing.T, dev device.Device, size int64) device.Ptr {
	t.Helper()
	p, err := dev.Alloc("memory", size)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// read returns what a device has in its memory.
func read(t *testing.T, dev device.Device, from device.Ptr, size int) []byte {
	t.Helper()
	out := make([]byte, size)
	if err := dev.CopyOut(out, from); err != nil {
		t.Fatal(err)
	}
	return out
}
