package simt

import (
	"encoding/binary"
	"math"
	"slices"

	"irgl/internal/ptx"
)

// This file has the instructions on textures and surfaces. An object is the address of a description in device memory
// that the runtime makes, irgl_texture of <irgl/texture_loads.h>; texels are read and filtered as the device code of that header does. There
// are no mipmaps, so levels and gradients do not count.

// A texture is a description.
type texture struct {
	data, pitch, slice   uint64
	size                 [3]int
	kind, bits, channels uint8 // kind: 0 signed, 1 unsigned, 2 float
	linear, normalized   bool
	asFloat              bool
	address              [3]uint8 // 0 wrap, 1 clamp, 2 mirror, 3 border
	border               [4]float32
}

// textureBytes is the size of a description.
const textureBytes = 64

// A textureUnit reads descriptions and texels for the lanes of one instruction.
type textureUnit struct {
	w           *warp
	desc, texel inst // as which it reads them
	addr        uint64
	of          texture // at addr, if it is read
	read        bool
}

// textureUnit returns that of an instruction whose register a has the objects.
func (w *warp) textureUnit(in *inst) textureUnit {
	u := textureUnit{w: w, desc: *in, texel: *in}
	u.desc.off, u.desc.space, u.desc.size = 0, spGlobal, 8
	u.texel.a, u.texel.space = none, spGlobal
	u.desc.cached, u.texel.cached = nil, nil // of two buffers, nearly always
	u.desc.writes = nil                      // a description is no value of the program's
	return u
}

// texture reads the description of a lane's object.
func (u *textureUnit) texture(lane int) (*texture, bool) {
	addr := u.w.regs[u.desc.a+int32(lane)]
	if u.read && addr == u.addr {
		return &u.of, true
	}
	var loc location
	for u.desc.off = textureBytes - 8; u.desc.off >= 0; u.desc.off -= 8 {
		u.desc.untyped = u.desc.off >= 40 // with padding
		if !u.w.resolve(&u.desc, lane, 8, false, &loc) {
			return nil, false
		}
	}
	p := loc.buf.data[loc.off:]
	t := texture{data: load(p, 8), pitch: load(p[8:], 8), slice: load(p[16:], 8), kind: p[36], bits: p[37], channels: p[38],
		linear: p[39] != 0, normalized: p[40] != 0, asFloat: p[41] != 0, address: [3]uint8(p[42:45])}
	for i := range t.size {
		t.size[i] = int(load(p[24+4*i:], 4))
	}
	for i := range t.border {
		t.border[i] = math.Float32frombits(binary.LittleEndian.Uint32(p[48+4*i:]))
	}
	u.addr, u.of, u.read = addr, t, true
	return &u.of, true
}

// place returns the index of a coordinate by the address mode, or -1 for the border.
func (t *texture) place(i, axis int) int {
	n := t.size[axis]
	switch {
	case n == 0:
		return -1
	case t.address[axis] == 0:
		return ((i % n) + n) % n
	case t.address[axis] == 2:
		if j := ((i % (2 * n)) + 2*n) % (2 * n); j < n {
			return j
		} else {
			return 2*n - 1 - j
		}
	case t.address[axis] == 1:
		return min(max(i, 0), n-1)
	case i < 0 || i >= n:
		return -1
	}
	return i
}

// A texel is the channels of one, as numbers and as bits.
type texel struct {
	f [4]float32
	v [4]uint32
}

// fetch reads a texel.
func (u *textureUnit) fetch(lane int, t *texture, at [3]int) (out texel, ok bool) {
	i, j, k := t.place(at[0], 0), t.place(at[1], 1), t.place(at[2], 2)
	inside := i >= 0 && j >= 0 && k >= 0
	for c := range 4 {
		switch {
		case inside && c < int(t.channels):
			bytes := uint64(t.bits / 8)
			raw, ok := u.texelBytes(lane, t.data+uint64(k)*t.slice+uint64(j)*t.pitch+(uint64(i)*uint64(t.channels)+uint64(c))*bytes, bytes)
			if !ok {
				return out, false
			}
			out.v[c] = uint32(raw)
			if t.kind == 0 {
				out.v[c] = uint32(signExtend(raw, int(bytes)))
			}
			out.f[c] = t.number(out.v[c])
		case inside && c == 3:
			out.f[c] = 1
		case inside:
		case t.kind == 2:
			out.f[c], out.v[c] = t.border[c], math.Float32bits(t.border[c])
		default:
			out.f[c], out.v[c] = t.border[c], uint32(int32(t.border[c]))
		}
	}
	return out, true
}

// texelBytes reads n bytes of a texture.
func (u *textureUnit) texelBytes(lane int, addr, n uint64) (uint64, bool) {
	in, w := &u.texel, u.w
	in.off, in.size = int64(addr), uint8(n)
	var loc location
	if !w.resolve(in, lane, n, false, &loc) {
		return 0, false
	}
	if w.l.races != nil {
		w.l.races.access(w, in, lane, &loc, n, false, false)
	}
	return load(loc.mem, uint8(n)), true
}

// number returns a channel as a float.
func (t *texture) number(v uint32) float32 {
	switch {
	case t.kind == 2 && t.bits == 16:
		return float32(f16.decode(uint16(v)))
	case t.kind == 2:
		return math.Float32frombits(v)
	case !t.asFloat && t.kind == 0:
		return float32(int32(v))
	case !t.asFloat:
		return float32(v)
	case t.kind == 1 && t.bits == 8:
		return float32(v) / 255
	case t.kind == 1:
		return float32(v) / 65535
	case t.bits == 8:
		return max(float32(int32(v))/127, -1)
	}
	return max(float32(int32(v))/32767, -1)
}

// floor32 is floorf as an index of 32 bits: the nearest one, and 0 for NaN.
func floor32(x float32) int {
	switch f := math.Floor(float64(x)); {
	case f != f:
		return 0
	case f < math.MinInt32:
		return math.MinInt32
	case f > math.MaxInt32:
		return math.MaxInt32
	default:
		return int(f)
	}
}

// weight is a filter's weight: eight bits behind the point.
func weight(x float32) float32 {
	part := x - float32(math.Floor(float64(x)))
	return float32(math.RoundToEven(float64(part*256))) / 256
}

// scaled returns coordinates in texels.
func (t *texture) scaled(at [3]float32) [3]float32 {
	if t.normalized {
		for i := range at {
			at[i] *= float32(t.size[i])
		}
	}
	return at
}

// sample reads a texture at coordinates.
func (u *textureUnit) sample(lane int, t *texture, at [3]float32) (out texel, ok bool) {
	at = t.scaled(at)
	if !t.linear {
		return u.fetch(lane, t, [3]int{floor32(at[0]), floor32(at[1]), floor32(at[2])})
	}
	at[0] -= 0.5
	for i := 1; i < 3; i++ {
		if at[i] -= 0.5; t.size[i] <= 1 {
			at[i] = 0
		}
	}
	var first [3]int
	var part [3]float32
	for i := range at {
		first[i], part[i] = floor32(at[i]), weight(at[i])
	}
	for corner := range 8 {
		sum, place := float32(1), first
		for i := range part {
			if corner>>i&1 != 0 {
				sum, place[i] = sum*part[i], int(int32(place[i]+1))
			} else {
				sum *= 1 - part[i]
			}
		}
		if sum == 0 {
			continue
		}
		x, ok := u.fetch(lane, t, place)
		if !ok {
			return out, false
		}
		for c := range out.f {
			out.f[c] += float32(sum * x.f[c]) // rounded: Go may contract it otherwise
		}
	}
	return out, true
}

// gather4 returns one channel of the four texels that a linear filter would read.
func (u *textureUnit) gather4(lane int, t *texture, at [3]float32, channel int) (out texel, ok bool) {
	at = t.scaled(at)
	i, j := floor32(at[0]-0.5), floor32(at[1]-0.5)
	right, up := int(int32(i+1)), int(int32(j+1))
	for n, place := range [...][3]int{{i, up}, {right, up}, {right, j}, {i, j}} {
		x, ok := u.fetch(lane, t, place)
		if !ok {
			return out, false
		}
		out.f[n], out.v[n] = x.f[channel], x.v[channel]
	}
	return out, true
}

// layered returns the texture of one layer.
func (t *texture) layered(layer int) *texture {
	u := *t
	u.data += uint64(max(min(layer, t.size[2]-1), 0)) * t.slice
	u.size[2] = 1
	return &u
}

// face returns the texture of a face of a cube map, which is clamped; its coordinates go from 0 to 1.
func (t *texture) face(layer, face int) *texture {
	u := t.layered(6*max(min(layer, t.size[2]/6-1), 0) + face)
	u.address, u.normalized = [3]uint8{1, 1, 1}, true
	return u
}

// cubeFace returns the face that a direction meets, and the coordinates there, from 0 to 1.
func cubeFace(x, y, z float32) (face int, u, v float32) {
	abs := func(x float32) float32 { return float32(math.Abs(float64(x))) }
	ax, ay, az := abs(x), abs(y), abs(z)
	m := float32(math.NaN()) // the largest one that is a number
	for _, a := range []float32{ax, ay, az} {
		if a > m || m != m {
			m = a
		}
	}
	var s, t float32
	switch m {
	case ax:
		face, s, t = 0, -z, -y
		if x < 0 {
			face, s = 1, z
		}
	case ay:
		face, s, t = 2, x, z
		if y < 0 {
			face, t = 3, -z
		}
	default:
		face, s, t = 4, x, -y
		if z < 0 {
			face, s = 5, -x
		}
	}
	return face, (s/m + 1) / 2, (t/m + 1) / 2
}

// A texturing is a decoded instruction on a texture.
type texturing struct {
	geom     string
	isFloat  bool // of the result
	integral bool // the coordinates are
	channel  int  // of tld4, or -1
	coords   []int32
}

var textureGeoms = []string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"}

// texture decodes the instructions on textures and surfaces.
func (fd *funcDecoder) texture(s *ptx.Inst, m mods) {
	in := inst{ctl: ctlMemory, b: none, c: none, d: none, e: none}
	mem, data := s.Args[0], ptx.Operand{}
	if s.Op != "sust" {
		mem, data = s.Args[1], s.Args[0]
	} else {
		data = s.Args[1]
	}
	r := fd.reg(mem.Name)
	in.a, in.reads = r.slot*32, append(in.reads, r.slot)
	var coords []int32
	if len(mem.List) > 0 {
		for _, o := range mem.List[0].List {
			coords = append(coords, fd.value(&in.reads, o, "b32"))
		}
	}
	switch s.Op {
	case "txq", "suq":
		in.d = fd.dest(&in.writes, data)
		what := m.list[0]
		in.run = func(w *warp, in *inst, mask uint32) { w.query(in, mask, what) }
	case "suld", "sust":
		for _, o := range data.List {
			if s.Op == "suld" {
				in.ds = append(in.ds, fd.dest(&in.writes, o))
			} else {
				in.ds = append(in.ds, fd.value(&in.reads, o, m.t))
			}
		}
		in.size = uint8(m.t.Size())
		f := &surfacing{geom: m.list[1], mode: m.list[len(m.list)-1], coords: coords, write: s.Op == "sust"}
		in.run = f.run
	default:
		for _, o := range data.List {
			in.ds = append(in.ds, fd.dest(&in.writes, o))
		}
		t := &texturing{geom: m.first(textureGeoms...), isFloat: m.t == "f32", integral: m.list[len(m.list)-1] == "s32", channel: -1, coords: coords}
		if s.Op == "tld4" {
			t.channel = slices.Index([]string{"r", "g", "b", "a"}, m.list[0])
		}
		in.run = t.run
	}
	fd.emit(in)
}

// run reads a texture for the lanes of m.
func (x *texturing) run(w *warp, in *inst, m uint32) {
	u := w.textureUnit(in)
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		t, ok := u.texture(lane)
		if !ok {
			return
		}
		out, ok := x.read(&u, lane, t)
		if !ok {
			return
		}
		for c, d := range in.ds {
			v := uint64(out.v[c])
			if x.isFloat {
				v = uint64(math.Float32bits(out.f[c]))
			}
			w.regs[d+int32(lane)] = v
		}
	}
}

// read reads the texture of a lane.
func (x *texturing) read(u *textureUnit, lane int, t *texture) (texel, bool) {
	var raw [4]uint32
	for i, slot := range x.coords {
		raw[i] = uint32(u.w.regs[slot+int32(lane)])
	}
	at := raw[:len(x.coords)]
	if x.geom[0] == 'a' { // the layer is first
		layer := int(int32(raw[0]))
		at = at[1:]
		if x.geom == "acube" {
			face, a, b := cubeFace(math.Float32frombits(at[0]), math.Float32frombits(at[1]), math.Float32frombits(at[2]))
			return u.sample(lane, t.face(layer, face), [3]float32{a, b})
		}
		t = t.layered(layer)
	}
	n := map[byte]int{'1': 1, '2': 2, '3': 3}[x.geom[len(x.geom)-2]]
	if x.geom == "cube" {
		n = 3
	}
	var f [3]float32
	var i [3]int
	for k := range min(n, len(at)) {
		f[k], i[k] = math.Float32frombits(at[k]), int(int32(at[k]))
	}
	switch {
	case x.geom == "cube":
		face, a, b := cubeFace(f[0], f[1], f[2])
		return u.sample(lane, t.face(0, face), [3]float32{a, b})
	case x.integral:
		return u.fetch(lane, t, i)
	case x.channel >= 0:
		return u.gather4(lane, t, f, x.channel)
	}
	return u.sample(lane, t, f)
}

// query executes txq and suq.
func (w *warp) query(in *inst, m uint32, what string) {
	u := w.textureUnit(in)
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		t, ok := u.texture(lane)
		if !ok {
			return
		}
		v := uint64(1) // level of a mipmap
		switch what {
		case "width", "height", "depth":
			v = uint64(t.size[slices.Index([]string{"width", "height", "depth"}, what)])
		case "normalized_coords":
			if !t.normalized {
				v = 0
			}
		}
		w.regs[in.d+int32(lane)] = v
	}
}

// A surfacing is a decoded instruction on a surface, whose first coordinate is in bytes.
type surfacing struct {
	geom, mode string
	coords     []int32
	write      bool
}

// run reads or writes a surface for the lanes of m.
func (x *surfacing) run(w *warp, in *inst, m uint32) {
	u := w.textureUnit(in)
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		t, ok := u.texture(lane)
		if !ok {
			return
		}
		addr, inside := x.place(w, lane, t, int(in.size)*len(in.ds))
		if !inside {
			if x.mode == "trap" {
				w.failedAs(CodeTrap, in, "%s accesses a surface out of its bounds in %q", w.thread(lane), in.src)
				return
			}
			for _, d := range in.ds {
				if !x.write {
					w.regs[d+int32(lane)] = 0
				}
			}
			continue
		}
		for k, d := range in.ds {
			u.texel.off = int64(addr) + int64(k)*int64(in.size)
			var loc location
			if !w.resolve(&u.texel, lane, uint64(in.size), x.write, &loc) {
				return
			}
			if w.l.races != nil {
				w.l.races.access(w, &u.texel, lane, &loc, uint64(in.size), x.write, false)
			}
			if x.write {
				store(loc.mem, in.size, w.regs[d+int32(lane)])
				w.l.progress()
			} else {
				w.regs[d+int32(lane)] = load(loc.mem, in.size)
			}
		}
	}
}

// place returns the address of what a lane accesses; false where it is outside, and is not moved inside.
func (x *surfacing) place(w *warp, lane int, t *texture, size int) (addr uint64, inside bool) {
	var at [3]int
	from, axis := 0, 0
	if x.geom[0] == 'a' {
		at[2] = int(int32(w.regs[x.coords[0]+int32(lane)]))
		from = 1
	}
	for _, slot := range x.coords[from:] {
		if axis < int(x.geom[len(x.geom)-2]-'0') {
			at[axis] = int(int32(w.regs[slot+int32(lane)]))
		}
		axis++
	}
	last := [3]int{t.size[0]*int(t.channels)*int(t.bits/8) - size, t.size[1] - 1, t.size[2] - 1}
	for i := range at {
		if at[i] < 0 || at[i] > last[i] {
			if x.mode != "clamp" {
				return 0, false
			}
			at[i] = min(max(at[i], 0), last[i])
		}
	}
	return t.data + uint64(at[2])*t.slice + uint64(at[1])*t.pitch + uint64(at[0]), true
}
