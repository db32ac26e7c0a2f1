//go:build unix

package atomicfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A named pipe is written once somebody reads it. To wait for a reader, and for one
// that does not read on, ends with the context.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if err := Write(ctx, path, put("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a reader: %v", err)
	}

	long := strings.Repeat("0123456789abcdef", 1<<14) // more than a pipe holds
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	if err := Write(context.Background(), path, put(long)); err != nil {
		t.Error(err)
	}
	if got := <-read; got != long {
		t.Errorf("%d bytes arrived, want %d", len(got), len(long))
	}

	r, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel = context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if err := Write(ctx, path, put(long)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a reader that does not read: %v", err)
	}
}

// While a file is written, no other is seen beside it where the system has files
// without names; otherwise its name says whose it is. Errors name the file that was
// asked for.
func TestDraft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	probe := openUnnamed(dir, 0o666)
	if probe != nil {
		probe.Close()
	}
	err := Write(context.Background(), path, func(w io.Writer) error {
		files, err := os.ReadDir(dir)
		for _, f := range files {
			if probe != nil || !strings.HasPrefix(f.Name(), ".irgl-a.") {
				t.Errorf("%s is seen", f.Name())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	content(t, path, "")
	named := &draft{name: draftName(path)}
	if named.f, err = os.Create(named.name); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(named.publish(path), named.discard()); err != nil {
		t.Error(err)
	}
	content(t, path, "")
	err = Write(context.Background(), path, func(w io.Writer) error {
		w.(*namedWriter).w.(*os.File).Close()
		_, err := w.Write([]byte("x"))
		return err
	})
	if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") || strings.Contains(err.Error(), ".tmp") {
		t.Error(err)
	}
}
