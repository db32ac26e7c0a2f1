package hosteval

import (
	"strings"
)

// stringFunctions returns those of <string.h> for strings.
func stringFunctions() map[string]function {
	return map[string]function{
		"strlen":      func(m *machine, c *call) uint64 { s, _ := text(c, c.Args[0]); return uint64(len(s)) },
		"strnlen":     func(m *machine, c *call) uint64 { return uint64(len(bounded(c, c.Args[0], c.Args[1]))) },
		"strcmp":      func(m *machine, c *call) uint64 { return compare(c, none, same) },
		"strncmp":     func(m *machine, c *call) uint64 { return compare(c, c.Args[2], same) },
		"strcasecmp":  func(m *machine, c *call) uint64 { return compare(c, none, strings.ToLower) },
		"strncasecmp": func(m *machine, c *call) uint64 { return compare(c, c.Args[2], strings.ToLower) },
		"strcpy": func(m *machine, c *call) uint64 {
			if s, ok := text(c, c.Args[1]); ok {
				put(c, c.Args[0], s)
			}
			return c.Args[0]
		},
		"strncpy": func(m *machine, c *call) uint64 {
			s := bounded(c, c.Args[1], c.Args[2])
			if b := c.Bytes(c.Args[0], c.Args[2], true); b != nil {
				clear(b[copy(b, s):])
			}
			return c.Args[0]
		},
		"strcat": func(m *machine, c *call) uint64 {
			to, ok := text(c, c.Args[0])
			if s, ok2 := text(c, c.Args[1]); ok && ok2 {
				put(c, c.Args[0]+uint64(len(to)), s)
			}
			return c.Args[0]
		},
		"strncat": func(m *machine, c *call) uint64 {
			if to, ok := text(c, c.Args[0]); ok {
				put(c, c.Args[0]+uint64(len(to)), bounded(c, c.Args[1], c.Args[2]))
			}
			return c.Args[0]
		},
		"strchr": func(m *machine, c *call) uint64 {
			return find(c, func(s string) int { return strings.IndexByte(s+"\x00", byte(c.Args[1])) })
		},
		"strrchr": func(m *machine, c *call) uint64 {
			return find(c, func(s string) int { return strings.LastIndexByte(s+"\x00", byte(c.Args[1])) })
		},
		"strstr":   func(m *machine, c *call) uint64 { return findText(c, strings.Index) },
		"strpbrk":  func(m *machine, c *call) uint64 { return findText(c, strings.IndexAny) },
		"strspn":   func(m *machine, c *call) uint64 { return span(c, true) },
		"strcspn":  func(m *machine, c *call) uint64 { return span(c, false) },
		"strtok":   token,
		"strdup":   func(m *machine, c *call) uint64 { s, ok := text(c, c.Args[0]); return duplicate(c, s, ok) },
		"strndup":  func(m *machine, c *call) uint64 { return duplicate(c, bounded(c, c.Args[0], c.Args[1]), !c.Stopped()) },
		"strerror": func(m *machine, c *call) uint64 { return m.constant(c, errorText(int(int32(c.Args[0])))) },
	}
}

const none = ^uint64(0)

func same(s string) string { return s }

// bounded returns a string of at most n bytes, which need not end with a zero.
func bounded(c *call, addr, n uint64) string {
	b := c.Tail(addr)
	b = b[:min(uint64(len(b)), n)]
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

func compare(c *call, n uint64, fold func(string) string) uint64 {
	var a, b string
	if n == none {
		var ok bool
		if a, ok = text(c, c.Args[0]); !ok {
			return 0
		}
		b, _ = text(c, c.Args[1])
	} else if a = bounded(c, c.Args[0], n); !c.Stopped() {
		b = bounded(c, c.Args[1], n)
	}
	return uint64(int64(strings.Compare(fold(a), fold(b))))
}

// find returns the address of what f finds in the first string, or 0.
func find(c *call, f func(s string) int) uint64 {
	s, _ := text(c, c.Args[0])
	if i := f(s); i >= 0 {
		return c.Args[0] + uint64(i)
	}
	return 0
}

func findText(c *call, f func(s, what string) int) uint64 {
	what, ok := text(c, c.Args[1])
	if !ok {
		return 0
	}
	return find(c, func(s string) int { return f(s, what) })
}

// span returns how many bytes at the beginning of the first string are in the second one, or not.
func span(c *call, in bool) uint64 {
	s, ok := text(c, c.Args[0])
	if !ok {
		return 0
	}
	set, _ := text(c, c.Args[1])
	return uint64(spanOf(s, set, in))
}

func spanOf(s, set string, in bool) int {
	n := 0
	for n < len(s) && (strings.IndexByte(set, s[n]) >= 0) == in {
		n++
	}
	return n
}

func token(m *machine, c *call) uint64 {
	at := c.Args[0]
	if at == 0 {
		at = m.token
	}
	if at == 0 {
		return 0
	}
	set, ok := text(c, c.Args[1])
	if !ok {
		return 0
	}
	s, ok := text(c, at)
	if !ok {
		return 0
	}
	skip := spanOf(s, set, true)
	at, s = at+uint64(skip), s[skip:]
	if s == "" {
		m.token = 0
		return 0
	}
	n := spanOf(s, set, false)
	if m.token = 0; n < len(s) {
		c.Bytes(at+uint64(n), 1, true)[0] = 0
		m.token = at + uint64(n) + 1
	}
	return at
}

func duplicate(c *call, s string, ok bool) uint64 {
	if !ok {
		return 0
	}
	p := heap(c, "strdup", uint64(len(s))+1)
	put(c, p, s)
	return p
}
