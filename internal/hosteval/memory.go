package hosteval

import (
	"bytes"

	"irgl/internal/device/simt"
)

// memoryFunctions returns those of the heap, and of memory as bytes.
func memoryFunctions() map[string]function {
	return map[string]function{
		"malloc": func(m *machine, c *call) uint64 { return heap(c, "malloc", c.Args[0]) },
		"calloc": func(m *machine, c *call) uint64 {
			n, size := c.Args[0], c.Args[1]
			if size != 0 && n > ^uint64(0)/size {
				return 0
			}
			return heap(c, "calloc", n*size)
		},
		"realloc": reallocate,
		"free":    func(m *machine, c *call) uint64 { c.Free(c.Args[0]); return 0 },
		"posix_memalign": func(m *machine, c *call) uint64 {
			p := heap(c, "posix_memalign", c.Args[2])
			if p == 0 {
				return 12 // ENOMEM
			}
			put64(c, c.Args[0], p)
			return 0
		},
		"aligned_alloc": func(m *machine, c *call) uint64 { return heap(c, "aligned_alloc", c.Args[1]) },
		"memalign":      func(m *machine, c *call) uint64 { return heap(c, "memalign", c.Args[1]) },
		"memcpy":        move,
		"memmove":       move,
		"memset": func(m *machine, c *call) uint64 {
			b := c.Bytes(c.Args[0], c.Args[2], true)
			for i := range b {
				b[i] = byte(c.Args[1])
			}
			return c.Args[0]
		},
		"memcmp": func(m *machine, c *call) uint64 {
			a, b := c.Bytes(c.Args[0], c.Args[2], false), []byte(nil)
			if a != nil {
				b = c.Bytes(c.Args[1], c.Args[2], false)
			}
			return uint64(int64(bytes.Compare(a, b)))
		},
		"memchr": func(m *machine, c *call) uint64 {
			if i := bytes.IndexByte(c.Bytes(c.Args[0], c.Args[2], false), byte(c.Args[1])); i >= 0 {
				return c.Args[0] + uint64(i)
			}
			return 0
		},
	}
}

// heap allocates on the heap. The alignment is 256, more than any program asks for.
func heap(c *call, name string, size uint64) uint64 {
	return c.Alloc(simt.HeapName(name, c.Position()), size)
}

func reallocate(m *machine, c *call) uint64 {
	old, size := c.Args[0], c.Args[1]
	if old == 0 {
		return heap(c, "realloc", size)
	}
	have, ok := c.Size(old)
	if !ok {
		c.Free(old) // which says what is wrong
		return 0
	}
	if size == 0 {
		c.Free(old)
		return 0
	}
	p := heap(c, "realloc", size)
	if p == 0 {
		return 0
	}
	n := min(have, size)
	copy(c.Bytes(p, n, true), c.Bytes(old, n, false))
	c.Free(old)
	return p
}

// move is memcpy and memmove.
func move(m *machine, c *call) uint64 {
	from := c.Bytes(c.Args[1], c.Args[2], false)
	if from == nil {
		return 0
	}
	copy(c.Bytes(c.Args[0], c.Args[2], true), from)
	return c.Args[0]
}
