package gogen

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/source"
)

// writes returns a stand-in for the compiler that makes an executable of a text.
func writes(text string) func(work, out string) error {
	return func(_, out string) error { return os.WriteFile(out, []byte(text), 0o755) }
}

// TestDamagedEntries damages the entry of a program in every manner, and has it built
// again.
func TestDamagedEntries(t *testing.T) {
	c := &cache{t.TempDir(), cacheLimit}
	for name, damage := range map[string]func(exe string) error{
		"empty": func(exe string) error { return os.Truncate(exe, 0) },
		"cut":   func(exe string) error { return os.Truncate(exe, 5) },
		"other": func(exe string) error { return os.WriteFile(exe, []byte("PROGRAM"), 0o700) },
		"mode":  func(exe string) error { return os.Chmod(exe, 0o600) },
		"open":  func(exe string) error { return os.Chmod(exe, 0o777) },
		"folder": func(exe string) error {
			return errors.Join(os.Remove(exe), os.MkdirAll(filepath.Join(exe, "in"), 0o700))
		},
		"link": func(exe string) error {
			return errors.Join(os.Rename(exe, exe+".moved"), os.Symlink(exe+".moved", exe))
		},
	} {
		if runtime.GOOS == "windows" && (name == "mode" || name == "open" || name == "link") {
			continue
		}
		exe, err := c.build(context.Background(), name, writes("program"))
		if err != nil || c.lookup(name) != exe {
			t.Fatalf("%s: built %q, found %q (%v)", name, exe, c.lookup(name), err)
		}
		if err := damage(exe); err != nil {
			t.Fatal(err)
		}
		if got := c.lookup(name); got != "" {
			t.Errorf("%s: %q is used", name, got)
		}
		if exe, err = c.build(context.Background(), name, writes("program")); err != nil || c.lookup(name) != exe {
			t.Errorf("%s: built again as %q, found %q (%v)", name, exe, c.lookup(name), err)
		}
	}
	// What appears under the name between the lookup and the rename.
	exe, _ := c.build(context.Background(), "late", writes("program"))
	_, err := c.build(context.Background(), "late", func(work, out string) error {
		return errors.Join(os.Remove(exe), os.MkdirAll(filepath.Join(exe, "in"), 0o700), writes("program")(work, out))
	})
	if err != nil || c.lookup("late") != exe {
		t.Errorf("a folder that appears: %v", err)
	}
}

// TestTwoBuilders builds the same program from several goroutines, of which some
// compilers give other bytes.
func TestTwoBuilders(t *testing.T) {
	c := &cache{t.TempDir(), cacheLimit}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			text := []string{"one", "two"}[i%2]
			exe, err := c.build(context.Background(), "key", writes(text))
			if err != nil {
				t.Error(err)
				return
			}
			if b, err := os.ReadFile(exe); err != nil || string(b) != text {
				t.Errorf("%q, want %q (%v)", b, text, err)
			}
			if c.lookup("key") == "" {
				t.Error("nothing is found")
			}
		})
	}
	wait.Wait()
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d entries (%v), want 2", len(entries), err)
	}
}

// TestTrim checks the limit of the cache, and that what dead builders left goes.
func TestTrim(t *testing.T) {
	c := &cache{t.TempDir(), 30}
	old := time.Now().Add(-2 * staleAfter)
	for _, name := range []string{"build-dead", "build-alive", "entry.tmp"} {
		if err := os.Mkdir(filepath.Join(c.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if name != "build-alive" {
			os.Chtimes(filepath.Join(c.dir, name), old, old)
		}
	}
	for i, key := range []string{"a", "b", "c", "d"} {
		exe, err := c.build(context.Background(), key, writes("0123456789"))
		if err != nil {
			t.Fatal(err)
		}
		at := old.Add(time.Duration(i) * time.Minute)
		os.Chtimes(exe, at, at)
		if i == 2 && c.lookup("a") == "" { // the one used last
			t.Error("a is gone before the limit")
		}
	}
	c.trim()
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if got := c.lookup(key) != ""; got != want {
			t.Errorf("%s: found %v, want %v", key, got, want)
		}
	}
	for name, want := range map[string]bool{"build-dead": false, "build-alive": true, "entry.tmp": false} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A build that fails leaves nothing.
	if _, err := c.build(context.Background(), "e", func(work, _ string) error { return errors.New("broken") }); err == nil || err.Error() != "broken" {
		t.Errorf("a compiler that fails: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, "build-*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestPrivateCache checks who may have written to the cache.
func TestPrivateCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the cache folder is private by its place")
	}
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	t.Setenv("HOME", base) // where there is no XDG_CACHE_HOME
	c, err := openCache()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := c.build(context.Background(), "key", writes("program"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if c, err = openCache(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{c.dir, exe} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if os.Geteuid() == 0 { // only root can give files away
		if err := os.Chown(exe, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if got := c.lookup("key"); got != "" {
			t.Errorf("another user's program %s is used", got)
		}
		if err := os.Chown(c.dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, err := openCache(); err == nil || !strings.Contains(err.Error(), "not a folder of this user") {
			t.Errorf("another user's folder: %v", err)
		}
		os.Chown(c.dir, 0, 0)
	}
	if err := errors.Join(os.Rename(c.dir, c.dir+"2"), os.Symlink(c.dir+"2", c.dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := openCache(); err == nil {
		t.Error("a link in place of the folder is followed")
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "relative")
	if c, err := openCache(); runtime.GOOS == "linux" && (err == nil || !strings.Contains(err.Error(), "not an absolute path")) {
		t.Errorf("a relative HOME: %v, %v", c, err)
	}
	t.Setenv("HOME", "")
	if _, err := openCache(); err == nil {
		t.Error("there is a cache without a home")
	}
}

// TestFallback checks for which errors the interpreter takes over, and what the note
// says.
func TestFallback(t *testing.T) {
	refused := func(code source.Code) error {
		var l source.List
		l.Errorf(source.Pos{}, source.Pos{}, code, "message")
		return l.Err()
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{context.Canceled, ""},
		{refused(codeUnion), "p cannot become Go code: error: message [E0002]"},
		{errors.New("no Go toolchain is installed"), "p cannot be compiled for the CPU: no Go toolchain is installed"},
		{&buildError{errors.New("exit status 1"), "# p\n./main.go:1:1: wrong"}, "p cannot be compiled for the CPU: go build: ./main.go:1:1: wrong"},
		{&buildError{errors.New("exit status 1"), "1\n2\n\n3\n4\n"}, "p cannot be compiled for the CPU: go build: 2; 3; 4"},
		{&buildError{errors.New("signal: killed"), ""}, "p cannot be compiled for the CPU: go build: signal: killed"},
	} {
		if got, ok := Fallback(tt.err, "p"); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%v: %q %v, want %q", tt.err, got, ok, tt.want)
		}
	}
}

// TestProgramName gives programs names that are no names, and looks for text that
// came out of a comment or string.
func TestProgramName(t *testing.T) {
	info, err := load(Text{"p", []byte("Graph graph { Node int x; }\nHost m() { }\n")}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a\nfunc init() { panic(1) }\n//", "a\r\nvar x = 1", "*/ var x int /*", `"; var x = "`, "a\u2028b", "`", ""} {
		out, err := Generate(info, Options{Package: "main", Program: name, Source: "hash", RT: rtPath})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "main.go", out, 0)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		// The imports, the program, main, the state and one method.
		if len(f.Decls) != 5 {
			t.Errorf("%q: %d declarations\n%s", name, len(f.Decls), out)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != "main" && f.Name.Name != "host_m" {
				t.Errorf("%q declares %s", name, f.Name.Name)
			}
		}
	}
}
