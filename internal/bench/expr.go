package bench

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"irgl/internal/device"
)

// An Expr is an expression of integers and sizes: (n+255)/256.
type Expr string

// eval returns the value with the sizes env.
func (e Expr) eval(env map[string]int64) (int64, error) {
	p := &exprParser{text: string(e), env: env}
	v, err := p.sum()
	if err == nil && p.at < len(p.text) {
		err = fmt.Errorf("unexpected %q", p.text[p.at:])
	}
	if err != nil {
		return 0, fmt.Errorf("expression %s: %w", e, err)
	}
	return v, nil
}

type exprParser struct {
	text  string
	at    int
	depth int
	env   map[string]int64
}

func (p *exprParser) next(set string) byte {
	for i := range len(set) {
		if p.at < len(p.text) && p.text[p.at] == set[i] {
			p.at++
			return set[i]
		}
	}
	return 0
}

func (p *exprParser) sum() (int64, error) {
	v, err := p.product()
	for err == nil {
		op := p.next("+-")
		if op == 0 {
			return v, nil
		}
		var w int64
		w, err = p.product()
		if op == '+' {
			v += w
		} else {
			v -= w
		}
	}
	return v, err
}

func (p *exprParser) product() (int64, error) {
	v, err := p.operand()
	for err == nil {
		op := p.next("*/%")
		if op == 0 {
			return v, nil
		}
		var w int64
		w, err = p.operand()
		switch {
		case op == '*':
			v *= w
		case w == 0:
			return 0, fmt.Errorf("division by zero")
		case op == '/':
			v /= w
		default:
			v %= w
		}
	}
	return v, err
}

func (p *exprParser) operand() (int64, error) {
	if p.depth++; p.depth > 100 {
		return 0, fmt.Errorf("too many brackets")
	}
	defer func() { p.depth-- }()
	switch p.next("-(") {
	case '-':
		v, err := p.operand()
		return -v, err
	case '(':
		v, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = fmt.Errorf("a bracket is not closed")
		}
		return v, err
	}
	start := p.at
	for p.at < len(p.text) && isWord(p.text[p.at]) {
		p.at++
	}
	word := p.text[start:p.at]
	if v, ok := p.env[word]; ok {
		return v, nil
	}
	v, err := strconv.ParseInt(word, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a number nor a size", word)
	}
	return v, nil
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// A resolved is a benchmark at one size, all expressions evaluated.
type resolved struct {
	spec     *Spec
	env      map[string]int64
	counts   []int64 // elements, for each buffer
	launches []resolvedLaunch
}

type resolvedLaunch struct {
	kernel      string
	grid, block device.Dim3
	shared      uint32
	args        []resolvedArg
}

// A resolvedArg is the index of a buffer, the bytes of a scalar, or, with
// neither, the start or end of a struct.
type resolvedArg struct {
	buffer int // or -1
	bytes  []byte
}

// maxElements bounds a buffer: 2^31 elements are more than any kernel here
// can index.
const maxElements = 1 << 31

func (s *Spec) resolve(large bool) (*resolved, error) {
	r := &resolved{spec: s, env: map[string]int64{}}
	for _, size := range s.Sizes {
		r.env[size.Name] = size.Small
		if large {
			r.env[size.Name] = size.Large
		}
	}
	for _, b := range s.Buffers {
		n, err := b.Count.eval(r.env)
		if err == nil && (n < 1 || n > maxElements) {
			err = fmt.Errorf("%d elements", n)
		}
		if err != nil {
			return nil, fmt.Errorf("buffer %s: %w", b.Name, err)
		}
		r.counts = append(r.counts, n)
	}
	for _, l := range s.Launches {
		rl, err := r.launch(l)
		if err != nil {
			return nil, fmt.Errorf("launch %s: %w", l.Kernel, err)
		}
		r.launches = append(r.launches, rl)
	}
	return r, nil
}

func (r *resolved) launch(l Launch) (resolvedLaunch, error) {
	out := resolvedLaunch{kernel: l.Kernel}
	for i, dims := range [][3]Expr{l.Grid, l.Block} {
		var v [3]uint32
		for j, e := range dims {
			n, err := e.eval(r.env)
			if err == nil && (n < 1 || n > math.MaxInt32) {
				err = fmt.Errorf("%s is %d", e, n)
			}
			if err != nil {
				return out, err
			}
			v[j] = uint32(n)
		}
		*[]*device.Dim3{&out.grid, &out.block}[i] = device.Dim3{X: v[0], Y: v[1], Z: v[2]}
	}
	if l.Shared != "" {
		n, err := l.Shared.eval(r.env)
		if err == nil && (n < 0 || n > math.MaxInt32) {
			err = fmt.Errorf("%s is %d", l.Shared, n)
		}
		if err != nil {
			return out, err
		}
		out.shared = uint32(n)
	}
	for _, a := range l.Args {
		arg := resolvedArg{buffer: -1}
		if a.Buffer != "" {
			for i := range r.spec.Buffers {
				if r.spec.Buffers[i].Name == a.Buffer {
					arg.buffer = i
				}
			}
		} else if !a.Struct {
			var err error
			if arg.bytes, err = r.scalar(a); err != nil {
				return out, err
			}
		}
		out.args = append(out.args, arg)
	}
	return out, nil
}

// scalar returns the bytes of a scalar argument.
func (r *resolved) scalar(a Arg) ([]byte, error) {
	b := make([]byte, a.Type.Size())
	if a.Type.float() {
		v, err := strconv.ParseFloat(a.Value, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", a.Value)
		}
		putFloat(b, v)
		return b, nil
	}
	v, err := Expr(a.Value).eval(r.env)
	putInt(b, v)
	return b, err
}

// putInt stores v in the 1, 2, 4 or 8 bytes of b.
func putInt(b []byte, v int64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, uint64(v))
	}
}

// putFloat stores v in the 4 or 8 bytes of b.
func putFloat(b []byte, v float64) {
	if len(b) == 4 {
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
		return
	}
	binary.LittleEndian.PutUint64(b, math.Float64bits(v))
}
