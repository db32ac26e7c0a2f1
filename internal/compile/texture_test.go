package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/cxx/headers"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/golden"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/syntax"
)

// A description is the memory of a texture object: irgl_texture of irgl/texture_loads.h.
type description struct {
	Data, Pitch, Slice          uint64
	Width, Height, Depth        uint32
	Kind, Bits, Channels        uint8
	Linear, Normalized, AsFloat uint8
	Address                     [3]uint8
	Pad                         [3]uint8
	Border                      [4]float32
}

// A place is what samples.cu has of the name.
type place struct {
	Object            uint64
	X, Y, Z           float32
	Layer, Depth, Pad int32
}

// texturesOn is the emulator with a program whose functions on textures are of a kind.
type texturesOn struct {
	t   *testing.T
	dev *simt.Device
	mod device.Module
}

func newTextures(t *testing.T, name string, kind headers.Textures) *texturesOn {
	t.Helper()
	text, err := os.ReadFile("testdata/textures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	u, err := compile.Compile(source.NewFile(name, text), syntax.CUDA, "", compile.Options{Check: true, CXX: &cxx.Options{Textures: kind}})
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		t.Fatalf("%v\n%s", err, b.String())
	}
	if got, want := textureInstructions(u.PTXText()) != "", kind == headers.HardwareTextures; got != want {
		t.Fatalf("textures %d: the PTX has instructions on textures: %v", kind, got)
	}
	o := simt.Checked()
	dev := simt.Open(o)
	t.Cleanup(func() { dev.Close() })
	m, err := dev.Load(name, u.PTXText())
	if err != nil {
		t.Fatal(err)
	}
	return &texturesOn{t, dev, m}
}

// put allocates memory with some values.
func (x *texturesOn) put(name string, values any) device.Ptr {
	x.t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		x.t.Fatal(err)
	}
	p, err := x.dev.Alloc(name, int64(len(data)))
	if err == nil {
		err = x.dev.CopyIn(p, data)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	return p
}

// run launches a kernel and returns what n bytes at p are then.
func (x *texturesOn) run(name string, blocks, threads int, p device.Ptr, n int, params any) []byte {
	x.t.Helper()
	k, err := x.mod.Kernel(name)
	if err != nil {
		x.t.Fatal(err)
	}
	block, err := binary.Append(nil, binary.LittleEndian, params)
	if err == nil {
		err = x.dev.Launch(k, device.Launch{Grid: device.Dim3{X: uint32(blocks)}, Block: device.Dim3{X: uint32(threads)}, Params: block})
	}
	if err == nil {
		err = x.dev.Sync(context.Background())
	}
	out := make([]byte, n)
	if err == nil {
		err = x.dev.CopyOut(out, p)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	for _, r := range x.dev.Reports() {
		x.t.Errorf("report: %v", r)
	}
	return out
}

// formats are kinds of channels, 0 signed, 1 unsigned and 2 float, and their bits.
var formats = [][2]uint8{{0, 8}, {1, 8}, {0, 16}, {1, 16}, {2, 16}, {0, 32}, {1, 32}, {2, 32}}

// texels returns a random texture of a format, and the bytes of its texels.
func texels(r *rand.Rand, format [2]uint8) (d description, data []byte) {
	side := uint32(1 + r.IntN(7))
	d = description{Width: side, Height: side, Depth: []uint32{1, 2, 6, 12}[r.IntN(4)], Kind: format[0], Bits: format[1], Channels: []uint8{1, 2, 4}[r.IntN(3)]}
	if r.IntN(2) == 0 {
		d.Height = 1 + r.Uint32N(6)
	}
	d.Pitch = uint64(d.Width)*uint64(d.Bits/8)*uint64(d.Channels) + 16*uint64(r.IntN(2))
	d.Slice = d.Pitch * uint64(d.Height)
	data = make([]byte, d.Slice*uint64(d.Depth))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if format == [2]uint8{2, 32} {
		for i := 0; i+4 <= len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(r.NormFloat64())))
		}
	}
	return d, data
}

// sampling adds random modes.
func (d *description) sampling(r *rand.Rand) {
	bit := func() uint8 { return uint8(r.IntN(2)) }
	d.Linear, d.Normalized, d.AsFloat = bit(), bit(), bit()
	for i := range d.Address {
		d.Address[i] = uint8(r.IntN(4))
	}
	for i := range d.Border {
		d.Border[i] = float32(r.IntN(9) - 4)
	}
}

// coordinate returns a random coordinate of an axis with n texels: in texels of it and around, on edges and in middles, in quarters of
// the steps of a filter's weight, and what is no number of a texel.
func (d *description) coordinate(r *rand.Rand, n uint32) float32 {
	x := (r.Float64()*5 - 2) * float64(n)
	switch r.IntN(12) {
	case 0, 1:
		x = math.Floor(x)
	case 2, 3:
		x = math.Floor(x) + 0.5
	case 4, 5:
		x = math.Floor(x*1024) / 1024
	case 6:
		x = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 3e9, -3e9, 1e-40, math.Copysign(0, -1)}[r.IntN(7)]
	}
	if d.Normalized != 0 {
		x /= float64(n)
	}
	return float32(x)
}

// TestTexturesAgree compares the functions of irgl/texture_unit.h, which are instructions, with those of irgl/texture_loads.h, which are loads,
// on the emulator, bit for bit: random textures of all formats, filters, modes of addresses and coordinates, at random points.
func TestTexturesAgree(t *testing.T) {
	objects, points := 64, 70 // enough for the emulator to run blocks on several CPUs
	if testing.Short() {
		objects, points = 24, 30
	}
	const words, threads = 104, 96
	results := map[headers.Textures][]byte{}
	var places []place
	var list []description
	for _, kind := range []headers.Textures{headers.SoftwareTextures, headers.HardwareTextures} {
		x, r := newTextures(t, "samples.cu", kind), rand.New(rand.NewPCG(17, 1))
		places, list = nil, nil
		for n := range objects {
			d, data := texels(r, formats[n%len(formats)])
			d.sampling(r)
			d.Data = uint64(x.put(fmt.Sprintf("texels %d", n), data))
			o := uint64(x.put(fmt.Sprintf("texture %d", n), d))
			list = append(list, d)
			for range points {
				places = append(places, place{o, d.coordinate(r, d.Width), d.coordinate(r, d.Height), d.coordinate(r, d.Depth), int32(r.IntN(int(d.Depth)+4)) - 2, int32(d.Depth), 0})
			}
		}
		out := make([]byte, 4*words*len(places))
		p := x.put("out", out)
		at := x.put("places", places)
		results[kind] = x.run("_Z7samplesPjPK5placei", (len(places)+threads-1)/threads, threads, p, len(out), struct {
			Out, List uint64
			N         int32
		}{uint64(p), uint64(at), int32(len(places))})
	}
	want, got := results[headers.SoftwareTextures], results[headers.HardwareTextures]
	wrong := 0
	for i := 0; i < len(want) && wrong < 10; i += 4 {
		a, b := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		thread, word := i/4/words, i/4%words
		nan := func(v uint32) bool { return v&0x7fffffff > 0x7f800000 }
		asFloat := thread%3 == 0
		if d := &list[thread/points]; asFloat && d.Kind == 1 && d.Bits == 32 && d.AsFloat == 0 {
			continue // CUDA does not define it
		}
		if a != b && !(asFloat && nan(a) && nan(b)) {
			wrong++
			t.Errorf("thread %d, word %d: loads give %#x (%g), instructions %#x (%g)\nat %+v\nof %+v", thread, word, a, math.Float32frombits(a), b, math.Float32frombits(b), places[thread], list[thread/points])
		}
	}
}

// TestSurfacesAgree compares surfaces as TestTexturesAgree does textures: what one thread moves from one to another.
func TestSurfacesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling it by loads takes seconds")
	}
	const height, depth, pitch = 2, 2, 64
	results := map[headers.Textures][]string{}
	for _, kind := range []headers.Textures{headers.SoftwareTextures, headers.HardwareTextures} {
		x, r := newTextures(t, "surfaces.cu", kind), rand.New(rand.NewPCG(17, 2))
		for _, format := range [][2]uint8{{1, 8}, {0, 16}, {2, 32}} {
			var s [2]description
			for i := range s {
				data := make([]byte, pitch*height*depth)
				for k := range data {
					data[k] = byte(r.Uint32())
				}
				s[i] = description{Data: uint64(x.put("texels", data)), Pitch: pitch, Slice: pitch * height, Width: 128 / uint32(4*format[1]/2), Height: height, Depth: depth,
					Kind: format[0], Bits: format[1], Channels: 4}
			}
			out := x.run("_Z8surfacesyyiii", 1, 1, device.Ptr(s[1].Data), pitch*height*depth, struct {
				From, To             uint64
				Width, Height, Depth int32
			}{uint64(x.put("surface", s[0])), uint64(x.put("surface", s[1])), int32(s[0].Width), height, depth})
			results[kind] = append(results[kind], fmt.Sprintf("%x", out))
		}
	}
	if want, got := results[headers.SoftwareTextures], results[headers.HardwareTextures]; !slices.Equal(want, got) {
		t.Errorf("loads and stores leave\n%s\ninstructions\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// TestTextureInstructions checks which instructions the functions on textures and surfaces become, as nvcc 13 has them: where there is an nvcc,
// by its PTX. Where there is a ptxas, it assembles ours.
func TestTextureInstructions(t *testing.T) {
	const name = "testdata/textures/functions.cu"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ours := filepath.Join(dir, "ours.ptx")
	for _, target := range []string{"sm_75", "sm_90", "sm_100"} {
		u, err := compile.Compile(source.NewFile(name, text), syntax.CUDA, "", compile.Options{Check: true, CXX: &cxx.Options{Textures: headers.HardwareTextures}, PTX: ptxgen.Options{Target: target}})
		if err != nil {
			t.Fatalf("%v\n%v", err, u.Diags.Err())
		}
		if strings.Contains(u.PTXText(), ".local") {
			t.Errorf("%s: there are variables in local memory", target)
		}
		got := textureInstructions(u.PTXText())
		golden.File(t, "testdata/textures/functions.txt", got)
		if err := os.WriteFile(ours, []byte(u.PTXText()), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Run("ptxas/"+target, func(t *testing.T) {
			ptxas := findTool(t, "PTXAS", "ptxas")
			if out, err := exec.Command(ptxas, "-arch="+target, ours, "-o", ours+".cubin").CombinedOutput(); err != nil {
				t.Errorf("ptxas refuses our PTX: %v\n%s", err, out)
			}
		})
	}
	t.Run("nvcc", func(t *testing.T) {
		tool, theirs := findTool(t, "NVCC", "nvcc"), filepath.Join(dir, "theirs.ptx")
		if out, err := exec.Command(tool, "-arch=sm_90", "-ptx", name, "-o", theirs).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(theirs)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/textures/functions.txt", textureInstructions(string(text)))
	})
}

var (
	textureEntry   = regexp.MustCompile(`\.entry (\w+)`)
	textureCode    = regexp.MustCompile(`^\s*((?:tex|tld4|suld|sust|txq|suq)\.\S+)\s+(.*);`)
	anyRegister    = regexp.MustCompile(`%\w+`)
	withoutSpacing = strings.NewReplacer(" ", "", "\t", "")
)

// textureInstructions lists the instructions on textures and surfaces of each kernel in PTX, in alphabetical order: a line each, without the
// registers' names.
func textureInstructions(ptx string) string {
	var b strings.Builder
	kernel, list := "", []string(nil)
	flush := func() {
		slices.Sort(list)
		for _, in := range list {
			fmt.Fprintf(&b, "%s: %s\n", kernel, in)
		}
		list = nil
	}
	for line := range strings.Lines(ptx) {
		if m := textureEntry.FindStringSubmatch(line); m != nil {
			flush()
			kernel = m[1]
		}
		if m := textureCode.FindStringSubmatch(line); m != nil {
			list = append(list, m[1]+" "+withoutSpacing.Replace(anyRegister.ReplaceAllString(m[2], "r")))
		}
	}
	flush()
	return b.String()
}
