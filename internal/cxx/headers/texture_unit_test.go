package headers

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/golden"
)

// A textureForm is a geometry of the instruction tex: its modifier, the suffix of CUDA's functions, their parameters, the
// coordinates of the instruction, and the type and components of a gradient.
type textureForm struct {
	geom, name, params, coords, grad, parts string
}

var textureForms = []textureForm{
	{"1d", "tex1D", "float x", "x", "float", ""},
	{"2d", "tex2D", "float x, float y", "x y", "float2", "x y"},
	{"3d", "tex3D", "float x, float y, float z", "x y z z", "float4", "x y z z"},
	{"a1d", "tex1DLayered", "float x, int layer", "layer x", "float", ""},
	{"a2d", "tex2DLayered", "float x, float y, int layer", "layer x y y", "float2", "x y"},
	{"cube", "texCubemap", "float x, float y, float z", "x y z z", "float4", "x y z z"},
	{"acube", "texCubemapLayered", "float x, float y, float z, int layer", "layer x y z", "float4", "x y z z"},
}

// textureChannels are the types that channels are read as: of PTX, of C++, and the array of irgl_texel and the constraint that takes them.
var textureChannels = []struct{ ptx, cxx, array, letter string }{
	{"f32", "float", "f", "f"}, {"s32", "int", "v", "r"}, {"u32", "unsigned int", "v", "r"},
}

// letter returns the constraint of a coordinate.
func letter(coord string) string {
	switch coord {
	case "layer", "i":
		return "r"
	}
	return "f"
}

// An asmText collects the operands of an asm statement.
type asmText struct{ outputs, inputs []string }

// add adds operands with a constraint and returns their names in the template.
func (a *asmText) add(list *[]string, constraint string, operands ...string) string {
	var names []string
	for _, o := range operands {
		names = append(names, fmt.Sprintf("%%%d", len(a.outputs)+len(a.inputs)))
		*list = append(*list, fmt.Sprintf("%q(%s)", constraint, o))
	}
	return strings.Join(names, ", ")
}

// elements returns the first n elements of an array.
func elements(array string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s[%d]", array, i))
	}
	return out
}

func (a *asmText) statement(volatile, template string) string {
	return fmt.Sprintf("asm%s(\"%s;\" : %s : %s);", volatile, template, strings.Join(a.outputs, ", "), strings.Join(a.inputs, ", "))
}

// coords returns the coordinates of an instruction as operands.
func (a *asmText) coords(coords string) string {
	var names []string
	for c := range strings.FieldsSeq(coords) {
		names = append(names, a.add(&a.inputs, letter(c), c))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// texelLines writes the three functions, by the type of channels, that read a texel with an instruction, and CUDA's template over them.
// mods is what the instruction has between its name and geometry; more are parameters behind the coordinates, and operands writes
// what they are in the instruction.
func texelLines(b *strings.Builder, name, opcode, params, coords, types string, operands func(a *asmText) string) {
	names := ""
	for p := range strings.SplitSeq(params, ", ") {
		names += p[strings.LastIndexByte(p, ' ')+1:] + ", "
	}
	for _, c := range textureChannels {
		var a asmText
		out := a.add(&a.outputs, "="+c.letter, elements("r."+c.array, 4)...)
		text := fmt.Sprintf("%s.v4.%s.%s {%s}, [%s, ", opcode, c.ptx, types, out, a.add(&a.inputs, "l", "o"))
		text += a.coords(coords) + "]" + operands(&a)
		fmt.Fprintf(b, "inline __device__ irgl_texel irgl_%s(cudaTextureObject_t o, %s, %s) { irgl_texel r; %s return r; } // irgl_%[1]s\n", name, params, c.cxx, a.statement("", text))
	}
	fmt.Fprintf(b, "template <typename T> inline __device__ T %s(cudaTextureObject_t o, %s) { return irgl_texel_as<T>::get(irgl_%[1]s(o, %[3]stypename irgl_texel_type<T>::type())); } // %[1]s\n", name, params, names)
}

// channelTypes writes irgl_texel_type, the type that the channels of a C++ type are read as.
func channelTypes(b *strings.Builder) {
	b.WriteString("template <typename T> struct irgl_texel_type { typedef int type; };")
	of := func(t, channel string) {
		fmt.Fprintf(b, " template <> struct irgl_texel_type<%s> { typedef %s type; };", t, channel)
	}
	of("float", "float")
	for _, t := range []string{"char", "short", "int"} {
		of("unsigned "+t, "unsigned int")
	}
	for _, n := range []string{"1", "2", "4"} {
		of("float"+n, "float")
		for _, t := range []string{"uchar", "ushort", "uint"} {
			of(t+n, "unsigned int")
		}
	}
	b.WriteString(" // irgl_texel_type\n")
}

// textures writes the functions that read textures.
func textures(b *strings.Builder) {
	none := func(*asmText) string { return "" }
	channelTypes(b)
	texelLines(b, "tex1Dfetch", "tex.1d", "int i", "i", "s32", none)
	for _, f := range textureForms {
		texelLines(b, f.name, "tex."+f.geom, f.params, f.coords, "f32", none)
		texelLines(b, f.name+"Lod", "tex.level."+f.geom, f.params+", float level", f.coords, "f32", func(a *asmText) string {
			return ", " + a.add(&a.inputs, "f", "level")
		})
		texelLines(b, f.name+"Grad", "tex.grad."+f.geom, fmt.Sprintf("%s, %s dx, %[2]s dy", f.params, f.grad), f.coords, "f32", func(a *asmText) string {
			text := ""
			for _, d := range []string{"dx", "dy"} {
				list := []string{d}
				for i, part := range strings.Fields(f.parts) {
					list = append(list[:i], d+"."+part)
				}
				text += ", {" + a.add(&a.inputs, "f", list...) + "}"
			}
			return text
		})
	}
	for _, c := range []string{"r", "g", "b", "a"} {
		texelLines(b, "tex2Dgather_"+c, "tld4."+c+".2d", "float x, float y", "x y", "f32", none)
	}
	b.WriteString("template <typename T> inline __device__ T tex2Dgather(cudaTextureObject_t o, float x, float y, int channel = 0) { switch (channel & 3) { case 1: return tex2Dgather_g<T>(o, x, y); " +
		"case 2: return tex2Dgather_b<T>(o, x, y); case 3: return tex2Dgather_a<T>(o, x, y); } return tex2Dgather_r<T>(o, x, y); } // tex2Dgather\n")
}

// surfaceWords are the registers of an access to a surface: bits, their type in C++ and constraint, and how many of them there may be.
var surfaceWords = []struct {
	bits        int
	cxx, letter string
	counts      []int
}{
	{8, "unsigned short", "h", []int{1, 2, 4}}, {16, "unsigned short", "h", []int{1, 2, 4}}, {32, "unsigned int", "r", []int{1, 2, 4}}, {64, "unsigned long", "l", []int{1, 2}},
}

// surfaceTypes writes how the types of C++ are in registers: irgl_words<bits, count>, with a vector's members one
// in a register. Another type is in words of up to 32 bits.
func surfaceTypes(b *strings.Builder) {
	b.WriteString("template <int B, int N> struct irgl_words;")
	for _, w := range surfaceWords {
		for _, n := range w.counts {
			fmt.Fprintf(b, " template <> struct irgl_words<%d, %d> { %s w[%[2]d]; };", w.bits, n, w.cxx)
		}
	}
	b.WriteString(" // irgl_words\n")
	b.WriteString("template <typename T, int N> struct irgl_surface_size;")
	for _, s := range []struct {
		size, bits, count int
		part              string
	}{{1, 8, 1, "unsigned char"}, {2, 16, 1, "unsigned short"}, {4, 32, 1, "unsigned int"}, {8, 32, 2, "unsigned int"}, {16, 32, 4, "unsigned int"}} {
		fmt.Fprintf(b, " template <typename T> struct irgl_surface_size<T, %d> { typedef irgl_words<%d, %d> words; static __device__ T get(const words &r) { T v; for (int i = 0; i < %[3]d; i++) { ((%[4]s *)&v)[i] = r.w[i]; } return v; } "+
			"static __device__ words put(const T &v) { words r; for (int i = 0; i < %[3]d; i++) { r.w[i] = ((const %[4]s *)&v)[i]; } return r; } };", s.size, s.bits, s.count, s.part)
	}
	b.WriteString(" // irgl_surface_size\n")
	b.WriteString("template <typename T> struct irgl_surface_as : irgl_surface_size<T, sizeof(T)> {};")
	for _, t := range []struct {
		name, vector string // of C++
		bits         int
		from, to     string // how a word becomes a member, and back
	}{
		{"signed char", "char", 8, "(signed char)", "(unsigned char)"}, {"unsigned char", "uchar", 8, "(unsigned char)", ""},
		{"short", "short", 16, "(short)", "(unsigned short)"}, {"unsigned short", "ushort", 16, "", ""},
		{"int", "int", 32, "(int)", "(unsigned int)"}, {"unsigned int", "uint", 32, "", ""}, {"float", "float", 32, "__uint_as_float", "__float_as_uint"},
		{"long long", "longlong", 64, "(long long)", "(unsigned long)"}, {"unsigned long long", "ulonglong", 64, "", ""},
	} {
		one := func(name, get, put string, n int) {
			fmt.Fprintf(b, " template <> struct irgl_surface_as<%s> { typedef irgl_words<%d, %d> words; static __device__ %[1]s get(const words &r) { %[4]s } static __device__ words put(const %[1]s &v) { words r; %[5]s return r; } };", name, t.bits, n, get, put)
		}
		one(t.name, "return "+t.from+"(r.w[0]);", "r.w[0] = "+t.to+"(v);", 1)
		for _, n := range []int{1, 2, 4} {
			if n == 4 && t.bits == 64 {
				continue
			}
			get, put := t.vector+fmt.Sprint(n)+" v; ", ""
			for i := range n {
				get += fmt.Sprintf("v.%c = %s(r.w[%d]); ", "xyzw"[i], t.from, i)
				put += fmt.Sprintf("r.w[%d] = %s(v.%c); ", i, t.to, "xyzw"[i])
			}
			one(t.vector+fmt.Sprint(n), get+"return v;", strings.TrimSuffix(put, " "), n)
		}
	}
	b.WriteString(" // irgl_surface_as\n")
}

// surfaces writes the functions that read and write surfaces. A switch over the modes of coordinates out of bounds is by a constant nearly always.
func surfaces(b *strings.Builder) {
	surfaceTypes(b)
	modes := []struct{ mode, label string }{{"clamp", "case cudaBoundaryModeClamp:"}, {"zero", "case cudaBoundaryModeZero:"}, {"trap", "default:"}}
	for _, g := range []struct {
		geom, coords, params string
		names                []string // of CUDA's functions
	}{
		{"1d", "x", "int x", []string{"surf1D"}},
		{"2d", "x y", "int x, int y", []string{"surf2D"}},
		{"3d", "x y z z", "int x, int y, int z", []string{"surf3D"}},
		{"a1d", "layer x", "int x, int layer", []string{"surf1DLayered"}},
		{"a2d", "layer x y y", "int x, int y, int layer", []string{"surf2DLayered", "surfCubemap", "surfCubemapLayered"}},
	} {
		var names []string
		for p := range strings.SplitSeq(g.params, ", ") {
			names = append(names, strings.TrimPrefix(p, "int "))
		}
		args := strings.Join(names, ", ")
		for _, w := range surfaceWords {
			for _, n := range w.counts {
				vec := ""
				if n > 1 {
					vec = fmt.Sprintf("v%d.", n)
				}
				read, write := "", ""
				for _, m := range modes {
					var r, s asmText
					out := r.add(&r.outputs, "="+w.letter, elements("r.w", n)...)
					text := fmt.Sprintf("suld.b.%s.%sb%d.%s {%s}, [%s, ", g.geom, vec, w.bits, m.mode, out, r.add(&r.inputs, "l", "o"))
					var at []string
					for c := range strings.FieldsSeq(g.coords) {
						at = append(at, r.add(&r.inputs, "r", c))
					}
					read += m.label + " " + r.statement("", text+"{"+strings.Join(at, ", ")+"}]") + " break; "
					text, at = fmt.Sprintf("sust.b.%s.%sb%d.%s [%s, ", g.geom, vec, w.bits, m.mode, s.add(&s.inputs, "l", "o")), nil
					for c := range strings.FieldsSeq(g.coords) {
						at = append(at, s.add(&s.inputs, "r", c))
					}
					text += "{" + strings.Join(at, ", ") + "}], {" + s.add(&s.inputs, w.letter, elements("r.w", n)...) + "}"
					write += m.label + " " + s.statement(" volatile", text) + " break; "
				}
				fmt.Fprintf(b, "inline __device__ void irgl_suld_%s(cudaSurfaceObject_t o, %s, int mode, irgl_words<%d, %d> &r) { switch (mode) { %s} } // irgl_suld_%[1]s\n", g.geom, g.params, w.bits, n, read)
				fmt.Fprintf(b, "inline __device__ void irgl_sust_%s(cudaSurfaceObject_t o, %s, int mode, const irgl_words<%d, %d> &r) { switch (mode) { %s} } // irgl_sust_%[1]s\n", g.geom, g.params, w.bits, n, write)
			}
		}
		const mode = "cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap"
		for _, name := range g.names {
			fmt.Fprintf(b, "template <typename T> inline __device__ T %sread(cudaSurfaceObject_t o, %s, %s) { typename irgl_surface_as<T>::words r; irgl_suld_%s(o, %s, m, r); return irgl_surface_as<T>::get(r); } // %[1]sread\n", name, g.params, mode, g.geom, args)
			fmt.Fprintf(b, "template <typename T> inline __device__ void %sread(T *v, cudaSurfaceObject_t o, %s, %s) { *v = %[1]sread<T>(o, %[4]s, m); } // %[1]sread\n", name, g.params, mode, args)
			fmt.Fprintf(b, "template <typename T> inline __device__ void %swrite(T v, cudaSurfaceObject_t o, %s, %s) { irgl_sust_%s(o, %s, m, irgl_surface_as<T>::put(v)); } // %[1]swrite\n", name, g.params, mode, g.geom, args)
		}
	}
}

// TestTextureUnit checks that irgl/texture_unit.h has the functions on textures and surfaces as instructions.
func TestTextureUnit(t *testing.T) {
	var b strings.Builder
	b.WriteString(license + "// Textures and surfaces by the instructions of a texture unit: an object is what the driver or the emulator makes. Written by a test.\n" +
		"// A line declares the names in the comment behind it; files get the lines that they use.\n#pragma once\n\n")
	textures(&b)
	surfaces(&b)
	golden.File(t, filepath.Join("include", "irgl", "texture_unit.h"), b.String())
}
