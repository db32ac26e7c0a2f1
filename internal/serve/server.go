package serve

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"irgl/internal/device/simt"
	"irgl/internal/findings"
)

// Major and Minor are the protocol's version.
const (
	Major = 1
	Minor = 3
)

// window is how many requests without a reply a client can have.
const window = 1024

// patience is how long the end of the client waits for what runs.
const patience = 5 * time.Second

// Options say what a server has.
type Options struct {
	Version string // of irgl, which hello names
	// Arena is the descriptor of the arena; there is none without HasArena.
	Arena    uintptr
	HasArena bool
	// Counters is a file that gets what emulated devices have counted, as JSON ([Counted]), when the client ends; "" for none.
	Counters string
	// Report names where reports of what emulated devices find go, and in which forms ([findings.ParseTargets]); "" for nowhere.
	Report string
	// Log is where the server says which kernels were under way when the client ended; nil for nowhere.
	Log io.Writer
}

// A request is one that was read.
type request struct {
	header
	raw      []byte
	cancel   context.CancelFunc // while it waits
	progress *progress          // likewise
	making   *making            // the object that it makes, if it does
	dead     bool               // cancelled before it was begun
}

// A queue is a client's order of requests.
type queue struct {
	busy    *request   // that waits
	backlog []*request // behind it
}

// A server serves one client. All but replies and waits is of one goroutine.
type server struct {
	o        Options
	modes    modes
	ops      map[string]operation
	arena    *arena
	handles  handles
	engines  *engines
	systems  map[uint64]*system
	greeted  bool
	last     uint64 // id
	queues   map[uint64]*queue
	pending  int // requests that wait or are held back
	finished chan *request
	waits    sync.WaitGroup
	ctx      context.Context
	counted  Counted            // by devices that are closed
	log      *findings.Recorder // from the first emulated device on
	reported bool               // by finish

	mu  sync.Mutex // of out and failed
	out *bufio.Writer
	// failed is an error that ends the server.
	failed error
	stop   context.CancelFunc
}

// Serve serves the client at the other ends of in and out, until in ends or ctx does.
// It returns nil when the client has closed its pipe, and the error otherwise.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	m, err := newModes()
	if err != nil {
		return err
	}
	until := ctx
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // what runs goes on until it is said what that is
	defer stop()
	s := &server{o: o, modes: m, ops: operations(), handles: handles{}, engines: newEngines(), systems: map[uint64]*system{}, queues: map[uint64]*queue{},
		finished: make(chan *request), out: bufio.NewWriterSize(out, 64<<10), ctx: ctx, stop: stop}
	inputs := make(chan input, 16) // few: each can be as long as a message
	go s.read(in, inputs)
	err = s.loop(until, inputs)
	s.sayUnderWay()
	stop()
	return errors.Join(err, s.end())
}

// An input is a message, or why there are no more.
type input struct {
	message []byte
	err     error
}

// read hands on messages until the input ends.
func (s *server) read(in io.Reader, inputs chan<- input) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		b, err := readMessage(r)
		select {
		case inputs <- input{b, err}:
		case <-s.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// loop begins requests until the client or the server ends, or a context does.
func (s *server) loop(until context.Context, inputs <-chan input) error {
	for {
		if s.ctx.Err() != nil { // before a message that has come in the meantime
			s.mu.Lock()
			defer s.mu.Unlock()
			return cmp.Or(s.failed, context.Cause(s.ctx))
		}
		from := inputs
		if s.pending >= window {
			from = nil // the client waits
		}
		select {
		case i := <-from:
			if i.err != nil {
				return s.inputError(i.err)
			}
			s.receive(i.message)
		case r := <-s.finished:
			s.finish(r)
		case <-s.ctx.Done():
		case <-until.Done():
			return context.Cause(until)
		}
	}
}

// inputError says how the input ended: the client has closed it, or sent what is no message.
func (s *server) inputError(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	if length, ok := errors.AsType[errLength](err); ok {
		s.fatal(0, protocolf("%v", length))
		return length
	}
	return fmt.Errorf("read the client's requests: %w", err)
}

// end stops what runs and closes the devices.
func (s *server) end() error {
	done := make(chan error, 1)
	go func() {
		for _, o := range s.handles {
			if g, ok := o.(*gpu); ok {
				g.abandon()
			}
		}
		s.waits.Wait()
		s.engines.closeAll()
		for _, h := range slices.Sorted(maps.Keys(s.handles)) {
			if g, ok := s.handles[h].(*gpu); ok {
				s.count(g)
				_ = g.dev.Close() // the client has heard of what failed, or does not listen
			}
		}
		done <- errors.Join(s.writeCounters(), s.endLog(), s.arena.close())
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errors.New("a device does not stop; the server ends without closing it")
	}
}

// logf writes a line for people.
func (s *server) logf(format string, args ...any) {
	if s.o.Log != nil {
		fmt.Fprintf(s.o.Log, "irgl: "+format+"\n", args...)
	}
}

// sayUnderWay says which kernels of emulated devices have not ended, since the client may have
// been interrupted as one of them takes too long.
func (s *server) sayUnderWay() {
	for _, h := range slices.Sorted(maps.Keys(s.handles)) {
		g, ok := s.handles[h].(*gpu)
		if !ok || s.o.Log == nil {
			continue
		}
		if d, ok := g.dev.(*simt.Device); ok {
			for _, what := range d.UnderWay() {
				s.logf("the program ended in %s", what)
			}
		}
	}
}

// receive begins a request, or holds it back behind one of its queue that waits.
func (s *server) receive(b []byte) {
	r := &request{raw: b}
	if err := s.modes.head.Unmarshal(b, &r.header); err != nil {
		s.fatal(0, protocolf("a message is not a request: %v", err))
		return
	}
	switch {
	case r.ID <= s.last:
		s.fatal(r.ID, protocolf("request %d comes after request %d: numbers increase", r.ID, s.last))
		return
	case !s.greeted && r.Do != "hello":
		s.fatal(r.ID, protocolf("the first request is %q: it must be hello", r.Do))
		return
	}
	s.last = r.ID
	if r.Do == "cancel" || r.Do == "progress" {
		s.execute(r)
		return
	}
	q := s.queues[r.Queue]
	if q != nil && q.busy != nil {
		q.backlog = append(q.backlog, r)
		s.pending++
		return
	}
	s.execute(r)
}

// A wait is what a request still has to do when others may begin.
type wait func(ctx context.Context) (any, error)

// execute begins a request.
func (s *server) execute(r *request) {
	if r.dead {
		s.reply(r, nil, nil, &failure{Kind: kindCancelled, Message: r.Do + ": cancelled before it was begun"})
		return
	}
	op, ok := s.ops[r.Do]
	if !ok {
		s.reply(r, nil, nil, argumentf("there is no operation %q", r.Do))
		return
	}
	g, result, err := s.call(r, func() (*gpu, any, error) { return op(s, r.raw) })
	w, waits := result.(wait)
	if m, makes := result.(*making); makes {
		w, waits, r.making = m.do, true, m
	}
	if err != nil || !waits {
		s.reply(r, g, result, err)
		return
	}
	q := s.queues[r.Queue]
	if q == nil {
		q = &queue{}
		s.queues[r.Queue] = q
	}
	ctx, cancel := context.WithCancel(s.ctx)
	r.progress = &progress{}
	ctx = context.WithValue(ctx, progressKey{}, r.progress)
	q.busy, r.cancel = r, cancel
	s.pending++
	s.waits.Go(func() {
		_, result, err := s.call(r, func() (*gpu, any, error) {
			result, err := w(ctx)
			if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				err = &failure{Kind: kindCancelled, Message: r.Do + ": cancelled"}
			}
			return g, result, err
		})
		s.reply(r, g, result, err)
		select {
		case s.finished <- r:
		case <-s.ctx.Done():
		}
	})
}

// call makes a panic of f an error that ends the server.
func (s *server) call(r *request, f func() (*gpu, any, error)) (g *gpu, result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			if e, ok := v.(*simt.InternalError); ok {
				stack = e.Stack
			}
			err = &failure{Kind: kindInternal, Message: fmt.Sprintf("%s: %v\n%s", r.Do, v, stack)}
		}
	}()
	return f()
}

// finish goes on with the requests behind one that has waited.
func (s *server) finish(r *request) {
	r.cancel()
	s.pending--
	if m := r.making; m != nil && m.of.failed() && s.handles[m.as] == any(m.of) {
		delete(s.handles, m.as)
	}
	q := s.queues[r.Queue]
	q.busy = nil
	for q.busy == nil && len(q.backlog) > 0 && s.ctx.Err() == nil {
		next := q.backlog[0]
		q.backlog = q.backlog[1:]
		s.pending--
		s.execute(next)
	}
	if q.busy == nil {
		delete(s.queues, r.Queue)
	}
}

// A reply is what all replies have; results are maps of their own, joined with it.
type reply struct {
	ID    uint64   `cbor:"id"`
	Error *failure `cbor:"error,omitempty"`
	News  bool     `cbor:"news,omitempty"`
}

// replied is implemented by results: structs that begin with a reply.
type replied interface{ head() *reply }

func (r *reply) head() *reply { return r }

// reply answers a request; a quiet one only if it failed.
func (s *server) reply(r *request, g *gpu, result any, err error) {
	out, ok := result.(replied)
	if !ok || err != nil {
		out = &reply{}
	}
	h := out.head()
	h.ID = r.ID
	var f *failure
	if err != nil {
		s.faulted(g, err)
		f = failureOf(err)
		h.Error = f
	} else if r.Quiet {
		return
	}
	h.News = g != nil && g.news()
	if length, ok := errors.AsType[errLength](s.send(out)); ok {
		_ = s.send(&reply{ID: r.ID, News: h.News, Error: tooLong(r.Do, length)})
	}
	if f != nil && (f.Kind == kindProtocol || f.Kind == kindInternal) {
		s.fail(f)
	}
}

// fatal answers with an error that ends the server.
func (s *server) fatal(id uint64, f *failure) {
	_ = s.send(&reply{ID: id, Error: f.bounded()})
	s.fail(f)
}

func (s *server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	s.stop()
}

// send writes a reply. The error is that it is too long, and then nothing was written; any other ends the server.
func (s *server) send(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.modes.writeMessage(s.out, v)
	if _, ok := errors.AsType[errLength](err); ok {
		return err
	}
	if err == nil {
		err = s.out.Flush()
	}
	if err != nil {
		if s.failed == nil {
			s.failed = fmt.Errorf("write a reply: %w", err)
		}
		s.stop()
	}
	return nil
}
