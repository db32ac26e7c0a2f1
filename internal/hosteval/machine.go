package hosteval

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"irgl/internal/cxx"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/findings"
)

// A Run is how a program is run.
type Run struct {
	Device         string   // "cuda" or "simt"
	Args           []string // with the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Report names where reports of what the emulator finds go ([findings.ParseTargets]); "" for nowhere.
	Report  string
	Version string // of irgl, for reports
	Options string // of the emulator, as in IRGL_SIMT
}

// A call is a call of the machine.
type call = simt.MachineCall

// A machine runs one program.
type machine struct {
	ctx    context.Context
	run    Run
	prog   *Program
	out    *bufio.Writer
	dev    *simt.Device // of the host code
	start  time.Time
	exited bool // by exit, abort or an error
	status int
	errno  uint64 // address of errno

	files     files
	random    random
	rand48    uint64
	token     uint64 // where strtok goes on
	options   optionState
	cuda      cudaState
	names     map[uint64]string // of the program's variables by their addresses: kernels and shadows
	texts     map[string]uint64 // strings that functions have returned
	headers   map[string]bool   // files of positions: whether they are our headers
	log       *findings.Recorder
	stack     []device.Frame // of the call of the CUDA runtime under way, for reports
	launching bool           // by <<<>>>
	number    int            // of the last stream or event

	emulator atomic.Pointer[simt.Device] // of the program's kernels, for other goroutines
	ended    atomic.Pointer[string]      // where the program was when it was interrupted
}

// statusError is the exit status of a program that an error ends.
const statusError = 1

// Run runs the program and returns its exit status. An error is one of the program: its message
// names the place.
func (p *Program) Run(ctx context.Context, r Run) (status int, err error) {
	m := &machine{ctx: ctx, run: r, prog: p, out: bufio.NewWriterSize(r.Stdout, 1<<16), start: time.Now(), names: map[uint64]string{}, texts: map[string]uint64{}, headers: map[string]bool{}}
	if err := m.startLog(); err != nil {
		return statusError, err
	}
	m.files.open(r.Stdin)
	m.random.seed(1)
	m.dev = simt.Open(simt.Options{Machine: m.call, Watch: m.watch, Library: m.isLibrary, Memory: machineMemory, Multiprocessors: 1})
	defer m.dev.Close()
	var end func()
	m.ctx, end = m.interruptible(ctx)
	defer end()
	defer func() {
		err = errors.Join(err, m.files.close(), m.out.Flush())
		m.cuda.close()
		err = errors.Join(err, m.endLog())
		status = m.status
	}()
	err = m.main()
	if at := m.ended.Load(); at != nil && *at != "" {
		m.errorf("irgl: %s\n", *at)
	}
	if err == nil || m.exited {
		err = context.Cause(ctx)
		if again := m.finish(); err == nil {
			err = again
		}
		if err == nil {
			m.log.Ended()
			m.log.Closing(0)
		}
	} else {
		m.status = statusError
		m.finish()
	}
	return m.status, err
}

// interruptible returns a context that ends after ctx has, when it is said where the program is: in
// a kernel, or in host code. The function ends it, too.
func (m *machine) interruptible(ctx context.Context) (context.Context, func()) {
	inner, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer end()
		said := make(chan string, 1)
		go func() { said <- m.place() }() // host code that waits for the machine cannot be asked
		select {
		case text := <-said:
			m.ended.Store(&text)
		case <-time.After(time.Second):
		}
	})
	return inner, func() {
		stop()
		end()
	}
}

// place says where the program is, "" if that is not known.
func (m *machine) place() string {
	if d := m.emulator.Load(); d != nil {
		if list := d.UnderWay(); len(list) > 0 {
			return "the program ended in " + list[0]
		}
	}
	if list := m.dev.Positions(); len(list) > 0 {
		return fmt.Sprintf("the program ended at %s", list[0])
	}
	return ""
}

// machineMemory bounds the host's heap.
const machineMemory = 16 << 30

// main loads and runs the host code.
func (m *machine) main() error {
	mod, err := m.dev.Load(m.prog.name, m.prog.host)
	if err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	k, err := mod.Kernel(cxx.Entry)
	if err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	for _, d := range m.prog.device.Kernels {
		m.name(mod, d.Symbol)
	}
	for _, v := range m.prog.device.Variables {
		m.name(mod, v.Symbol)
	}
	status, err := m.dev.Alloc("the exit status", 4)
	if err != nil {
		return err
	}
	args, err := m.strings("an argument", m.run.Args)
	if err != nil {
		return err
	}
	env, err := m.strings("the environment", os.Environ())
	if err != nil {
		return err
	}
	params := binary.LittleEndian.AppendUint64(nil, uint64(status))
	params = binary.LittleEndian.AppendUint64(params, uint64(len(m.run.Args)))
	params = binary.LittleEndian.AppendUint64(params, uint64(args))
	params = binary.LittleEndian.AppendUint64(params, uint64(env))
	if err := m.dev.Launch(k, device.Launch{Grid: device.Dim3{X: 1}, Block: device.Dim3{X: 1}, Params: params}); err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	if err := m.dev.Sync(m.ctx); err != nil {
		return m.describe(err)
	}
	var word [4]byte
	if err := m.dev.CopyOut(word[:], status); err != nil {
		return err
	}
	m.status = int(word[0])
	return nil
}

// isLibrary reports whether a file is one of our headers.
func (m *machine) isLibrary(file string) bool {
	is, known := m.headers[file]
	if !known {
		is = library{}.has(file)
		m.headers[file] = is
	}
	return is
}

// name notes the address of a variable of the host code that stands for a kernel or variable
// of the device, if the host code has it.
func (m *machine) name(mod device.Module, symbol string) {
	if p, _, err := mod.Global(symbol); err == nil {
		m.names[uint64(p)] = symbol
	}
}

// strings returns the address of an array of strings, with a null pointer behind them.
func (m *machine) strings(name string, list []string) (device.Ptr, error) {
	var table []byte
	for _, s := range list {
		p, err := m.dev.Alloc(name, int64(len(s))+1)
		if err == nil {
			err = m.dev.CopyIn(p, append([]byte(s), 0))
		}
		if err != nil {
			return 0, err
		}
		table = binary.LittleEndian.AppendUint64(table, uint64(p))
	}
	table = binary.LittleEndian.AppendUint64(table, 0)
	p, err := m.dev.Alloc(name, int64(len(table)))
	if err == nil {
		err = m.dev.CopyIn(p, table)
	}
	return p, err
}

// describe returns the error of a fault of host code, in the words of programs.
func (m *machine) describe(err error) error {
	f, ok := errors.AsType[*simt.Fault](err)
	if !ok {
		return err
	}
	text, rule := m.faultText(f)
	if !m.exited {
		m.log.Call(rule, text, append([]device.Frame(nil), f.Report.Sites[0].At))
	}
	return errors.New(text)
}

// faultText says what a fault of host code is, and by which rule.
func (m *machine) faultText(f *simt.Fault) (text, rule string) {
	at := ""
	if f.At.File != "" {
		at = f.At.String() + ": "
	}
	if f.Report.Kind == "" {
		return at + f.Report.Message, findings.HostFault
	}
	verb := "reads"
	if f.Write {
		verb = "writes"
	}
	if name := m.cuda.nameOf(f.Address); name != "" {
		return fmt.Sprintf("%shost code %s memory of the device: address %#x is %s; cudaMemcpy copies it", at, verb, f.Address, name), findings.HostAccess
	}
	return fmt.Sprintf("%shost code %s %d bytes out of bounds: %s", at, verb, f.Size, f.Where), findings.HostFault
}

// call is called for each call of the machine.
func (m *machine) call(c *call) {
	f := functions()[c.Name]
	if f == nil {
		c.Stop("%s is not a function of the machine", c.Name)
		return
	}
	if err := m.ctx.Err(); err != nil {
		m.exit(c, 128)
		return
	}
	v := f(m, c)
	if !c.Stopped() {
		c.Return(v)
	}
}

// exit ends the program.
func (m *machine) exit(c *call, status int) {
	m.exited, m.status = true, status
	c.Stop("the program has ended")
}

// errorf writes a message about the program.
func (m *machine) errorf(format string, args ...any) {
	m.out.Flush()
	fmt.Fprintf(m.run.Stderr, format, args...)
}

// text returns the string at an address; false after it has stopped the program.
func text(c *call, addr uint64) (string, bool) {
	b := c.Tail(addr)
	for i, x := range b {
		if x == 0 {
			return string(b[:i]), true
		}
	}
	if b != nil {
		c.Stop("a string has no terminating zero")
	}
	return "", false
}

// put stores a string with its zero.
func put(c *call, to uint64, s string) bool {
	b := c.Bytes(to, uint64(len(s))+1, true)
	if b == nil {
		return false
	}
	copy(b, s)
	b[len(s)] = 0
	return true
}

// constant returns the address of a string that the machine keeps.
func (m *machine) constant(c *call, s string) uint64 {
	if p, ok := m.texts[s]; ok {
		return p
	}
	p := c.Alloc("a string of the library", uint64(len(s))+1)
	put(c, p, s)
	m.texts[s] = p
	return p
}

func put32(c *call, to uint64, v uint32) {
	if b := c.Bytes(to, 4, true); b != nil {
		binary.LittleEndian.PutUint32(b, v)
	}
}

func put64(c *call, to, v uint64) {
	if b := c.Bytes(to, 8, true); b != nil {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// minus is -1 as an int or long.
const minus = math.MaxUint64
