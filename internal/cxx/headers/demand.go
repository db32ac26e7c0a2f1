package headers

import (
	"bytes"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// Textures says how device code reads textures and surfaces.
type Textures uint8

// The ways to read textures and surfaces.
const (
	DefaultTextures  Textures = iota
	SoftwareTextures          // by loads: an object is a description in memory
	HardwareTextures          // by instructions: an object is the driver's
)

// defaultTextures are the DefaultTextures.
const defaultTextures = SoftwareTextures

// header returns the header with the functions on objects.
func (t Textures) header() string {
	if t == DefaultTextures {
		t = defaultTextures
	}
	return map[Textures]string{SoftwareTextures: "irgl/texture_loads.h", HardwareTextures: "irgl/texture_unit.h"}[t]
}

// LoadsTextures reports whether a header that [Demand.Insert] returns has functions that read textures by loads.
func LoadsTextures(f *source.File) bool { return f.Name == SoftwareTextures.header() }

// demanded returns what every file has without an #include.
func demanded(t Textures) []string {
	return []string{"irgl/types.h", "irgl/builtins.h", "irgl/math.h", "irgl/dpx.h", "irgl/runtime.h", "irgl/texture.h", t.header(), "irgl/texture_reference.h"}
}

// hostDemanded are those of files whose host code irgl evaluates. CUDA's types and
// functions come from the headers of the runtime then.
var hostDemanded = [...]string{"irgl/types.h", "irgl/builtins.h", "irgl/math.h"}

var (
	index     = sync.OnceValue(func() *library { return readPrelude(demanded(SoftwareTextures), nil) })
	unitIndex = sync.OnceValue(func() *library { return readPrelude(demanded(HardwareTextures), nil) })
	hostIndex = sync.OnceValue(func() *library { return readPrelude(hostDemanded[:], forHost) })
)

// forHost reports whether a declaration is not the runtime's: of types, those that stand for numbers.
func forHost(text string) bool {
	return !strings.HasPrefix(text, "struct ") && !strings.HasPrefix(text, "enum ") && !strings.HasPrefix(text, "typedef struct") &&
		!strings.HasPrefix(text, "typedef enum") && !strings.Contains(text, " cuda")
}

func readPrelude(names []string, take func(text string) bool) *library {
	l := newLibrary()
	for _, name := range names {
		text, err := fs.ReadFile(FS(), name)
		if err != nil {
			panic(err) // it is embedded
		}
		l.read(source.NewFile(name, text), 0, take)
	}
	return l
}

// byName are the headers whose declarations are read by name; of * any.
var byName = [...]string{"type_traits", "irgl/fp16_functions.h", "irgl/bf16_functions.h", "cub/*/*.cuh", "cub/util_type.cuh", "cub/irgl.cuh", "functional", "algorithm"}

// Rest returns where the declarations of an embedded header begin if they are read by name: behind its
// last directive.
func Rest(f *source.File) (from int, ok bool) {
	for _, pattern := range byName {
		if is, _ := path.Match(pattern, f.Name); is {
			from = bytes.LastIndex(f.Content, []byte("\n#")) + 1
			return from + bytes.IndexByte(f.Content[from:], '\n') + 1, true
		}
	}
	return 0, false
}

// A Demand collects the declarations that a file uses of what it has without an #include, and of the
// headers that it includes of which [cpp.Result.Rests] is to be read by name.
type Demand struct {
	not       func(name string) bool
	libraries []*taken
}

// taken is what is demanded of a library.
type taken struct {
	*library
	at    int    // the token in front of which it stands
	items []bool // by number, whether it is demanded
}

// NewDemand returns the Demand of a file of which nothing is demanded yet. It is of a file whose host
// code irgl evaluates if host; names for which not returns true are declared elsewhere then.
func NewDemand(pre *cpp.Result, textures Textures, host bool, not func(name string) bool) *Demand {
	d := &Demand{not: not}
	add := func(l *library, at int) {
		d.libraries = append(d.libraries, &taken{library: l, at: at, items: make([]bool, len(l.items))})
	}
	switch {
	case host:
		add(hostIndex(), 0)
	case textures.header() == HardwareTextures.header():
		add(unitIndex(), 0)
	default:
		add(index(), 0)
	}
	for _, r := range pre.Rests {
		l := newLibrary()
		l.read(r.File, r.From, nil)
		add(l, r.At)
	}
	for _, t := range d.libraries {
		for _, n := range t.always {
			d.take(t, n)
		}
	}
	return d
}

// Names returns the names of all that the file has without an #include, and of what the headers have that
// are read by name, in alphabetical order.
func (d *Demand) Names() []string {
	var all []string
	for _, t := range d.libraries {
		all = slices.AppendSeq(all, maps.Keys(t.byName))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Name notes that the file has a name.
func (d *Demand) Name(name string) {
	for i, t := range d.libraries {
		list := t.byName[name]
		if len(list) == 0 || t.items[list[0]] || i == 0 && d.not != nil && d.not(name) {
			continue
		}
		for _, n := range list {
			d.take(t, n)
		}
	}
}

// take demands a declaration, and those of the names in it.
func (d *Demand) take(t *taken, n int32) {
	if t.items[n] {
		return
	}
	t.items[n] = true
	text := t.text(&t.library.items[n])
	for i := 0; i < len(text); i++ {
		begin := i
		for i < len(text) && isNamed(text[i]) {
			i++
		}
		if i > begin {
			d.Name(text[begin:i])
		}
	}
}

// Insert puts the declarations into a file, in the order of the headers, and returns the headers that
// they are from.
func (d *Demand) Insert(pre *cpp.Result) (from []*source.File) {
	for _, t := range slices.Backward(d.libraries) { // so that the places of those before stay as they are
		for f, file := range slices.Backward(t.files) {
			var parts []cpp.Part
			for n := range t.library.items {
				if it := &t.library.items[n]; t.items[n] && int(it.file) == f {
					parts = append(parts, it.Part)
				}
			}
			if len(parts) > 0 {
				pre.Insert(t.at, file, t.texts[f], parts)
				from = append(from, file)
			}
		}
	}
	return from
}
