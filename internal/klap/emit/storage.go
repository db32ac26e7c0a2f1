package emit

import (
	"strings"

	"irgl/internal/tree"
	"irgl/syntax"
)

// Arguments that are objects.
//
//	struct __klap_args_child {          struct __klap_args_child {
//		unsigned int pred;          	unsigned int pred;
//		struct space a0;            	union {
//	};                                  		space a0;
//	                                    	};
//	                                    	__device__ __klap_args_child() {}
//	                                    };
//
// The lowered program has storage, and C++ objects. A class may have no default constructor, or one of the host alone, and
// the arguments of a launch are not there before it. A member of a union is not initialised: they are copied when they are.

// typeText returns the text of a type that the transformation has made.
func (e *emitter) typeText(d *syntax.TypeDecl) string {
	d = tree.Clone(d)
	t, ok := d.Type.(*syntax.TagType)
	objects := false
	if ok && t.Defined && t.Tag != nil {
		for i, f := range t.Fields {
			if e.names.constructed(f.Type) {
				objects = true
				t.Fields[i] = &syntax.VarDecl{Span: f.Span, Type: &syntax.TagType{Span: f.Span, Kind: syntax.UnionTag, Defined: true, Fields: []*syntax.VarDecl{f}}}
			}
		}
	}
	text := syntax.String(e.names.resolved(d))
	if end := strings.LastIndex(text, "}"); objects && end >= 0 {
		text = text[:end] + "\t__device__ " + e.names.part(t.Tag.Name) + "() {}\n" + text[end:]
	}
	return text
}

// constructed reports whether objects of a type are made by a constructor that does something or is not there.
func (n *names) constructed(x syntax.TypeExpr) bool {
	t, ok := x.(*syntax.TagType)
	if !ok || t.Tag == nil {
		return false
	}
	list := n.tags[t.Tag.Name]
	return len(list) == 1 && !list[0].TrivialDefault
}
