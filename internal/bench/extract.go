package bench

import (
	"path/filepath"
	"strings"
)

// This file takes the device code out of CUDA files of any origin: it works on the text, so
// that a file whose host code the compiler refuses still gives its kernels.

var (
	includeLine  = pattern{text: `(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)([">])[^\n]*$`}
	kernelHeader = pattern{text: `(\w+)\s*\(`}
	declaring    = pattern{text: `^\s*(typedef|struct|union|enum|const|static\s+const)\b`}
	onDevice     = pattern{text: `\b__(global|device|constant|shared)__\b`}
)

// maxInclude bounds the depth of files that include each other, and maxText the text of a
// file with them.
const (
	maxInclude = 10
	maxText    = 4 << 20
)

// An includer puts the files that texts include in place of the directives, each once. It
// looks for quoted names in the folder of the file, and for all in folders. A quoted file
// that is not there is noted, unless the compiler has it.
// Of names in brackets most are those of CUDA and C, which the compiler has built in.
type includer struct {
	read    func(name string) ([]byte, error)
	folders []string
	seen    map[string]bool
	bytes   int
	missing string // the first quoted name that is not there, or ""
}

// text returns the text of the file at path with what it includes.
func (in *includer) text(path, text string, depth int) string {
	return includeLine.get().ReplaceAllStringFunc(text, func(line string) string {
		match := includeLine.get().FindStringSubmatch(line)
		folders, without := in.folders, line
		if match[2] == `"` {
			folders, without = append([]string{filepath.Dir(path)}, folders...), ""
		}
		if depth == maxInclude {
			return without
		}
		for _, dir := range folders {
			name := filepath.Join(dir, filepath.FromSlash(match[1]))
			if in.seen[name] {
				return ""
			}
			more, err := in.read(name)
			if err != nil || in.bytes+len(more) > maxText {
				continue
			}
			in.seen[name], in.bytes = true, in.bytes+len(more)
			return in.text(name, string(more), depth+1)
		}
		if match[2] == `"` && in.missing == "" && !builtIn(match[1]) {
			in.missing = match[1]
		}
		return without
	})
}

// builtIn reports whether a header is one of CUDA or of the C library, which texts also
// include with quotes.
func builtIn(name string) bool {
	for _, prefix := range []string{"cuda", "device_", "vector_", "sm_", "math", "std", "string.h", "float.h", "limits.h", "assert.h", "cooperative_groups"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// An item is a declaration or definition at file level, or what is between two.
type item struct {
	from, to int
	body     int // where the braces of a function open, or 0
}

// items splits a text at file level. Comments, literals and directives are skipped;
// extern "C" { } is no item, but what is in it are.
func items(text string) []item {
	var list []item
	from, depth, open := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			i = skipLine(text, i)
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				end = len(text) - i - 4
			}
			i += end + 3
		case c == '#' && strings.TrimSpace(text[strings.LastIndexByte(text[:i], '\n')+1:i]) == "":
			i = skipLine(text, i)
		case c == '"' || c == '\'':
			i = skipLiteral(text, i)
		case c == '{':
			if depth == 0 && strings.HasSuffix(strings.TrimSpace(text[from:i]), `extern "C"`) {
				list = append(list, item{from: from, to: i + 1})
				from = i + 1
				continue
			}
			if depth++; depth == 1 && open == 0 {
				open = i
			}
		case c == '}' && depth == 0: // of extern "C"
			list = append(list, item{from: from, to: i + 1})
			from, open = i+1, 0
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			if head := uncommented(text[from:open]); strings.Contains(head, "(") && !declaring.get().MatchString(head) || onDevice.get().MatchString(head) && strings.Contains(head, ")") {
				list = append(list, item{from, i + 1, open})
				from, open = i+1, 0
			} else if isNamespace(head) {
				list = append(list, item{from: from, to: i + 1})
				from, open = i+1, 0
			}
		case c == ';' && depth == 0:
			list = append(list, item{from: from, to: i + 1})
			from, open = i+1, 0
		}
	}
	return append(list, item{from: from, to: len(text)})
}

// isNamespace reports whether an item without comments is a namespace, of which nothing is taken out.
func isNamespace(head string) bool { return strings.HasPrefix(strings.TrimSpace(head), "namespace") }

// skipLine returns the index of the end of the line, or of its continuations.
func skipLine(text string, i int) int {
	for ; i < len(text); i++ {
		if text[i] == '\n' && !strings.HasSuffix(strings.TrimRight(text[:i], "\r"), `\`) {
			return i
		}
	}
	return i
}

// skipLiteral returns the index of the quote that ends a literal, or of the end of its line.
func skipLiteral(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

var comment = pattern{text: `(?s)//[^\n]*|/\*.*?\*/|(?m:^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*)`}

// uncommented returns a text without comments and directives.
func uncommented(text string) string { return comment.get().ReplaceAllString(text, " ") }

// deviceText returns a text with what host code needs blanked: the definitions of host
// functions and the kernels but one; with only, also all that declares neither a type, a
// constant nor something on the device. Lines keep their numbers, directives stay.
func deviceText(text, kernel string, only bool) string {
	out := []byte(text)
	for _, it := range items(text) {
		part := text[it.from:it.to]
		head := part
		if it.body > 0 {
			head = text[it.from:it.body]
		}
		head = uncommented(head)
		global := strings.Contains(head, "__global__")
		switch {
		case isNamespace(head):
			continue
		case global && it.body > 0 && kernel != "" && kernelName(head) != kernel:
		case it.body > 0 && !onDevice.get().MatchString(head):
		case it.body == 0 && global: // a prototype
		case only && it.body == 0 && !onDevice.get().MatchString(head) && !declaring.get().MatchString(head):
		default:
			continue
		}
		blank(out, text, it)
	}
	return string(out)
}

// blank replaces an item by blanks, but for line ends and directives.
func blank(out []byte, text string, it item) {
	for i := it.from; i < it.to; i++ {
		if text[i] == '#' && strings.TrimSpace(text[strings.LastIndexByte(text[:i], '\n')+1:i]) == "" {
			i = skipLine(text, i)
			continue
		}
		if text[i] != '\n' {
			out[i] = ' '
		}
	}
}

// kernelName returns the name of the kernel with a header, in C's form.
func kernelName(head string) string {
	_, head, _ = strings.Cut(head, "__global__")
	for _, m := range kernelHeader.get().FindAllStringSubmatch(head, -1) {
		if m[1] != "__launch_bounds__" && m[1] != "__cluster_dims__" && m[1] != "__attribute__" {
			return m[1]
		}
	}
	return ""
}

// kernelNames returns the names of the kernels that a text defines, in order.
func kernelNames(text string) []string {
	var names []string
	for _, it := range items(text) {
		if it.body == 0 {
			continue
		}
		if head := uncommented(text[it.from:it.body]); strings.Contains(head, "__global__") {
			names = append(names, kernelName(head))
		}
	}
	return names
}
