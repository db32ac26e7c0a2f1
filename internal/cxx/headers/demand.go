package headers

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// What every file has without an #include: headers in which each line declares one name.
var demanded = [...]string{"irgl/types.h", "irgl/builtins.h", "irgl/math.h", "irgl/dpx.h", "irgl/runtime.h", "irgl/texture.h"}

// A library is the lines of these headers, by the names that they declare.
type library struct {
	lines  []string
	byName map[string][]int32
}

// hostDemanded are those of files whose host code irgl evaluates. CUDA's types and
// functions come from the headers of the runtime then.
var hostDemanded = [...]string{"irgl/types.h", "irgl/builtins.h", "irgl/math.h"}

var (
	index     = sync.OnceValue(func() *library { return readLibrary(demanded[:], func(string) bool { return true }) })
	hostIndex = sync.OnceValue(func() *library { return readLibrary(hostDemanded[:], forHost) })
)

// forHost reports whether a line is not the runtime's: of types, those that stand for numbers.
func forHost(line string) bool {
	return !strings.HasPrefix(line, "struct ") && !strings.HasPrefix(line, "enum ") && !strings.HasPrefix(line, "typedef struct") &&
		!strings.HasPrefix(line, "typedef enum") && !strings.Contains(line, " cuda")
}

func readLibrary(headers []string, take func(line string) bool) *library {
	l := &library{byName: make(map[string][]int32, 2048)}
	for _, name := range headers {
		text, err := fs.ReadFile(FS(), name)
		if err != nil {
			panic(err) // it is embedded
		}
		for line := range strings.Lines(string(text)) {
			if line[0] == '\n' || line[0] == '#' || strings.HasPrefix(line, "//") || !take(line) {
				continue
			}
			n := int32(len(l.lines))
			l.lines = append(l.lines, line)
			for _, name := range declares(line) {
				l.byName[name] = append(l.byName[name], n)
			}
		}
	}
	return l
}

// declares returns the names that a line declares: those of the comment behind it, or the
// name in front of the first bracket that may follow one.
func declares(line string) []string {
	if _, names, ok := strings.Cut(line, "; // "); ok {
		return strings.Fields(names)
	}
	if _, names, ok := strings.Cut(line, "} // "); ok {
		return strings.Fields(names)
	}
	var end int
	switch {
	case strings.HasPrefix(line, "struct "):
		end = strings.Index(line, " {")
	case strings.HasPrefix(line, "enum "):
		line = line[strings.Index(line, "{")+2:]
		end = strings.Index(line, " ")
	case strings.HasPrefix(line, "typedef"), strings.HasPrefix(line, "namespace"):
		end = strings.Index(line, ";")
	case strings.HasPrefix(line, "extern"):
		end = strings.Index(line, " __attribute__")
	default:
		end = strings.Index(line, "(")
	}
	begin := end
	for begin > 0 && isNamed(line[begin-1]) {
		begin--
	}
	return []string{line[begin:end]}
}

// isNamed reports whether c is a character of names.
func isNamed(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// Builtins returns the names that files have without an #include, in alphabetical order.
func Builtins() []string { return slices.Sorted(maps.Keys(index().byName)) }

// A Demand collects the declarations that a file uses of what it has without an #include.
type Demand struct {
	// Host is for a file whose host code irgl evaluates, Not for the names that are declared
	// elsewhere then; nil for none.
	Host bool
	Not  func(name string) bool

	taken []bool
	order []int32
}

func (d *Demand) library() *library {
	if d.Host {
		return hostIndex()
	}
	return index()
}

// Name notes that the file has a name.
func (d *Demand) Name(name string) {
	lib := d.library()
	list := lib.byName[name]
	if len(list) == 0 || d.Not != nil && d.Not(name) {
		return
	}
	if d.taken == nil {
		d.taken = make([]bool, len(lib.lines))
	}
	if d.taken[list[0]] {
		return
	}
	for _, n := range list {
		if d.taken[n] {
			continue
		}
		d.taken[n] = true
		d.order = append(d.order, n)
		d.names(lib.lines[n])
	}
}

// names notes the names in a line.
func (d *Demand) names(line string) {
	for i := 0; i < len(line); i++ {
		begin := i
		for i < len(line) && isNamed(line[i]) {
			i++
		}
		if i > begin {
			d.Name(line[begin:i])
		}
	}
}

// Text returns the declarations, in the order of the headers.
func (d *Demand) Text() []byte {
	slices.Sort(d.order)
	var text []byte
	for _, n := range d.order {
		text = append(text, d.library().lines[n]...)
	}
	return text
}
