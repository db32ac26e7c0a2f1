package cpp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"irgl/internal/source"
)

// A NextIncluder is an [Includer] that knows #include_next, for which others find the same file as #include.
type NextIncluder interface {
	Includer
	// OpenNext returns the file of the name in the folders behind the one where from was found.
	OpenNext(name string, from *source.File) (*source.File, Found, error)
}

// Folders is an [Includer] that looks for "file" in the folder of the file that includes it and in Quote, and for
// it and <file> in User, System and Embedded. A header in <> that is nowhere is HostOnly, and so is one in quotes
// whose name is that of a header of C, C++, POSIX or CUDA. A file that several directives name is read once.
type Folders struct {
	Quote    []string // of -iquote
	User     []string // of -I
	System   []string // of -isystem
	Embedded fs.FS    // the headers that the compiler brings; may be nil

	files map[string]*opened
	of    map[*source.File]*opened
}

// An opened file is one that was looked for.
type opened struct {
	file  *source.File // nil where there is none
	found Found
	place int // in the order of the search; 0 for one that was not searched
	err   error
}

// Open returns the file of #include "name", or <name> if angled, in the text from.
func (d *Folders) Open(name string, angled bool, from *source.File) (*source.File, Found, error) {
	d.adopt(from)
	if filepath.IsAbs(name) {
		return d.absolute(name)
	}
	if !angled {
		if d.of[from].found == Embedded {
			if e := d.embedded(path.Join(path.Dir(from.Name), name)); e.file != nil || e.err != nil {
				return e.file, e.found, e.err
			}
		} else if o := d.read(beside(from.Name)+name, User, 0); o.file != nil || o.err != nil {
			return o.file, o.found, o.err
		}
	}
	start := 0
	if angled {
		start = len(d.Quote)
	}
	return d.search(name, angled, start, from)
}

// adopt enters the main file, which others may include too.
func (d *Folders) adopt(main *source.File) {
	if d.files == nil {
		d.files, d.of = map[string]*opened{}, map[*source.File]*opened{}
	}
	if d.of[main] == nil {
		o := &opened{file: main, found: User}
		d.of[main] = o
		d.files[filepath.Clean(main.Name)] = o
	}
}

// OpenNext returns the file of #include_next.
func (d *Folders) OpenNext(name string, from *source.File) (*source.File, Found, error) {
	d.adopt(from)
	start := len(d.Quote)
	if o := d.of[from]; o != nil && o.place > 0 {
		start = o.place
	}
	return d.search(name, true, start, from)
}

// search looks in the folders from the one of the number start on.
func (d *Folders) search(name string, angled bool, start int, from *source.File) (*source.File, Found, error) {
	n := 0
	look := func(folders []string, found Found) *opened {
		for _, dir := range folders {
			if n++; n <= start {
				continue
			}
			if o := d.read(strings.TrimSuffix(dir, "/")+"/"+name, found, n); o.file != nil || o.err != nil {
				return o
			}
		}
		return nil
	}
	for _, group := range []struct {
		folders []string
		found   Found
	}{{d.Quote, User}, {d.User, User}, {d.System, System}} {
		if o := look(group.folders, group.found); o != nil {
			return o.file, o.found, o.err
		}
	}
	if o := d.embedded(name); o.file != nil || o.err != nil {
		if n++; o.place == 0 {
			o.place = n
		}
		if n > start {
			return o.file, o.found, o.err
		}
	}
	if angled || isHostHeader(name) {
		return nil, HostOnly, nil
	}
	searched := append([]string{filepath.Dir(from.Name)}, slices.Concat(d.Quote, d.User, d.System)...)
	return nil, NotFound, &NotFoundError{Name: name, Folders: searched}
}

func (d *Folders) absolute(name string) (*source.File, Found, error) {
	o := d.read(name, User, 0)
	if o.file == nil && o.err == nil {
		return nil, NotFound, &NotFoundError{Name: name}
	}
	return o.file, o.found, o.err
}

// beside returns the folder of a file with the separator, or "". Paths are not cleaned, as in g++: __FILE__ is what
// the directives say.
func beside(name string) string {
	_, last := filepath.Split(name)
	return strings.TrimSuffix(name, last)
}

// read returns the file of a path, with a nil file where there is none.
func (d *Folders) read(name string, found Found, place int) *opened {
	key := filepath.Clean(name)
	if o := d.files[key]; o != nil {
		return o
	}
	return d.keep(key, name, found, place, func() ([]byte, error) {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fs.ErrNotExist
		case !info.Mode().IsRegular():
			return nil, errors.New("it is no regular file")
		case info.Size() > maxIncluded:
			return nil, fmt.Errorf("it has %d bytes, more than the limit of %d", info.Size(), maxIncluded)
		}
		return os.ReadFile(name)
	})
}

// embeddedPrefix is in front of the names of embedded headers in d.files, where no path of a file begins with it.
const embeddedPrefix = "\x00"

func (d *Folders) embedded(name string) *opened {
	if d.Embedded == nil || !fs.ValidPath(name) {
		return &opened{}
	}
	key := embeddedPrefix + name
	if o := d.files[key]; o != nil {
		return o
	}
	return d.keep(key, name, Embedded, 0, func() ([]byte, error) {
		info, err := fs.Stat(d.Embedded, name)
		if err == nil && info.IsDir() {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
		return fs.ReadFile(d.Embedded, name)
	})
}

func (d *Folders) keep(key, name string, found Found, place int, read func() ([]byte, error)) *opened {
	o := &opened{found: found, place: place}
	text, err := read()
	switch {
	case err == nil:
		o.file = source.NewFile(name, text)
		d.of[o.file] = o
	case !missing(err):
		o.err = err
	}
	d.files[key] = o
	return o
}

// missing reports whether err says that a file is not there, or that part of its path is not a folder.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
