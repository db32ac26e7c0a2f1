//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/codecache"
)

const cachedText = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n"

// loadsOf opens a device with options, loads a text linked with a library, and returns what
// was called for it.
func loadsOf(t *testing.T, o Options, text, library string) []string {
	t.Helper()
	f, d := openFake(t, o)
	f.calls()
	m, err := d.LoadLinked("a", text, library)
	if err != nil {
		t.Fatal(err)
	}
	calls := names(f.calls())
	if k, err := m.Kernel("k"); err != nil || k.Info().Name != "k" {
		t.Errorf("kernel: %v, %v", k, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, x := range f.things {
		if _, ok := x.(*fakeLink); ok {
			t.Error("a linker is not destroyed")
		}
	}
	return calls
}

// Machine code is made once for a text, a driver, a GPU and the options that count; what is
// damaged, or refused by the driver, is made again.
func TestCodeCache(t *testing.T) {
	dir, library := t.TempDir(), filepath.Join(t.TempDir(), "libcudadevrt.a")
	if err := os.WriteFile(library, []byte("a library"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := Options{Cache: codecache.At(dir, 1<<20)}
	made := []string{"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuLinkComplete", "cuModuleLoadDataEx", "cuLinkDestroy"}
	found := []string{"cuModuleLoadDataEx"}
	load := func(what string, o Options, text string, want []string) {
		t.Helper()
		if got := loadsOf(t, o, text, library); !slices.Equal(got, want) {
			t.Errorf("%s: calls %v, want %v", what, got, want)
		}
	}
	entries := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	load("without a cache", Options{}, cachedText, made)
	load("first", o, cachedText, made)
	load("second", o, cachedText, found)
	load("another text", o, cachedText+"// more\n", made)
	load("unoptimised", Options{Cache: o.Cache, Unoptimised: true}, cachedText, made)
	load("the primary context", Options{Cache: o.Cache, Primary: true}, cachedText, found)
	cu := newFake().cu
	cu.version += 10
	load("another driver", o, cachedText, made)
	cu.version -= 10
	load("the first driver again", o, cachedText, found)
	if n := len(entries()); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}

	for _, path := range entries() {
		if err := os.Truncate(path, 50); err != nil {
			t.Fatal(err)
		}
	}
	load("truncated", o, cachedText, made)
	load("written again", o, cachedText, found)

	_, d := openFake(t, o)
	key, ok := d.codeKey(cachedText, library)
	if !ok || o.Cache.Get(key) == nil {
		t.Fatalf("the entry is not that of the key: %v", ok)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	o.Cache.Put(key, []byte("\x7fELF for another GPU"))
	load("refused", o, cachedText, append([]string{"cuModuleLoadDataEx", "cuGetErrorName", "cuGetErrorString"}, made...))
	load("written after a refusal", o, cachedText, found)
}

// A text that is refused has the compiler's log, and leaves nothing in the cache. What is not linked is
// the driver's to keep.
func TestCodeCacheErrors(t *testing.T) {
	dir, library := t.TempDir(), filepath.Join(t.TempDir(), "libcudadevrt.a")
	if err := os.WriteFile(library, []byte("a library"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, d := openFake(t, Options{Cache: codecache.At(dir, 1<<20)})
	_, err := d.LoadLinked("bad", strings.Replace(cachedText, "ret;", "retreat;", 1), library)
	if e, ok := errors.AsType[*LoadError](err); !ok || !strings.Contains(e.Log, "retreat") || !strings.Contains(errorText(err), "cuLinkAddData") {
		t.Errorf("a refused text: %v", err)
	}
	f.calls()
	if _, err := d.Load("a", cachedText); err != nil || !slices.Equal(names(f.calls()), []string{"cuModuleLoadDataEx"}) {
		t.Errorf("not linked: %v", err)
	}
	f.fail["cuModuleLoadDataEx"] = codeIllegalAddress
	if _, err := d.LoadLinked("b", cachedText, library); !strings.Contains(errorText(err), "700") {
		t.Errorf("on a broken device: %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		t.Errorf("left in the cache: %v", list)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// What is linked with a library depends on the library's content.
func TestCodeCacheOfLinked(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libcudadevrt.a")
	f, d := openFake(t, Options{Cache: codecache.At(t.TempDir(), 1<<20)})
	for i, content := range []string{"one", "one", "two"} {
		if err := os.WriteFile(library, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		f.calls()
		if _, err := d.LoadLinked("a", cachedText, library); err != nil {
			t.Fatal(err)
		}
		if linked := slices.Contains(names(f.calls()), "cuLinkComplete"); linked != (i != 1) {
			t.Errorf("library %d, %q: linked: %t", i, content, linked)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
