package hosteval

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// The numbers of errno.h.
const (
	enoent = 2
	eio    = 5
	eacces = 13
	einval = 22
	erange = 34
)

// errorText returns the text of strerror.
func errorText(n int) string {
	if n == 0 {
		return "Success"
	}
	s := syscall.Errno(n).Error()
	return strings.ToUpper(s[:1]) + s[1:]
}

// errnoAt returns the address of errno.
func (m *machine) errnoAt(c *call) uint64 {
	if m.errno == 0 {
		m.errno = c.Alloc("errno", 4)
	}
	return m.errno
}

func (m *machine) setErrno(c *call, n uint32) { put32(c, m.errnoAt(c), n) }

func (m *machine) getErrno(c *call) int {
	return int(c.Bytes(m.errnoAt(c), 4, false)[0])
}

// abortStatus is the status that a shell shows of a process that abort has ended.
const abortStatus = 128 + int(syscall.SIGABRT)

// processFunctions returns those of the process: its end, environment, arguments and time.
func processFunctions() map[string]function {
	return map[string]function{
		"__irgl_exit": func(m *machine, c *call) uint64 { m.exit(c, int(byte(c.Args[0]))); return 0 },
		"_exit":       func(m *machine, c *call) uint64 { m.exit(c, int(byte(c.Args[0]))); return 0 },
		"abort":       func(m *machine, c *call) uint64 { m.exit(c, abortStatus); return 0 },
		"__assert_fail": func(m *machine, c *call) uint64 {
			what, _ := text(c, c.Args[0])
			file, _ := text(c, c.Args[1])
			function, _ := text(c, c.Args[3])
			name := m.run.Args[0]
			m.errorf("%s: %s:%d: %s: Assertion `%s' failed.\n", name[strings.LastIndexByte(name, '/')+1:], file, uint32(c.Args[2]), function, what)
			m.exit(c, abortStatus)
			return 0
		},
		"__irgl_divide":    func(m *machine, c *call) uint64 { c.Stop("host code divides by zero"); return 0 },
		"__errno_location": func(m *machine, c *call) uint64 { return m.errnoAt(c) },
		"getenv": func(m *machine, c *call) uint64 {
			name, ok := text(c, c.Args[0])
			if !ok {
				return 0
			}
			v, ok := os.LookupEnv(name)
			if !ok {
				return 0
			}
			return m.constant(c, v)
		},
		"setenv": func(m *machine, c *call) uint64 {
			name, ok := text(c, c.Args[0])
			value, ok2 := "", false
			if ok {
				value, ok2 = text(c, c.Args[1])
			}
			if _, set := os.LookupEnv(name); !ok2 || set && c.Args[2] == 0 {
				return 0
			}
			return m.failing(c, os.Setenv(name, value))
		},
		"system": func(m *machine, c *call) uint64 {
			if c.Args[0] == 0 {
				return 0 // there is no command processor
			}
			return minus
		},
		"getpid": func(m *machine, c *call) uint64 { return uint64(os.Getpid()) },
		"isatty": func(m *machine, c *call) uint64 { return 0 },
		"sleep":  func(m *machine, c *call) uint64 { m.sleep(time.Duration(uint32(c.Args[0])) * time.Second); return 0 },
		"usleep": func(m *machine, c *call) uint64 {
			m.sleep(time.Duration(uint32(c.Args[0])) * time.Microsecond)
			return 0
		},
		"nanosleep": func(m *machine, c *call) uint64 {
			if b := c.Bytes(c.Args[0], 16, false); b != nil {
				m.sleep(time.Duration(le64(b))*time.Second + time.Duration(le64(b[8:])))
			}
			return 0
		},
		"time": func(m *machine, c *call) uint64 {
			now := uint64(time.Now().Unix())
			if c.Args[0] != 0 {
				put64(c, c.Args[0], now)
			}
			return now
		},
		"clock": func(m *machine, c *call) uint64 { return uint64(time.Since(m.start).Microseconds()) },
		"clock_gettime": func(m *machine, c *call) uint64 {
			d := time.Since(m.start)
			if c.Args[0] == 0 { // CLOCK_REALTIME
				d = time.Duration(time.Now().UnixNano())
			}
			put64(c, c.Args[1], uint64(d/time.Second))
			put64(c, c.Args[1]+8, uint64(d%time.Second))
			return 0
		},
		"gettimeofday": func(m *machine, c *call) uint64 {
			now := time.Now().UnixMicro()
			put64(c, c.Args[0], uint64(now/1e6))
			put64(c, c.Args[0]+8, uint64(now%1e6))
			return 0
		},
		"__irgl_getopt":      getopt,
		"__irgl_next_option": nextOption,
		"__irgl_option": func(m *machine, c *call) uint64 { // says what is wrong with a long option
			before, _ := text(c, c.Args[0])
			name, _ := text(c, c.Args[1])
			behind, _ := text(c, c.Args[2])
			m.errorf("%s: %s%s%s\n", m.run.Args[0], before, name, behind)
			return 0
		},
	}
}

func (m *machine) sleep(d time.Duration) {
	m.out.Flush()
	select {
	case <-time.After(d):
	case <-m.ctx.Done():
	}
}

func le64(b []byte) uint64 {
	var v uint64
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}
