package hosteval

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// A file is an open file of the program.
type file struct {
	f      *os.File // nil for the standard streams
	in     *bufio.Reader
	out    *bufio.Writer
	last   byte   // that was read
	pushed []byte // given back, the last first
	end    bool
	failed bool
}

// files are the open files. The first three are the standard streams.
type files struct{ list []*file }

// Numbers of the standard streams, as stdio.h has them.
const (
	stdinNumber  = 1
	stdoutNumber = 2
	stderrNumber = 3
)

func (fs *files) open(stdin io.Reader) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	fs.list = []*file{nil, {in: bufio.NewReader(stdin)}, {}, {}}
}

func (fs *files) close() error {
	var err error
	for _, f := range fs.list {
		if f != nil && f.f != nil {
			err = errors.Join(err, f.close())
		}
	}
	return err
}

func (f *file) close() error {
	var err error
	if f.out != nil {
		err = f.out.Flush()
	}
	return errors.Join(err, f.f.Close())
}

// ReadByte and UnreadByte are for scanf.
func (f *file) ReadByte() (byte, error) {
	if n := len(f.pushed); n > 0 {
		b := f.pushed[n-1]
		f.pushed, f.last = f.pushed[:n-1], b
		return b, nil
	}
	if f.in == nil {
		f.failed = true
		return 0, io.EOF
	}
	b, err := f.in.ReadByte()
	if err != nil {
		f.end = true
	}
	f.last = b
	return b, err
}

// UnreadByte gives the last byte back.
func (f *file) UnreadByte() error {
	f.pushed = append(f.pushed, f.last)
	return nil
}

// file returns the file of a number, or nil after it has stopped the program.
func (m *machine) file(c *call, n uint64) *file {
	if n == 0 || n >= uint64(len(m.files.list)) || m.files.list[n] == nil {
		what := "what is not an open file"
		if n == 0 {
			what = "a null pointer; fopen may have failed"
		}
		c.Stop("%s is given %s", c.Name, what)
		return nil
	}
	return m.files.list[n]
}

// write writes to a file and reports whether it could.
func (m *machine) write(n uint64, f *file, b []byte) bool {
	var err error
	switch {
	case n == stdoutNumber:
		_, err = m.out.Write(b)
	case n == stderrNumber:
		m.out.Flush()
		_, err = m.run.Stderr.Write(b)
	case f.out == nil:
		f.failed = true
		return false
	default:
		_, err = f.out.Write(b)
	}
	f.failed = f.failed || err != nil
	return err == nil
}

// print writes a formatted text and returns its length.
func (m *machine) print(c *call, n, format uint64, args []uint64) uint64 {
	f := m.file(c, n)
	if f == nil {
		return 0
	}
	s, ok := sprintf(c, format, args)
	if !ok || !m.write(n, f, []byte(s)) {
		return minus
	}
	return uint64(len(s))
}

// put writes one character.
func (m *machine) put(c *call, n uint64) uint64 {
	f := m.file(c, n)
	if f == nil || !m.write(n, f, []byte{byte(c.Args[0])}) {
		return minus
	}
	return uint64(byte(c.Args[0]))
}

// get reads one character.
func (m *machine) get(c *call, n uint64) uint64 {
	f := m.file(c, n)
	if f == nil {
		return minus
	}
	if n == stdinNumber {
		m.out.Flush()
	}
	b, err := f.ReadByte()
	if err != nil {
		return minus
	}
	return uint64(b)
}

func fileFunctions() map[string]function {
	return map[string]function{
		"printf":  func(m *machine, c *call) uint64 { return m.print(c, stdoutNumber, c.Args[0], c.Args[1:]) },
		"fprintf": func(m *machine, c *call) uint64 { return m.print(c, c.Args[0], c.Args[1], c.Args[2:]) },
		"sprintf": func(m *machine, c *call) uint64 {
			s, ok := sprintf(c, c.Args[1], c.Args[2:])
			if ok {
				put(c, c.Args[0], s)
			}
			return uint64(len(s))
		},
		"snprintf": func(m *machine, c *call) uint64 {
			s, ok := sprintf(c, c.Args[2], c.Args[3:])
			if size := c.Args[1]; ok && size > 0 {
				put(c, c.Args[0], s[:min(uint64(len(s)), size-1)])
			}
			return uint64(len(s))
		},
		"scanf":  func(m *machine, c *call) uint64 { m.out.Flush(); return m.scanFile(c, stdinNumber, c.Args) },
		"fscanf": func(m *machine, c *call) uint64 { return m.scanFile(c, c.Args[0], c.Args[1:]) },
		"sscanf": func(m *machine, c *call) uint64 {
			s, ok := text(c, c.Args[0])
			if !ok {
				return 0
			}
			return scan(c, strings.NewReader(s), c.Args[1], c.Args[2:])
		},
		"puts": func(m *machine, c *call) uint64 {
			s, ok := text(c, c.Args[0])
			if !ok || !m.write(stdoutNumber, m.files.list[stdoutNumber], []byte(s+"\n")) {
				return minus
			}
			return uint64(len(s) + 1)
		},
		"fputs": func(m *machine, c *call) uint64 {
			f := m.file(c, c.Args[1])
			if f == nil {
				return minus
			}
			s, ok := text(c, c.Args[0])
			if !ok || !m.write(c.Args[1], f, []byte(s)) {
				return minus
			}
			return 1
		},
		"putchar": func(m *machine, c *call) uint64 { return m.put(c, stdoutNumber) },
		"putc":    func(m *machine, c *call) uint64 { return m.put(c, c.Args[1]) },
		"fputc":   func(m *machine, c *call) uint64 { return m.put(c, c.Args[1]) },
		"getchar": func(m *machine, c *call) uint64 { return m.get(c, stdinNumber) },
		"getc":    func(m *machine, c *call) uint64 { return m.get(c, c.Args[0]) },
		"fgetc":   func(m *machine, c *call) uint64 { return m.get(c, c.Args[0]) },
		"ungetc": func(m *machine, c *call) uint64 {
			f := m.file(c, c.Args[1])
			if f == nil || c.Args[0] == minus {
				return minus
			}
			f.pushed, f.end = append(f.pushed, byte(c.Args[0])), false
			return uint64(byte(c.Args[0]))
		},
		"fgets":    getLine,
		"getline":  getWholeLine,
		"fopen":    openFile,
		"fclose":   closeFile,
		"fflush":   flush,
		"fread":    readFile,
		"fwrite":   writeFile,
		"fseek":    func(m *machine, c *call) uint64 { return m.seek(c, int64(c.Args[1]), int(c.Args[2])) },
		"rewind":   func(m *machine, c *call) uint64 { return m.seek(c, 0, io.SeekStart) },
		"ftell":    tell,
		"feof":     flag(func(f *file) bool { return f.end }),
		"ferror":   flag(func(f *file) bool { return f.failed }),
		"clearerr": flag(func(f *file) bool { f.end, f.failed = false, false; return false }),
		"setvbuf":  func(m *machine, c *call) uint64 { return 0 },
		"setbuf":   func(m *machine, c *call) uint64 { return 0 },
		"remove":   func(m *machine, c *call) uint64 { s, _ := text(c, c.Args[0]); return m.failing(c, os.Remove(s)) },
		"rename": func(m *machine, c *call) uint64 {
			from, ok := text(c, c.Args[0])
			if !ok {
				return minus
			}
			to, _ := text(c, c.Args[1])
			return m.failing(c, os.Rename(from, to))
		},
		"perror": func(m *machine, c *call) uint64 {
			s := ""
			if c.Args[0] != 0 {
				if s, _ = text(c, c.Args[0]); s != "" {
					s += ": "
				}
			}
			m.errorf("%s%s\n", s, errorText(m.getErrno(c)))
			return 0
		},
	}
}

func flag(f func(f *file) bool) function {
	return func(m *machine, c *call) uint64 {
		if x := m.file(c, c.Args[0]); x != nil && f(x) {
			return 1
		}
		return 0
	}
}

func (m *machine) scanFile(c *call, n uint64, args []uint64) uint64 {
	f := m.file(c, n)
	if f == nil {
		return minus
	}
	return scan(c, f, args[0], args[1:])
}

// failing returns 0, or -1 with errno set.
func (m *machine) failing(c *call, err error) uint64 {
	if err == nil {
		return 0
	}
	m.setErrno(c, errorNumber(err))
	return minus
}

func errorNumber(err error) uint32 {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return enoent
	case errors.Is(err, fs.ErrPermission):
		return eacces
	}
	return eio
}

func openFile(m *machine, c *call) uint64 {
	name, ok := text(c, c.Args[0])
	if !ok {
		return 0
	}
	mode, ok := text(c, c.Args[1])
	if !ok {
		return 0
	}
	flags, both := os.O_RDONLY, strings.Contains(mode, "+")
	switch {
	case strings.HasPrefix(mode, "w"):
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	case strings.HasPrefix(mode, "a"):
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	case !strings.HasPrefix(mode, "r"):
		m.setErrno(c, einval)
		return 0
	}
	if both {
		flags = flags&^os.O_WRONLY | os.O_RDWR
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		m.setErrno(c, errorNumber(err))
		return 0
	}
	x := &file{f: f}
	if both || flags == os.O_RDONLY {
		x.in = bufio.NewReader(f)
	}
	if both || flags != os.O_RDONLY {
		x.out = bufio.NewWriter(f)
		if both { // reads and writes share a place
			x.out = bufio.NewWriterSize(f, 1)
		}
	}
	for i := stderrNumber + 1; i < len(m.files.list); i++ {
		if m.files.list[i] == nil {
			m.files.list[i] = x
			return uint64(i)
		}
	}
	m.files.list = append(m.files.list, x)
	return uint64(len(m.files.list) - 1)
}

func closeFile(m *machine, c *call) uint64 {
	f := m.file(c, c.Args[0])
	if f == nil {
		return minus
	}
	m.files.list[c.Args[0]] = nil
	if f.f == nil {
		return 0
	}
	return m.failing(c, f.close())
}

func flush(m *machine, c *call) uint64 {
	switch n := c.Args[0]; n {
	case stdoutNumber:
		m.out.Flush()
	case 0: // all of them
		err := m.out.Flush()
		for _, f := range m.files.list {
			if f != nil && f.out != nil {
				err = errors.Join(err, f.out.Flush())
			}
		}
		return m.failing(c, err)
	default:
		if f := m.file(c, n); f != nil && f.out != nil {
			return m.failing(c, f.out.Flush())
		}
	}
	return 0
}

func readFile(m *machine, c *call) uint64 {
	f := m.file(c, c.Args[3])
	if f == nil || c.Args[1] == 0 || c.Args[2] == 0 {
		return 0
	}
	b := c.Bytes(c.Args[0], c.Args[1]*c.Args[2], true)
	if b == nil {
		return 0
	}
	n := 0
	for n < len(b) && len(f.pushed) > 0 {
		b[n], _ = f.ReadByte()
		n++
	}
	if f.in == nil {
		f.failed = true
		return 0
	}
	k, err := io.ReadFull(f.in, b[n:])
	f.end = f.end || err != nil
	return uint64(n+k) / c.Args[1]
}

func writeFile(m *machine, c *call) uint64 {
	f := m.file(c, c.Args[3])
	if f == nil {
		return 0
	}
	b := c.Bytes(c.Args[0], c.Args[1]*c.Args[2], false)
	if b == nil || !m.write(c.Args[3], f, b) {
		return 0
	}
	return c.Args[2]
}

// getLine is fgets.
func getLine(m *machine, c *call) uint64 {
	f, size := m.file(c, c.Args[2]), int64(int32(c.Args[1]))
	if f == nil || size <= 0 {
		return 0
	}
	var line []byte
	for int64(len(line)) < size-1 {
		b, err := f.ReadByte()
		if err != nil {
			break
		}
		if line = append(line, b); b == '\n' {
			break
		}
	}
	if len(line) == 0 && size > 1 || !put(c, c.Args[0], string(line)) {
		return 0
	}
	return c.Args[0]
}

// getWholeLine is getline.
func getWholeLine(m *machine, c *call) uint64 {
	f := m.file(c, c.Args[2])
	if f == nil {
		return minus
	}
	var line []byte
	for {
		b, err := f.ReadByte()
		if err != nil {
			break
		}
		if line = append(line, b); b == '\n' {
			break
		}
	}
	if len(line) == 0 {
		return minus
	}
	// The caller's memory is used if it has the room, and freed otherwise.
	at, size := c.Bytes(c.Args[0], 8, true), c.Bytes(c.Args[1], 8, true)
	if at == nil || size == nil {
		return minus
	}
	p := le64(at)
	if need := uint64(len(line)) + 1; p == 0 || le64(size) < need {
		if p != 0 {
			c.Free(p)
		}
		p = heap(c, "getline", need)
		put64(c, c.Args[0], p)
		put64(c, c.Args[1], need)
	}
	if !put(c, p, string(line)) {
		return minus
	}
	return uint64(len(line))
}

// seek moves to a place.
func (m *machine) seek(c *call, offset int64, whence int) uint64 {
	f := m.file(c, c.Args[0])
	if f == nil || f.f == nil {
		return minus
	}
	if f.out != nil {
		f.out.Flush()
	}
	if f.in != nil && whence == io.SeekCurrent {
		offset -= int64(f.in.Buffered() + len(f.pushed))
	}
	if _, err := f.f.Seek(offset, whence); err != nil {
		return m.failing(c, err)
	}
	f.pushed, f.end = nil, false
	if f.in != nil {
		f.in.Reset(f.f)
	}
	return 0
}

func tell(m *machine, c *call) uint64 {
	f := m.file(c, c.Args[0])
	if f == nil || f.f == nil {
		return minus
	}
	if f.out != nil {
		f.out.Flush()
	}
	at, err := f.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return m.failing(c, err)
	}
	if f.in != nil {
		at -= int64(f.in.Buffered() + len(f.pushed))
	}
	return uint64(at)
}
