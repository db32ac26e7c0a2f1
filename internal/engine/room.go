package engine

import (
	"fmt"
	"math"

	"irgl/internal/memory"
	"irgl/mesh"
)

// checkRoom returns an error if Options.Room asks for more points and elements than
// 32-bit numbers can tell apart, or, on the CPU, for more memory than the process may
// use: unlike the other devices' it is not allocated by something that can refuse.
func (x *Executable) checkRoom(m *mesh.Mesh) error {
	room := int64(x.o.Room)
	if room == 0 || m == nil {
		return nil
	}
	have := int64(max(m.NumNodes(), m.NumTriangles()+len(m.Segments)))
	if room > math.MaxInt32-have {
		return fmt.Errorf("room for %d points and elements more: with the mesh's own %d they would be more than %d, the most that there can be", room, have, math.MaxInt32)
	}
	bytes := int64(0)
	for _, p := range x.program.info.Props {
		if p.Of.OfMesh() {
			bytes += (room + have) * basic(p.Object.Type).Size()
		}
	}
	if limit := memory.Limit(); x.device == "cpu" && bytes > limit {
		return fmt.Errorf("room for %d points and elements more takes %s of memory, and this process may use %s", room, memory.Format(bytes), memory.Format(limit))
	}
	return nil
}
