package headers

import (
	"embed"
	"io/fs"
)

// Prelude is the header that is included in front of every file. What it declares but
// macros is in a [Demand].
const Prelude = "irgl/prelude.h"

//go:embed all:include
var files embed.FS

// FS returns the headers by the names in #include <...>.
func FS() fs.FS { return folder("include") }

// SharedFolder has headers that host code reads, too: their functions are for the device, and
// their classes are the same for both.
const SharedFolder = "cub"

// Shared returns the headers of SharedFolder.
func Shared() fs.FS { return folder("include/" + SharedFolder) }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
