//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// fakeCode is what the fake's machine code begins with. The PTX that it is of follows.
const fakeCode = "\x7fELF by the fake\n"

// A fakeLink is what is linked: a text, to which a library may be added.
type fakeLink struct {
	c       *fakeContext
	text    []byte // with a zero at its end
	library string
	log     []byte
}

func (f *fakeDriver) linkEntries() map[string]fakeEntry {
	link := func(c *fakeContext, h uintptr) *fakeLink {
		if l := thing[fakeLink](f, h); l != nil && l.c == c {
			return l
		}
		return nil
	}
	return map[string]fakeEntry{
		"cuLinkCreate_v2": {args: 4, f: func(c *fakeContext, a []uintptr) int {
			l := &fakeLink{c: c}
			for i := range a[0] {
				if *pointer[uint32](a[1] + 4*i) == jitErrorLog {
					l.log = bytesAt(*pointer[uintptr](a[2] + 8*i), 64)
				}
			}
			*pointer[uintptr](a[3]) = f.add(l)
			return 0
		}},
		"cuLinkAddData_v2": {args: 8, f: func(c *fakeContext, a []uintptr) int {
			l := link(c, a[0])
			if l == nil || a[1] != linkPTX || a[5] != 0 {
				return codeInvalidHandle
			}
			m, err := c.dev.Load("text", stringAt(a[2]))
			if err != nil {
				copy(l.log, err.Error()+"\x00")
				return 218 // CUDA_ERROR_INVALID_PTX
			}
			l.text = append([]byte(fakeCode), bytesAt(a[2], a[3])...)
			return c.code(m.Close())
		}},
		"cuLinkAddFile_v2": {args: 6, f: func(c *fakeContext, a []uintptr) int {
			l := link(c, a[0])
			if l == nil || a[1] != linkLibrary || a[3] != 0 {
				return codeInvalidHandle
			}
			l.library = stringAt(a[2])
			if _, err := os.Stat(l.library); err != nil {
				copy(l.log, "no library\x00")
				return 301 // CUDA_ERROR_FILE_NOT_FOUND
			}
			return 0
		}},
		"cuLinkComplete": {args: 3, f: func(c *fakeContext, a []uintptr) int {
			l := link(c, a[0])
			if l == nil || l.text == nil {
				return codeInvalidHandle
			}
			*pointer[uintptr](a[1]), *pointer[uintptr](a[2]) = uintptr(unsafe.Pointer(&l.text[0])), uintptr(len(l.text))
			return 0
		}},
		"cuLinkDestroy": {args: 1, f: func(c *fakeContext, a []uintptr) int {
			if link(c, a[0]) == nil {
				return codeInvalidHandle
			}
			delete(f.things, a[0])
			return 0
		}},
	}
}

// TestLoadLinked links a text with a library, and gives the linker back whatever happens.
func TestLoadLinked(t *testing.T) {
	const text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .u32 v;\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n"
	f, d := openFake(t, Options{})
	library := filepath.Join(t.TempDir(), "libcudadevrt.a")
	if _, err := d.LoadLinked("a", text, library); !strings.Contains(errorText(err), "cuLinkAddFile("+library+")") || !strings.Contains(errorText(err), "no library") {
		t.Errorf("without the library: %v", err)
	}
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := d.LoadLinked("a", text, library)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := m.Kernel("k"); err != nil || k.Info().Name != "k" {
		t.Errorf("kernel: %v, %v", k, err)
	}
	for _, x := range f.things {
		if _, ok := x.(*fakeLink); ok {
			t.Error("a linker is not destroyed")
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.LoadLinked("a", "\x00", library); err == nil {
		t.Error("a text with a NUL byte is linked")
	}
	linkCreate := d.cu.linkCreate
	defer func() { d.cu.linkCreate = linkCreate }()
	d.cu.linkCreate = 0
	if _, err := d.LoadLinked("a", text, library); !strings.Contains(errorText(err), "the driver has no linker") {
		t.Errorf("without a linker: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// errorText returns the text of an error and the log of a [LoadError].
func errorText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if l, ok := errors.AsType[*LoadError](err); ok {
		text += "\n" + l.Log
	}
	return text
}
