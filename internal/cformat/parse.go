package cformat

import "strings"

// A Conversion is one of printf's, as it is written.
type Conversion struct {
	Position                      int // of the argument, from 1 (%2$d); 0 for the next one
	Minus, Plus, Space, Alt, Zero bool
	Width                         int
	Prec                          int    // -1 for none
	Length                        string // hh, h, l, ll, L, q, j, z, t
	Verb                          byte   // 0 for what is no conversion
}

// MaxField bounds widths and precisions, so that a format cannot ask for gigabytes.
const MaxField = 1 << 20

// Verbs are the letters that end a conversion.
const Verbs = "diouxXcspnfFeEgGaA%"

// Parse reads what is behind a % and returns its length. It asks star for the value of a *,
// with the position of its argument, 0 for the next one.
func Parse(f string, star func(position int) int32) (c Conversion, n int) {
	p := parser{text: f, star: star}
	c.Prec = -1
	c.Position = p.position()
	p.flags(&c)
	if c.Width = p.number(); c.Width < 0 {
		c.Minus, c.Width = true, -c.Width
	}
	if p.is('.') {
		p.at++
		c.Prec = max(p.number(), -1)
	}
	c.Width, c.Prec = min(c.Width, MaxField), min(c.Prec, MaxField)
	begin := p.at
	for p.at < len(f) && strings.IndexByte("hlLqjzt", f[p.at]) >= 0 {
		p.at++
	}
	c.Length = f[begin:p.at]
	if p.at < len(f) && strings.IndexByte(Verbs, f[p.at]) >= 0 {
		c.Verb = f[p.at]
		p.at++
	}
	return c, p.at
}

type parser struct {
	text string
	at   int
	star func(position int) int32
}

func (p *parser) is(c byte) bool { return p.at < len(p.text) && p.text[p.at] == c }

// position reads the number of an argument and its $; 0 if there is none.
func (p *parser) position() int {
	begin := p.at
	n := p.digits()
	if n > 0 && p.is('$') {
		p.at++
		return n
	}
	p.at = begin
	return 0
}

func (p *parser) digits() int {
	n := 0
	for ; p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; p.at++ {
		n = min(n*10+int(p.text[p.at]-'0'), MaxField)
	}
	return n
}

// number reads a width or a precision.
func (p *parser) number() int {
	if !p.is('*') {
		return p.digits()
	}
	p.at++
	return int(p.star(p.position()))
}

func (p *parser) flags(c *Conversion) {
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '-':
			c.Minus = true
		case '+':
			c.Plus = true
		case ' ':
			c.Space = true
		case '#':
			c.Alt = true
		case '0':
			c.Zero = true
		case '\'': // groups of digits, which the locale C does not have
		default:
			return
		}
	}
}

// Wide reports whether the argument has 8 bytes, and not the 4 of an int.
func (c *Conversion) Wide() bool {
	switch c.Verb {
	case 'd', 'i', 'o', 'u', 'x', 'X':
		return c.Length != "" && c.Length[0] != 'h'
	case 'c':
		return false
	}
	return true
}
