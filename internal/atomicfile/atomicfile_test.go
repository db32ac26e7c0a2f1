package atomicfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// put writes a text.
func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// content checks what a file holds, and that no other is in its directory but
// those named.
func content(t *testing.T, path, want string, others ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != filepath.Base(path) && !slices.Contains(others, f.Name()) {
			t.Errorf("%s is left", f.Name())
		}
	}
}

func TestWrite(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"first", "", "second"} {
		if err := Write(ctx, path, put(text)); err != nil {
			t.Fatal(err)
		}
		content(t, path, text)
	}
	failed := errors.New("failed")
	err := Write(ctx, path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	content(t, path, "second")
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := Write(done, path, put("third")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	content(t, path, "second")
	if err := Write(ctx, filepath.Dir(path), put("")); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
	if err := Write(ctx, filepath.Join(path, "b"), put("")); err == nil {
		t.Error("a file in a file")
	}
	if err := Write(ctx, filepath.Join("nowhere", "b"), put("")); err == nil || err.Error() != filepath.Join("nowhere", "b")+": there is no folder nowhere" {
		t.Error(err)
	}
}

// TestWriteCompressed checks that the extension of the path chooses the compression.
func TestWriteCompressed(t *testing.T) {
	ctx := context.Background()
	text := strings.Repeat("a line\n", 1000)
	for name, unpack := range map[string]func(io.Reader) (io.Reader, error){
		"a.txt":    func(r io.Reader) (io.Reader, error) { return r, nil },
		"a.txt.gz": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"a.ZST":    func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := WriteCompressed(ctx, path, put(text)); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if st, err := f.Stat(); err != nil || name != "a.txt" && st.Size() > int64(len(text))/2 {
			t.Errorf("%s: %d bytes, %v", name, st.Size(), err)
		}
		r, err := unpack(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		failed := errors.New("failed")
		if err := WriteCompressed(ctx, path, func(io.Writer) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKept checks that a link and permissions stay, and that a device is not
// replaced.
func TestKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and permissions are Unix's")
	}
	ctx := context.Background()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(ctx, link, put("new")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "new", "b")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Error(st.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != "a" {
		t.Error(to, err)
	}
	if err := Write(ctx, os.DevNull, put("x")); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Error(st.Mode(), err)
	}
}
