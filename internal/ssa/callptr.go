package ssa

import (
	"fmt"
	"strconv"
	"strings"
)

// A Signature has the parameters of the function that an OpCallPtr calls, as text:
// "i32, ptr, ptr.param 24 8" with size and alignment of an aggregate. Its result is that of the call.
type Signature string

func (Signature) sym() {}

func (s Signature) String() string { return string(s) }

// SignatureOf returns the signature of a function with these parameters.
func SignatureOf(params []*Param) Signature {
	var list []string
	for _, p := range params {
		t := p.Type.String()
		if p.Type == PtrParam {
			t = fmt.Sprintf("%s %d %d", t, p.Size, p.Align)
		}
		list = append(list, t)
	}
	return Signature(strings.Join(list, ", "))
}

// Params returns the parameters; ok is false for a text that is no signature.
func (s Signature) Params() (params []*Param, ok bool) {
	if s == "" {
		return nil, true
	}
	for text := range strings.SplitSeq(string(s), ", ") {
		words := strings.Split(text, " ")
		t, known := typeByName()[words[0]]
		if !known || t == Void || (t == PtrParam) != (len(words) == 3) || t != PtrParam && len(words) != 1 {
			return nil, false
		}
		p := NewParam("", t)
		if t == PtrParam {
			var err1, err2 error
			p.Size, err1 = strconv.ParseInt(words[1], 10, 64)
			p.Align, err2 = strconv.ParseInt(words[2], 10, 64)
			if err1 != nil || err2 != nil || p.Size < 0 || !isPowerOfTwo(p.Align) {
				return nil, false
			}
		}
		params = append(params, p)
	}
	return params, true
}

// callPtrType checks the arguments behind the address against the signature. An
// aggregate is passed by address, from any space.
func callPtrType(v *Value) bool {
	s, is := v.Sym.(Signature)
	params, ok := s.Params()
	if !is || !ok {
		return true // the Sym is refused
	}
	if len(v.Args) != len(params)+1 || v.Args[0].Type != Ptr || v.Type == PtrParam {
		return false
	}
	for i, p := range params {
		if a := v.Args[i+1]; a.Type != p.Type && !(p.Type == PtrParam && a.Type.IsPtr()) {
			return false
		}
	}
	return true
}
