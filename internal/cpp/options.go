package cpp

import "irgl/internal/source"

// Options are choices of [Preprocess].
type Options struct {
	Dialect Dialect
	// Std is the version of C++ as its macro has it, such as 201703; 0 is that one.
	Std int
	// Arch is the value of __CUDA_ARCH__, such as 750; 0 leaves it undefined, as in nvcc's pass for the host.
	Arch int
	// Defines are the macros of -D and -U, in their order.
	Defines []Define
	// Includes are the files of -include, which are read in front of the text: "NAME" or <NAME>, as #include has them.
	Includes []string
	// Includer finds the files that #include names; nil refuses every file in quotes and skips every header in <>.
	Includer Includer
	// Rest returns where the part of an embedded header begins that is left unread, or nothing: [Result.Rests] has
	// it. There is no directive in it. Without it headers are read whole.
	Rest func(f *source.File) (from int, ok bool)
}

// A Define is a macro to define or to undefine in front of the text.
type Define struct {
	Name  string // a name, or in definitions NAME(params)
	Value string
	Undef bool
}

// An Includer finds the files that #include names.
type Includer interface {
	// Open returns the file of #include "name", or <name> if angled, in the text from. The file is nil for a
	// header that is skipped, and where the error says why there is none.
	Open(name string, angled bool, from *source.File) (*source.File, Found, error)
}

// Found says where an [Includer] found a file.
type Found uint8

// Where a file was found.
const (
	NotFound Found = iota
	User           // in a folder of the user's
	System         // in a folder of -isystem, where warnings are not reported
	Embedded       // among the headers that the compiler brings
	HostOnly       // not at all, and it need not be: a header of the host's system, which is not read for the device
)

// An Include is one #include that was executed.
type Include struct {
	Pos    source.Pos // of the directive
	Name   string
	Angled bool
	Found  Found
	File   *source.File // nil where Found is HostOnly
	At     int          // the token in front of which it stands, as an index of Result.Tokens
}

// An Expansion is one use of a macro in a text.
type Expansion struct {
	Name  string
	Def   source.Pos // where the macro is defined; not valid for predefined ones
	Use   source.Pos // where its name is in the text
	Outer int32      // the expansion that this one is in, an index of Result.Expansions, or 0
}

// A Result is what the parser reads.
type Result struct {
	Tokens     []Token     // ended by an EOF
	Comments   []Comment   // of the main file, outside of skipped groups
	Expansions []Expansion // by Token.Macro; the first is none
	Includes   []Include
	Rests      []Rest // in the order of the text

	front   []Token // room before Tokens
	names   *names
	dialect Dialect
}

// A Rest is what of an embedded header was not read.
type Rest struct {
	File *source.File
	From int // its first byte
	At   int // the token in front of which it stands, as an index of Result.Tokens
}

// A Part is the bytes of a text from From to To, without it.
type Part struct{ From, To int32 }

// String returns where the file was found, as a word.
func (f Found) String() string {
	return [...]string{"not found", "user", "system", "embedded", "host only"}[f]
}
