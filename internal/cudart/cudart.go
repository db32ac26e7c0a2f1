package cudart

import (
	"embed"
	"io/fs"
)

//go:embed include runtime
var files embed.FS

// Files returns the sources: the folder include has the headers of host code, and
// runtime the translation unit irgl_runtime.cpp with the headers that only it
// includes. They are compiled as C++17 with both folders in the include path.
func Files() fs.FS { return files }

// Main is the translation unit of the runtime.
const Main = "runtime/irgl_runtime.cpp"
