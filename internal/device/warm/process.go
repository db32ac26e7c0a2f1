package warm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"irgl/internal/device"
)

// Processes speak JSON: a reply when one is ready, and then for each request, in
// order, one reply.
type request struct {
	Name string `json:"name"`
	PTX  string `json:"ptx"`
}

type reply struct {
	Refused string `json:"refused,omitempty"` // the compiler's log
	Failed  string `json:"failed,omitempty"`  // why there will be no further reply
}

// Serve compiles the texts that come from in by loading them into a device that open
// opens, and writes how it went to out. It returns at the end of in.
func Serve(in io.Reader, out io.Writer, open func() (device.Device, error)) error {
	replies := json.NewEncoder(out)
	dev, err := open()
	if err != nil {
		return errors.Join(err, replies.Encode(reply{Failed: err.Error()}))
	}
	err = replies.Encode(reply{})
	requests := json.NewDecoder(in)
	for err == nil {
		var r request
		if err = requests.Decode(&r); err != nil {
			break
		}
		var answer reply
		m, refused := dev.Load(r.Name, r.PTX)
		if refused != nil {
			answer.Refused = refused.Error()
		} else if err = m.Close(); err != nil {
			answer.Failed = err.Error()
		}
		err = errors.Join(err, replies.Encode(answer))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, dev.Close())
}

// A process is a [Compiler] in another process.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	requests *json.Encoder
	replies  *json.Decoder
	said     strings.Builder
	end      func() error
}

// Start runs a command that is [Serve] at its standard input and output, and waits
// until it is ready.
func Start(command ...string) (Compiler, error) {
	cmd := exec.Command(command[0], command[1:]...)
	p := &process{cmd: cmd}
	cmd.Stderr = &p.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.requests, p.replies = in, json.NewEncoder(in), json.NewDecoder(out)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.end = sync.OnceValue(func() error {
		_ = p.in.Close()         // a process that is idle ends by that
		_ = p.cmd.Process.Kill() // and one that is not, by this
		return p.cmd.Wait()
	})
	if err := p.reply(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// reply reads one.
func (p *process) reply() error {
	var r reply
	if err := p.replies.Decode(&r); err != nil {
		_ = p.end() // then all that it said is there
		return fmt.Errorf("%s ended: %w%s", p.cmd.Path, err, strings.TrimRight("; "+strings.Join(strings.Fields(p.said.String()), " "), "; "))
	}
	switch {
	case r.Failed != "":
		return errors.New(r.Failed)
	case r.Refused != "":
		return &RefusedError{r.Refused}
	}
	return nil
}

// Compile implements [Compiler].
func (p *process) Compile(t Text) error {
	if err := p.requests.Encode(request(t)); err != nil {
		return err
	}
	return p.reply()
}

// Close ends the process at once; how it ended says nothing then.
func (p *process) Close() error {
	_ = p.end()
	return nil
}
