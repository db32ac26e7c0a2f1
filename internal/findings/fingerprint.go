package findings

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"irgl/internal/device"
)

// fingerprints returns what identifies each finding in runs of the program to come: its rule, kernel and memory, and the text
// of the lines of its sites, so that lines that are inserted above do not change it. Of files that cannot be read the
// numbers of the lines stand for the text. Findings that are alike otherwise are numbered.
func fingerprints(r *Run) []string {
	lines := sourceLines{}
	seen := map[string]int{}
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		h := sha256.New()
		fmt.Fprintf(h, "%s\n%s\n%s\n", f.Rule, f.Kernel, f.Memory)
		for j := range f.Sites {
			p := f.Sites[j].Position()
			fmt.Fprintf(h, "%s\n%s\n", filepath.Base(p.File), lines.text(p))
		}
		print := fmt.Sprintf("%x", h.Sum(nil)[:8])
		seen[print]++
		out = append(out, fmt.Sprintf("%s:%d", print, seen[print]))
	}
	return out
}

// sourceLines are the lines of files, read once.
type sourceLines map[string][]string

// text returns the text of a line without the space around it, or its number.
func (s sourceLines) text(p device.Position) string {
	lines, known := s[p.File]
	if !known {
		if f, err := os.Open(p.File); err == nil {
			for in := bufio.NewScanner(f); in.Scan(); {
				lines = append(lines, in.Text())
			}
			f.Close()
		}
		s[p.File] = lines
	}
	if p.Line < 1 || p.Line > len(lines) {
		return fmt.Sprint(p.Line)
	}
	return strings.TrimSpace(lines[p.Line-1])
}
