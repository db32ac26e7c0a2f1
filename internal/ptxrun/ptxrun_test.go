package ptxrun

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

const text = `.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z5scalePfPKffi(.param .u64 out, .param .u64 in, .param .f32 by, .param .u32 n) {
	.reg .pred %p; .reg .b32 %r<3>; .reg .f32 %f<4>; .reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.f32 %f1, [by]; ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r1; @%p ret;
	mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
	ld.global.f32 %f2, [%rd4]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd5], %f3; ret; }
.visible .entry pack(.param .align 8 .b8 s[12], .param .u16 h, .param .u64 out) {
	.reg .b16 %h; .reg .b32 %r<3>; .reg .b64 %rd<2>;
	ld.param.u32 %r1, [s+8]; ld.param.u16 %h, [h]; ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r1; st.global.u16 [%rd1+4], %h; ret; }
`

func launch(t *testing.T, kernel string, block uint32, args ...string) *Launch {
	t.Helper()
	l := &Launch{Kernel: kernel, Block: device.Dim3{X: block}}
	for _, s := range args {
		a, err := ParseArg(s)
		if err != nil {
			t.Fatal(err)
		}
		l.Args = append(l.Args, a)
	}
	return l
}

// TestRun launches kernels by their names and checks what is in memory then.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "struct")
	if err := os.WriteFile(file, []byte("12345678\x09\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		l    *Launch
		at   int
		want string
	}{
		{launch(t, "scale", 8, "f32[5]=7,8", "f32[5]=iota", "f32=2.5", "s32=4"), 0, "0, 2.5, 5, 7.5, 8"},
		{launch(t, "scale(float*, float const*, float, int)", 8, "f32[2]", "f32[2]=1", "f32=-1", "u32=2"), 0, "-1, -1"},
		{launch(t, "pack", 1, "bytes=@"+file, "f16=1.5", "u16[3]=0"), 2, "9, 0, 15872"},
	} {
		d := simt.Open(simt.Checked())
		c.l.Read = []int{c.at}
		out, err := c.l.Run(t.Context(), d, "t.ptx", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.l.Args[c.at].Text(out[c.at]); got != c.want {
			t.Errorf("%s: %s, want %s", c.l.Kernel, got, c.want)
		}
		if len(d.Reports()) > 0 {
			t.Error(d.Reports())
		}
		d.Close()
	}
}

// TestEndless: a device that does not end is read up to a bound.
func TestEndless(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("there is no /dev/zero")
	}
	defer func(n int64) { maxElements = n }(maxElements)
	maxElements = 1 << 16
	d := simt.Open(simt.Checked())
	defer d.Close()
	_, err := launch(t, "scale", 1, "null", "u8[]=@/dev/zero", "f32=1", "u32=1").Run(t.Context(), d, "t.ptx", text)
	if err == nil || !strings.Contains(err.Error(), "argument 1: read /dev/zero: more than 64 KiB") {
		t.Error(err)
	}
}

// TestRefused: what is wrong is said in terms of the kernel.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		l    *Launch
		want string
	}{
		{launch(t, "", 1), "t.ptx has 2 kernels, name one of them:\n  _Z5scalePfPKffi, scale(float*, float const*, float, int)\n  pack"},
		{launch(t, "scal", 1), "t.ptx has no kernel scal; it has\n"},
		{launch(t, "scale", 1, "null"), "1 of the 4 arguments of the kernel are given: scale(float*, float const*, float, int) takes u64, u64, f32, u32"},
		{launch(t, "scale", 1, "null", "null", "f64=1", "u32=1"), "argument 2 has 8 bytes, the parameter has 4"},
		{launch(t, "scale", 1, "null", "f32[]=@nowhere", "f32=1", "u32=1"), "argument 1: nowhere: no such file or directory"},
		{launch(t, "scale", 1, "null", "f32[1]=1", "f32=1", "u32=1"), "address 0x0"},
		{launch(t, "scale", 2000, "null", "null", "f32=1", "u32=1"), "at most 1024 threads"},
	} {
		d := simt.Open(simt.Checked())
		if _, err := c.l.Run(t.Context(), d, "t.ptx", text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.l.Kernel, err, c.want)
		}
		d.Close()
	}
	for s, want := range map[string]string{
		"5": "none of the forms", "q32=1": "there is no type q32", "u8=300": "300 is out of the range of u8", "u32=-1": `"-1" is no number of type u32`,
		"s32[2]=1,2,3": "3 numbers are given, there are 2 elements", "s32[]=1": "no number of elements", "s32": "has no value", "bytes=4": "those of a file", "u32[0]": "1 to",
	} {
		if _, err := ParseArg(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", s, err, want)
		}
	}
	for _, s := range []string{"", "0", "1,2,3,4", "1,,2", "x", "-1", "1 2"} {
		if d, err := ParseDim(s); err == nil {
			t.Errorf("the extents %q are %v", s, d)
		}
	}
}

// TestHalves: each half is what it rounds to, and so are numbers beside it.
func TestHalves(t *testing.T) {
	for _, typ := range []string{"f16", "bf16"} {
		a, err := ParseArg(typ + "=1")
		if err != nil {
			t.Fatal(err)
		}
		for h := range uint16(0x7c00) {
			x := fromHalf(a.Type, h)
			for _, y := range []float64{x, math.Nextafter(x, math.Inf(1)), -x} {
				if got := toHalf(a.Type, y); got&0x7fff != h || got>>15 != 0 != math.Signbit(y) {
					t.Fatalf("%s: %g gives %#x, want %#x", typ, y, got, h)
				}
			}
		}
	}
	if toHalf("f16", 65519) != 0x7bff || toHalf("f16", 65520) != 0x7c00 || toHalf("f16", math.Inf(-1)) != 0xfc00 {
		t.Error("the largest halves")
	}
}
