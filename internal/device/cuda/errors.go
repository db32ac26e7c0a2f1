package cuda

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	// ErrNoDriver says that the machine has no NVIDIA driver, or that this
	// program cannot use one.
	ErrNoDriver = errors.New("no NVIDIA driver")
	// ErrNoDevice says that there is a driver, but no GPU for it (or not
	// one with the wanted number).
	ErrNoDevice = errors.New("no NVIDIA GPU")
)

// An Error is a result of the driver other than success.
type Error struct {
	Call string // the function with its important arguments, as "cuMemAlloc(4096)"
	Code int    // the CUresult
	Name string // "CUDA_ERROR_OUT_OF_MEMORY"
	Text string // "out of memory"
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Call, e.Name, e.Text)
}

// fatal reports whether the error leaves the context unusable: the driver
// returns the same code for every later call.
func (e *Error) fatal() bool {
	switch e.Code {
	case codeDeinitialized, codeECC, codeIllegalAddress, codeLaunchTimeout, codeAssert,
		codeStackError, codeIllegalInstruction, codeMisaligned, codeAddressSpace,
		codeInvalidPC, codeLaunchFailed, codeExternalDevice:
		return true
	}
	return false
}

// hasCode reports whether err comes from the given CUresult.
func hasCode(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// The CUresults that this package distinguishes.
const (
	codeOutOfMemory        = 2
	codeDeinitialized      = 4
	codeNoDevice           = 100
	codeInvalidDevice      = 101
	codeECC                = 214
	codeExternalDevice     = 215
	codeNotFound           = 500
	codeNotReady           = 600
	codeIllegalAddress     = 700
	codeLaunchTimeout      = 702
	codePeerEnabled        = 704
	codeAssert             = 710
	codeStackError         = 714
	codeIllegalInstruction = 715
	codeMisaligned         = 716
	codeAddressSpace       = 717
	codeInvalidPC          = 718
	codeLaunchFailed       = 719
)

// A LoadError says that the driver refused a PTX text.
type LoadError struct {
	Name string // as given to Load
	Log  string // of the driver's compiler
	PTX  string // the lines of the text that the log names, numbered; may be empty
	Err  error  // usually an *Error
}

func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s: %v", e.Name, e.Err)
	for _, part := range []string{e.Log, e.PTX} {
		if part != "" {
			b.WriteString("\n" + part)
		}
	}
	return b.String()
}

func (e *LoadError) Unwrap() error { return e.Err }

var logLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bline (\d+)`) })

// citedLines returns the lines of ptx that a compiler's log names, each once,
// in the order of the log, as "7 | add.zigzag ...". At most eight are shown: a
// text with one mistake in a declaration can fail on every line.
func citedLines(ptx, log string) string {
	const most = 8
	lines := strings.Split(ptx, "\n")
	seen := make(map[int]bool)
	var out []string
	for _, m := range logLine().FindAllStringSubmatch(log, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > len(lines) || seen[n] {
			continue
		}
		seen[n] = true
		if len(out) == most {
			out = append(out, "...")
			break
		}
		out = append(out, fmt.Sprintf("%6d | %s", n, strings.TrimRight(lines[n-1], "\r")))
	}
	return strings.Join(out, "\n")
}
