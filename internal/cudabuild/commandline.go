package cudabuild

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"irgl/internal/cpp"
	"irgl/internal/infile"
)

// This file has what says more than the command line: files of options, and nvcc's and g++'s variables of
// the environment; and flags of the host's compiler that are for device code, too.

// CommandLine returns a command line with what NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS put in front of
// it and behind its options, as nvcc does.
func CommandLine(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	return slices.Concat(flagsOf("NVCC_PREPEND_FLAGS"), args[:end], flagsOf("NVCC_APPEND_FLAGS"), args[end:])
}

// flagsOf returns the words of a variable. Blanks in quotes do not divide them; the quotes stay, so that
// -DNAME="a b" defines a string.
func flagsOf(variable string) []string {
	inside := false
	return strings.FieldsFunc(os.Getenv(variable), func(c rune) bool {
		if c == '"' {
			inside = !inside
		}
		return !inside && unicode.IsSpace(c)
	})
}

// fileOptions name files with more of the command line.
var fileOptions = []string{"-optf", "--options-file"}

// maxNested bounds how deep files of options name others.
const maxNested = 20

// withFiles returns a command line with what files of -optf have in their place.
func withFiles(args []string, nested int) ([]string, error) {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), nil
		}
		name, files, given := strings.Cut(arg, "=")
		if !slices.Contains(fileOptions, name) {
			out = append(out, arg)
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, usage("%s needs a value", name)
			}
			files = args[i]
		}
		for file := range strings.SplitSeq(files, ",") {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, usage("%s: %v", name, infile.Plain(err))
			}
			if nested == 0 {
				return nil, usage("%s: %s: files of options that name each other", name, file)
			}
			more, err := withFiles(words(string(text)), nested-1)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

// words divides a text at blanks that are not in quotes. Like nvcc it takes quotes and backslashes off twice:
// a macro that is a string is -DNAME=\\\"text\\\".
func words(text string) []string {
	out := unquoted(text, unicode.IsSpace)
	for i, word := range out {
		out[i] = strings.Join(unquoted(word, func(rune) bool { return false }), "")
	}
	return out
}

// unquoted divides a text where blank says, but not in quotes nor behind a backslash, and leaves both out.
func unquoted(text string, blank func(rune) bool) []string {
	var out []string
	var word strings.Builder
	quote, inside, escaped := rune(0), false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
			word.WriteRune(c)
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote == 0 && blank(c):
			if inside {
				out = append(out, word.String())
			}
			word.Reset()
			inside = false
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inside = c, true
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if inside {
		out = append(out, word.String())
	}
	return out
}

// A Preprocessing is what the preprocessor of device code is told.
type Preprocessing struct {
	Includes, System, Forced []string // -I, -isystem, -include
	Defines                  []cpp.Define
}

// Preprocessing returns what the command line says, with what -Xcompiler passes to the host's preprocessor
// in front of it, and behind the folders those of g++'s variables.
func (o *Options) Preprocessing() Preprocessing {
	var p Preprocessing
	for i := 0; i < len(o.Host); i++ {
		for _, flag := range []string{"-isystem", "-include", "-D", "-U", "-I"} {
			value, ok := strings.CutPrefix(o.Host[i], flag)
			if !ok {
				continue
			}
			if value == "" && i+1 < len(o.Host) {
				i++
				value = o.Host[i]
			}
			p.add(flag, value)
			break
		}
	}
	p.Defines = append(p.Defines, o.Defines...)
	p.Includes = slices.Concat(p.Includes, o.Includes, foldersOf("CPATH"))
	p.System = slices.Concat(p.System, o.SystemIncludes, foldersOf("CPLUS_INCLUDE_PATH"))
	p.Forced = append(p.Forced, o.Forced...)
	return p
}

func (p *Preprocessing) add(flag, value string) {
	switch flag {
	case "-isystem":
		p.System = append(p.System, value)
	case "-include":
		p.Forced = append(p.Forced, value)
	case "-I":
		p.Includes = append(p.Includes, value)
	case "-U":
		p.Defines = append(p.Defines, cpp.Define{Name: value, Undef: true})
	default:
		p.Defines = append(p.Defines, defined(value))
	}
}

// defined returns the macro that -D defines.
func defined(text string) cpp.Define {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		value = "1"
	}
	return cpp.Define{Name: name, Value: value}
}

// foldersOf returns the folders of a variable of g++'s: an empty name is the working folder.
func foldersOf(variable string) []string {
	list := os.Getenv(variable)
	if list == "" {
		return nil
	}
	folders := strings.Split(list, string(filepath.ListSeparator))
	for i, f := range folders {
		if f == "" {
			folders[i] = "."
		}
	}
	return folders
}
