package tune

import (
	"fmt"
	"strings"
)

// String lists the axes, one per line.
func (s *Space) String() string {
	var b strings.Builder
	for _, a := range s.Axes {
		fmt.Fprintf(&b, "%s: %s\n", a.Name, strings.Join(a.Values, " "))
	}
	return b.String()
}
