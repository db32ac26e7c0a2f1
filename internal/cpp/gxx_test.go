package cpp

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/source"
)

// gxx returns a function that preprocesses a file, or a text whose name is -, as C++17 by g++, with the macros that ours
// has in place of its own.
func gxx(t *testing.T) func(name string, text []byte, flags ...string) ([]byte, error) {
	path, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("there is no g++ to compare with")
	}
	dir := t.TempDir()
	macros := filepath.Join(dir, "macros.h")
	var keep []string
	for line := range strings.Lines(predefined(CXX) + "#define __CUDA_ARCH__ 900\n") {
		if !regexp.MustCompile(`^#define (__cplusplus|__STDC__|__STDC_HOSTED__) `).MatchString(line) {
			keep = append(keep, line)
		}
	}
	if err := os.WriteFile(macros, []byte(strings.Join(keep, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	return func(name string, text []byte, flags ...string) ([]byte, error) {
		args := append([]string{"-E", "-P", "-w", "-undef", "-std=gnu++17", "-nostdinc", "-x", "c++", "-imacros", macros}, flags...)
		cmd := exec.Command(path, append(args, name)...)
		cmd.Stdin = bytes.NewReader(text)
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil || strings.Contains(errors.String(), "error:") {
			return nil, fmt.Errorf("g++ refuses the text: %s", errors.String())
		}
		return out, nil
	}
}

// compareTokens reports the first difference between the tokens of ours and those of g++'s output.
func compareTokens(ours []Token, theirs []byte) error {
	want, _ := Scan(source.NewFile("g++", theirs), CXX)
	var plain []Token
	for i := 0; i < len(want); i++ { // #pragma lines are tokens of ours, or nothing
		if want[i].Word == Hash && want[i].StartsLine() {
			for i+1 < len(want) && !want[i+1].StartsLine() {
				i++
			}
			continue
		}
		plain = append(plain, want[i])
	}
	got := ours[:0:0]
	for i := 0; i < len(ours); i++ {
		switch ours[i].Kind {
		case Unroll:
			if ours[i].Text() == "(" {
				for nest := 0; ; {
					i++
					if ours[i].Word == LParen {
						nest++
					}
					if ours[i].Word == RParen {
						if nest--; nest == 0 {
							break
						}
					}
				}
			}
		case Pack:
		default:
			got = append(got, ours[i])
		}
	}
	for i := range min(len(got), len(plain)) {
		if got[i].Text() != plain[i].Text() && !(got[i].Kind == Bad && plain[i].Kind == Bad) {
			return fmt.Errorf("%s: token %d is %s, g++ has %s at %d", got[i].Pos(), i, got[i].Describe(), plain[i].Describe(), plain[i].Pos().Line())
		}
	}
	if len(got) != len(plain) {
		return fmt.Errorf("%d tokens, g++ has %d", len(got), len(plain))
	}
	return nil
}

// TestCorpus compares with g++ on the C++ and CUDA files of the folder IRGL_CPP_CORPUS. Headers that are the host's to
// ours are empty files to g++.
func TestCorpus(t *testing.T) {
	root := os.Getenv("IRGL_CPP_CORPUS")
	if root == "" {
		t.Skip("IRGL_CPP_CORPUS names no folder of programs")
	}
	run := gxx(t)
	compared, refused, failed := 0, 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".cu", ".cuh", ".h", ".hpp", ".cpp":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > 1<<20 {
			return nil
		}
		var diags source.List
		folders := &Folders{User: []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "../include")}}
		r := Preprocess(source.NewFile(path, text), Options{Dialect: CXX, Arch: 900, Includer: folders}, &diags)
		stubs := t.TempDir()
		for _, inc := range r.Includes {
			if inc.Found == HostOnly {
				stub := filepath.Join(stubs, inc.Name)
				if os.MkdirAll(filepath.Dir(stub), 0o777) != nil || os.WriteFile(stub, nil, 0o666) != nil {
					return nil // a name that is no path
				}
			}
		}
		want, err := run(path, nil, "-I", folders.User[0], "-I", folders.User[1], "-isystem", stubs)
		if err != nil {
			refused++
			return nil
		}
		compared++
		if err := compareTokens(r.Tokens, want); err != nil {
			failed++
			t.Errorf("%s: %v", path, err)
		}
		for _, d := range diags.Diags {
			if d.Severity == source.Error && d.Code != CodeInclude { // to g++ a header that some file has in <> is there
				t.Errorf("%s: %v", path, d)
			}
		}
		return nil
	})
	t.Logf("%d files compared, %d differ, g++ refuses %d", compared, failed, refused)
	if err != nil {
		t.Fatal(err)
	}
}
