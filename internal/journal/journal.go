package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"irgl/internal/infile"
)

// version is that of the format.
const version = 1

// A Head says what a journal is about: numbers of different devices or kinds are not to
// be compared.
type Head struct {
	Version int    `json:"version"`
	Device  string `json:"device"` // as its maker calls it
	Metric  string `json:"metric"` // "ms" or "cost"
	Origin
}

// An Origin says how measurements were made, so that they can be repeated.
type Origin struct {
	Command string `json:"command,omitempty"`
	Host    string `json:"host,omitempty"` // the machine of the device
	Tree    string `json:"tree,omitempty"` // the date and revision of the sources
}

// A Line is a measurement.
type Line struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// A Journal is open for writing. It is safe for use by several goroutines at once. A
// nil journal takes everything and keeps nothing.
type Journal struct {
	mu sync.Mutex
	f  *os.File
}

// Create begins a journal at a path where no file is.
func Create(path string, head Head) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already: go on with it, or remove it", path)
	}
	if err != nil {
		return nil, err
	}
	j := &Journal{f: f}
	head.Version = version
	if err := j.Add("journal", head); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// Resume reads a journal and opens it to go on. One that does not exist is begun, and
// one of another device or metric is an error.
func Resume(path string, head Head) (*Journal, []Line, error) {
	text, err := infile.ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		j, err := Create(path, head)
		return j, nil, err
	}
	if err == nil && unborn(string(text)) {
		if err := os.Remove(path); err != nil {
			return nil, nil, err
		}
		return Resume(path, head)
	}
	if err != nil {
		return nil, nil, err
	}
	have, lines, size, err := parse(text)
	if err == nil && (have.Device != head.Device || have.Metric != head.Metric) {
		err = fmt.Errorf("it is of %s in %s, not of %s in %s", have.Device, have.Metric, head.Device, head.Metric)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("journal %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Truncate(int64(size)); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &Journal{f: f}, lines, nil
}

// unborn reports whether a kill came before the first line was whole.
func unborn(text string) bool {
	const begins = `{"kind":"journal"`
	return !strings.Contains(text, "\n") && (strings.HasPrefix(begins, text) || strings.HasPrefix(text, begins))
}

// Read reads a journal.
func Read(path string) (Head, []Line, error) {
	text, err := infile.ReadRegular(path)
	if err != nil {
		return Head{}, nil, err
	}
	head, lines, _, err := parse(text)
	if err != nil {
		return Head{}, nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return head, lines, nil
}

// parse returns what a text holds, and how many of its bytes are whole lines.
func parse(text []byte) (head Head, lines []Line, size int, err error) {
	number := 0
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 { // cut short by a kill
			break
		}
		number++
		var l Line
		if err := json.Unmarshal(rest[:end], &l); err != nil {
			return head, nil, 0, fmt.Errorf("line %d: %w", number, err)
		}
		rest = rest[end+1:]
		size += end + 1
		if number > 1 {
			lines = append(lines, l)
			continue
		}
		if l.Kind != "journal" {
			return head, nil, 0, errors.New("its first line is not that of a journal")
		}
		if err := json.Unmarshal(l.Data, &head); err != nil {
			return head, nil, 0, fmt.Errorf("line 1: %w", err)
		}
		if head.Version != version {
			return head, nil, 0, fmt.Errorf("it is of version %d, and this irgl reads version %d", head.Version, version)
		}
	}
	if number == 0 {
		return head, nil, 0, errors.New("it has no first line")
	}
	return head, lines, size, nil
}

// Add writes a line, at once and in one piece.
func (j *Journal) Add(kind string, data any) error {
	if j == nil {
		return nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	text, err := json.Marshal(Line{kind, raw})
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.f.Write(append(text, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.f.Close()
}
