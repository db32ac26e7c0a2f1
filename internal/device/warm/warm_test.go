package warm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// TestMain is the process at the other end, on the emulator, when the tests start one.
func TestMain(m *testing.M) {
	switch os.Getenv("IRGL_WARM_TEST") {
	case "serve":
		err := Serve(os.Stdin, os.Stdout, func() (device.Device, error) { return simt.Open(simt.Options{}), nil })
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "closed":
		_ = Serve(os.Stdin, os.Stdout, func() (device.Device, error) { return nil, errors.New("no device here") })
		os.Exit(1)
	case "mute":
		fmt.Fprintln(os.Stderr, "out of order")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const good = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"

func started(t *testing.T, kind string) (Compiler, error) {
	t.Helper()
	t.Setenv("IRGL_WARM_TEST", kind)
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	return Start(self)
}

// TestProcess checks what crosses the border between processes: that it is ready, a
// text, a refusal after which it goes on, and why there is none.
func TestProcess(t *testing.T) {
	c, err := started(t, "serve")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Compile(Text{"good", good}); err != nil {
		t.Error(err)
	}
	var refused *RefusedError
	if err := c.Compile(Text{"bad", "nonsense"}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "bad") {
		t.Errorf("nonsense: %v", err)
	}
	if err := c.Compile(Text{"good", good}); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Compile(Text{"good", good}); err == nil {
		t.Error("a process that was ended compiles")
	}
	for kind, want := range map[string]string{"closed": "no device here", "mute": "out of order"} {
		if _, err := started(t, kind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
	if _, err := Start(t.TempDir() + "/none"); err == nil {
		t.Error("a command that is not there was started")
	}
}

// A site is where fake compilers work.
type site struct {
	mu              sync.Mutex
	begun           []string
	at, most, alive int
	do              func(t Text) error
}

type fake struct {
	s      *site
	closed bool
}

func (s *site) start() (Compiler, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive++
	return &fake{s: s}, nil
}

func (c *fake) Compile(t Text) error {
	s := c.s
	s.mu.Lock()
	s.begun = append(s.begun, t.Name)
	s.at++
	s.most = max(s.most, s.at)
	s.mu.Unlock()
	err := s.do(t)
	s.mu.Lock()
	s.at--
	s.mu.Unlock()
	return err
}

func (c *fake) Close() error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if !c.closed {
		c.s.alive--
	}
	c.closed = true
	return nil
}

func texts(n int) []Text {
	var list []Text
	for i := range n {
		list = append(list, Text{fmt.Sprint(i), fmt.Sprint("text ", i)})
	}
	return list
}

// TestPool checks that texts are compiled once each, in their order, by as many as
// there may be, and that nothing goes on when Compile has returned.
func TestPool(t *testing.T) {
	ctx := context.Background()
	s := &site{do: func(t Text) error {
		time.Sleep(time.Millisecond)
		if t.Name == "5" {
			return &RefusedError{"line 1"}
		}
		return nil
	}}
	p := NewPool(1, s.start)
	if err := p.Compile(ctx, texts(8)); err != nil || s.at != 0 {
		t.Fatal(err)
	}
	if want := strings.Fields("0 1 2 3 4 5 6 7"); !slices.Equal(s.begun, want) {
		t.Errorf("by one: %v", s.begun)
	}
	if n, refused := p.Count(); n != 8 || refused != 1 {
		t.Errorf("%d texts, %d refused", n, refused)
	}
	if err := p.Compile(ctx, texts(9)); err != nil || len(s.begun) != 9 {
		t.Errorf("once more, and one: %v, %v", s.begun, err)
	}
	if mean := p.Mean(); mean < time.Millisecond || mean > time.Minute || NewPool(1, s.start).Mean() != 0 {
		t.Errorf("a text took %v", mean)
	}
	s.begun = nil
	many := NewPool(4, s.start)
	if err := many.Compile(ctx, texts(40)); err != nil || len(s.begun) != 40 || s.most > 4 || s.most < 2 || s.at != 0 || s.alive > 5 {
		t.Errorf("by four: %+v, %v", s, err)
	}
	if err := errors.Join(p.Close(), many.Close()); err != nil || s.alive != 0 {
		t.Errorf("%d are left: %v", s.alive, err)
	}
	if err := many.Compile(ctx, texts(41)); err == nil {
		t.Error("a closed pool compiles")
	}
}

// TestPoolEnds checks that compilers that end are replaced a few times, that one that
// cannot be started is an error at once, and that the end of a context ends all.
func TestPoolEnds(t *testing.T) {
	ctx := context.Background()
	s := &site{do: func(t Text) error {
		if t.Name == "1" || t.Name == "3" {
			return errors.New("broken pipe")
		}
		return nil
	}}
	p := NewPool(1, s.start)
	if err := p.Compile(ctx, texts(6)); err != nil || len(s.begun) != 6 || s.alive != 1 {
		t.Errorf("after two ends: %+v, %v", s, err)
	}
	s.do = func(Text) error { return errors.New("broken pipe") }
	if err := p.Compile(ctx, texts(9)); err == nil || len(s.begun) != 7 || s.alive != 0 || !strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("after three ends: %+v, %v", s, err)
	}
	p = NewPool(2, func() (Compiler, error) { return nil, errors.New("no device") })
	if err := p.Compile(ctx, texts(3)); err == nil || !strings.Contains(err.Error(), "no device") {
		t.Error(err)
	}
	s = &site{do: func(Text) error { return nil }}
	p = NewPool(2, s.start)
	if err := errors.Join(p.Compile(ctx, texts(3)), p.Close()); err != nil {
		t.Error(err)
	}
	if err := p.GiveUp(errors.New("no use")); err == nil || s.alive != 0 || p.Compile(ctx, texts(4)) == nil {
		t.Errorf("a pool that gave up: %v, %d", err, s.alive)
	}
	ended, cancel := context.WithCancel(ctx)
	s = &site{do: func(Text) error { cancel(); return nil }}
	p = NewPool(1, s.start)
	if err := p.Compile(ended, texts(3)); !errors.Is(err, context.Canceled) || len(s.begun) != 1 || s.alive != 0 {
		t.Errorf("after an interrupt: %+v, %v", s, err)
	}
}
