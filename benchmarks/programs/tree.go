package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// maxInput bounds the bytes of a program's inputs, and of a folder that is copied because
// a Makefile may write there.
const maxInput = 32 << 20

// copyTree copies a file or folder, with the permissions and symbolic links in it.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case d.Type() == fs.ModeSymlink:
			link, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case d.Type().IsRegular():
			return copyFile(p, target)
		}
		return fmt.Errorf("%s is neither file nor folder", p)
	})
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	st, err := src.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, st.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// treeSize returns the bytes of the regular files below a path.
func treeSize(root string) (n int64, err error) {
	err = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			n += st.Size()
		}
		return err
	})
	return n, err
}

// mirror makes at dst an image of the repository at root in which a build may write: the
// folder itself and the siblings that it writes to (those that its Makefile names) are
// copies, and everything else symbolic links into the repository.
func mirror(root, folder, dst string) error {
	if root, err := filepath.Abs(root); err != nil {
		return err
	} else if st, err := os.Stat(filepath.Join(root, folder)); err != nil || !st.IsDir() {
		return fmt.Errorf("there is no folder %s in %s", folder, root)
	} else {
		return image(root, dst, folder, append(written(root, folder), folder))
	}
}

// image makes the image of one folder of the repository, at dst. deep are the folders to copy.
func image(root, dst, folder string, deep []string) error {
	var walk func(at string) error
	walk = func(at string) error {
		if err := os.MkdirAll(filepath.Join(dst, at), 0o777); err != nil {
			return err
		}
		entries, err := os.ReadDir(filepath.Join(root, at))
		if err != nil {
			return err
		}
		for _, e := range entries {
			p := path.Join(at, e.Name())
			copied, passed := false, false
			for _, d := range deep {
				copied = copied || d == p
				passed = passed || strings.HasPrefix(d, p+"/")
			}
			switch {
			case copied:
				err = copyTree(filepath.Join(root, p), filepath.Join(dst, p))
			case passed:
				err = walk(p)
			default:
				err = os.Symlink(filepath.Join(root, p), filepath.Join(dst, p))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if folder == "." {
		return copyTree(root, dst)
	}
	return walk(".")
}

var upward = regexp.MustCompile(`(?:\.\./)+[\w.+-]+`)

// written returns the folders beside a program's that its Makefile names, which it may have
// objects written to, unless they are too large to copy.
func written(root, folder string) []string {
	var out []string
	known := map[string]bool{folder: true}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		text, err := os.ReadFile(filepath.Join(root, folder, name))
		if err != nil {
			continue
		}
		for _, m := range upward.FindAllString(string(text), -1) {
			p := path.Join(folder, m)
			if known[p] || strings.HasPrefix(p, "..") || strings.HasPrefix(folder+"/", p+"/") {
				continue
			}
			known[p] = true
			st, err := os.Stat(filepath.Join(root, p))
			if err != nil || !st.IsDir() {
				continue
			}
			if n, err := treeSize(filepath.Join(root, p)); err == nil && n <= maxInput {
				out = append(out, p)
			}
		}
	}
	return out
}

// linked reports whether a file is a linked ELF file: a program or a shared library.
func linked(file string) bool {
	f, err := elf.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN
}

// ofSources matches the files of a folder that a program does not read when it runs.
var ofSources = regexp.MustCompile(`(?i)(\.(cu|cuh|c|cc|cpp|cxx|h|hh|hpp|inl|inc|o|a|d|cl|f|f90|py|sh|cmake|md|pdf|docx?|png|jpe?g|gif|tar|t?gz|bz2|zip)|^(GNU)?makefile.*|^license.*|^readme.*|^copying.*|^cmakelists\.txt)$`)

// inputsOf lists the files below a folder that may be inputs: neither source nor program, and
// images only if the run names them. Names are relative to the folder.
func inputsOf(folder, run string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		named := strings.Contains(run, d.Name())
		if !named && (ofSources.MatchString(d.Name()) || linked(p)) {
			return nil
		}
		if named && linked(p) {
			return nil
		}
		rel, err := filepath.Rel(folder, p)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	return names, err
}

// outside returns the files and folders outside of a program's folder that its run names and
// that the repository has, and the names that it does not have.
func outside(root, folder, run string) (have, lack []string) {
	for _, word := range bytes.FieldsFunc([]byte(run), func(r rune) bool { return strings.ContainsRune(" \t\n\"'=;|&<>()", r) }) {
		if !bytes.Contains(word, []byte("../")) {
			continue
		}
		p := path.Join(folder, string(word))
		if strings.HasPrefix(p, "..") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, p)); err == nil {
			have = append(have, p)
		} else {
			lack = append(lack, p)
		}
	}
	return have, lack
}
