package cudabuild

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// An objectPart is device code of an object that is to be linked.
type objectPart struct {
	file      string // of the object, with the member of an archive: lib.a(x.o)
	id        string
	source    string
	text      string // the PTX
	byLibrary string // the PTX whose launches are by CUDA's device runtime; "" for none
	library   bool   // it is in an archive
}

// contents are the device code that objects and archives have.
type contents struct {
	parts   []objectPart
	linked  []string // the ids of parts that have been linked
	runtime bool     // the runtime is in one of the objects
}

// read adds what a file has: an object, or an archive. Other files have nothing.
func (c *contents) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(data, []byte("!<arch>\n")):
		return c.archive(path, data, false)
	case bytes.HasPrefix(data, []byte("!<thin>\n")):
		return c.archive(path, data, true)
	}
	return c.object(path, data, false)
}

// archive adds what the members of an archive in the format of ar have. A thin one names files.
func (c *contents) archive(path string, data []byte, thin bool) error {
	const header = 60
	var long string // the names that are longer than a header has room for
	for at := 8; at+header <= len(data); {
		h := string(data[at : at+header])
		size, err := strconv.Atoi(strings.TrimSpace(h[48:58]))
		at += header
		name := strings.TrimRight(h[:16], " ")
		special := name == "/" || name == "//" || name == "/SYM64/"
		inside := size
		if thin && !special {
			inside = 0
		}
		if err != nil || h[58:] != "`\n" || size < 0 || inside > len(data)-at {
			return fmt.Errorf("%s: the archive is malformed", path)
		}
		member := data[at : at+inside]
		at += inside + inside&1
		if name == "//" {
			long = string(member)
		}
		if special {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "/")); err == nil && name[0] == '/' && n < len(long) {
			name, _, _ = strings.Cut(long[n:], "\n")
		}
		name = strings.TrimSuffix(name, "/")
		if thin {
			file := name
			if !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(path), file)
			}
			if member, err = os.ReadFile(file); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if err := c.object(path+"("+name+")", member, true); err != nil {
			return err
		}
	}
	return nil
}

// object adds what an object has. A file that is not of ELF has nothing.
func (c *contents) object(name string, data []byte, library bool) error {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	for _, s := range file.Sections {
		if s.Name != partSection || s.Type == elf.SHT_NOBITS {
			continue
		}
		text, err := s.Data()
		if err != nil {
			return fmt.Errorf("%s: its section %s: %w", name, partSection, err)
		}
		if err := c.records(name, string(text), library); err != nil {
			return err
		}
	}
	return nil
}

// records reads what [partSection] has.
func (c *contents) records(name, text string, library bool) error {
	for text != "" {
		if text[0] == 0 { // between the sections of objects that ld -r has joined
			text = text[1:]
			continue
		}
		line, rest, _ := strings.Cut(text, "\n")
		word := strings.SplitN(line, " ", 4)
		switch {
		case word[0] == "irgl-linked" && len(word) == 2:
			c.linked = append(c.linked, word[1])
		case word[0] == "irgl-runtime":
			c.runtime = true
		case word[0] == "irgl-part" && len(word) == 4:
			n, err := strconv.Atoi(word[2])
			if err != nil || n < 0 || n > len(rest) {
				return fmt.Errorf("%s: its section %s is malformed", name, partSection)
			}
			c.parts = append(c.parts, objectPart{file: name, id: word[1], source: word[3], text: rest[:n], library: library})
			rest = rest[n:]
		case word[0] == "irgl-library" && len(word) == 2 && len(c.parts) > 0:
			n, err := strconv.Atoi(word[1])
			if err != nil || n < 0 || n > len(rest) {
				return fmt.Errorf("%s: its section %s is malformed", name, partSection)
			}
			c.parts[len(c.parts)-1].byLibrary = rest[:n]
			rest = rest[n:]
		default:
			return fmt.Errorf("%s: its section %s is of another version of irgl", name, partSection)
		}
		text = rest
	}
	return nil
}
