package codecache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// What was put is got, by another value for the same folder too, and by its own key only.
func TestPutGet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c, k := At(dir, 1<<20), KeyOf("text", "driver", "device")
	if c.Get(k) != nil {
		t.Error("an empty cache has code")
	}
	code := bytes.Repeat([]byte("machine code "), 100)
	c.Put(k, code)
	if got := At(dir, 1<<20).Get(k); !bytes.Equal(got, code) {
		t.Errorf("got %d bytes, want the %d that were put", len(got), len(code))
	}
	for _, other := range [][]string{{"text", "driver", "device 2"}, {"text", "driver2", "device"}, {"textdriver", "device"}, {"text", "driverdevice", ""}} {
		if c.Get(KeyOf(other...)) != nil {
			t.Errorf("the code of another key is that of %q", other)
		}
	}
	c.Put(k, []byte("new"))
	if got := c.Get(k); string(got) != "new" {
		t.Errorf("after a second Put: %q", got)
	}
}

// An entry that is cut off, changed, or another one's is ignored and removed, and can be
// written again.
func TestDamaged(t *testing.T) {
	c := At(t.TempDir(), 1<<20)
	k, other := KeyOf("a"), KeyOf("b")
	code := []byte("0123456789abcdef")
	for name, damage := range map[string]func(content []byte) []byte{
		"empty":       func([]byte) []byte { return nil },
		"sum alone":   func(b []byte) []byte { return b[:32] },
		"cut off":     func(b []byte) []byte { return b[:len(b)-1] },
		"longer":      func(b []byte) []byte { return append(b, 0) },
		"bit of code": func(b []byte) []byte { b[40] ^= 1; return b },
		"bit of sum":  func(b []byte) []byte { b[3] ^= 1; return b },
		"another's": func([]byte) []byte {
			c.Put(other, code)
			b, err := os.ReadFile(c.path(other))
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
	} {
		c.Put(k, code)
		content, err := os.ReadFile(c.path(k))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.path(k), damage(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := c.Get(k); got != nil {
			t.Errorf("%s: got %q", name, got)
		}
		if _, err := os.Stat(c.path(k)); !os.IsNotExist(err) {
			t.Errorf("%s: the entry was not removed: %v", name, err)
		}
		c.Put(k, code)
		if !bytes.Equal(c.Get(k), code) {
			t.Errorf("%s: the entry cannot be written again", name)
		}
	}
}

// The least recently used entries go when there is no room, and what is too large does
// not come in; files that are no entries go when they are old.
func TestLimit(t *testing.T) {
	dir := t.TempDir()
	c := At(dir, 1000)
	code := make([]byte, 150)
	for i := range 5 { // 910 bytes with the sums
		k := KeyOf(fmt.Sprint(i))
		c.Put(k, code)
		old := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(c.path(k), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if c.Get(KeyOf("0")) == nil {
		t.Fatal("an entry that has room is not there")
	}
	left := filepath.Join(dir, ".irgl-x.tmp")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Put(KeyOf("5"), code)
	if _, err := os.Stat(left); err != nil {
		t.Error("the draft of another process was removed")
	}
	old := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	c.Put(KeyOf("6"), code)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("a draft of long ago was not removed")
	}
	have := ""
	for i := range 7 {
		if c.Get(KeyOf(fmt.Sprint(i))) != nil {
			have += fmt.Sprint(i)
		}
	}
	if have != "03456" { // 0 was used last
		t.Errorf("the entries %s are left, want 03456", have)
	}
	c.Put(KeyOf("large"), make([]byte, 300))
	if c.Get(KeyOf("large")) != nil {
		t.Error("code of more than a quarter of the cache is kept")
	}
}

// Several writers of one entry leave a whole one.
func TestConcurrent(t *testing.T) {
	c, k := At(t.TempDir(), 1<<20), KeyOf("k")
	code := bytes.Repeat([]byte("x"), 5000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				c.Put(k, code)
				if got := c.Get(k); !bytes.Equal(got, code) {
					t.Errorf("got %d bytes", len(got))
				}
			}
		})
	}
	wg.Wait()
}

// Where there is no folder, or others can write to it, nothing is kept.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	caches := []*Cache{new(Cache), At(file, 1<<20), At(filepath.Join(file, "below"), 1<<20)}
	if runtime.GOOS != "windows" { // which has no such modes
		caches = append(caches, At(open, 1<<20))
	}
	for _, c := range caches {
		c.Put(KeyOf("k"), []byte("code"))
		c.Drop(KeyOf("k"))
		if c.Get(KeyOf("k")) != nil {
			t.Errorf("%v keeps code", c)
		}
	}
}
