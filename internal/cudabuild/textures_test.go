package cudabuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/cxx/headers"
)

// TestTextureFlags: an image says by what objects its device code reads textures, whose kind the runtime makes.
func TestTextureFlags(t *testing.T) {
	const sample = "__global__ void k(cudaTextureObject_t t, float *p) { p[0] = tex2D<float>(t, 0, 0); }\n"
	const surface = "__global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1, s, 0); }\n"
	const inline = "__global__ void k(cudaTextureObject_t t, unsigned *p) { asm(\"txq.width.b32 %0, [%1];\" : \"=r\"(*p) : \"l\"(t)); }\n"
	const none = "__global__ void k(cudaTextureObject_t t, cudaTextureObject_t *p) { *p = t; }\n"
	for _, c := range []struct {
		text     string
		textures headers.Textures
		want     TextureFlags
	}{
		{sample, headers.SoftwareTextures, SoftwareTextures},
		{sample, headers.HardwareTextures, HardwareTextures},
		{surface, headers.SoftwareTextures, SoftwareTextures},
		{surface, headers.HardwareTextures, HardwareTextures},
		{inline, headers.SoftwareTextures, HardwareTextures},
		{sample + strings.Replace(inline, "k(", "l(", 1), headers.SoftwareTextures, HardwareTextures | SoftwareTextures},
		{none, headers.SoftwareTextures, 0},
		{none, headers.HardwareTextures, 0},
	} {
		path := filepath.Join(t.TempDir(), "a.cu")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, diags, err := CompileDevice(context.Background(), path, nil, &Options{Textures: c.textures})
		if err != nil || diags.Errors() > 0 {
			t.Fatalf("%v, %v", err, diags.Err())
		}
		if d.Textures != c.want {
			t.Errorf("textures %d: the flags are %d, want %d: %s", c.textures, d.Textures, c.want, c.text)
		}
		if want := ".Lirgl_image:\n\t.long\t4, " + string('0'+rune(c.want)) + "\n"; !strings.Contains(tables("a.cu", "a", "", d, nil), want) {
			t.Errorf("the image has no %q", want)
		}
	}
}
