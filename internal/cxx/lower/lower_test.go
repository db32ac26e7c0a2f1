package lower

import (
	"strings"
	"testing"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// acc adds the class of the package's comment, and returns it with its operator.
func acc(b *builder) (*types.Class, *hir.Func) {
	c := b.class("acc", true, nil, "v", b.float())
	this, x := b.this(c), v("x", b.float())
	self := deref1(use(this))
	op := b.fn("_ZN3accpLEf", b.Ref(b.Class(c), false), []*hir.Var{x},
		do(assign(fieldOf(self, c, 0), hir.Add, use(x))), ret(deref1(use(this))))
	return c, b.method(c, op, this)
}

func TestReferences(t *testing.T) {
	b := newBuilder()
	c, add := acc(b)
	p := v("p", b.Pointer(b.Class(c)))
	r := v("r", b.Ref(b.Class(c), false))
	r.Init = call(add, b.addrOf(deref1(use(p))), b.real(1))
	b.fn("_Z1kP3acc", types.Type{}, []*hir.Var{p},
		decl(r), do(call(add, b.addrOf(ref(r)), load(fieldOf(ref(r), c, 0)))))
	same(t, lowered(t, b), `
struct acc {
	float v;
};

static __device__ struct acc *_ZN3accpLEf(struct acc *self, float x) {
	self->v += x;
	return self;
}

extern "C" __global__ void _Z1kP3acc(struct acc *p) {
	struct acc *r = _ZN3accpLEf(p, 1.0f);
	_ZN3accpLEf(r, r->v);
}`)
}

// guard adds a class with a constructor and a destructor.
func guard(b *builder) (c *types.Class, make, destroy *hir.Func) {
	c = b.class("guard", false, nil, "p", b.Pointer(b.int()))
	p, this := v("p", b.Pointer(b.int())), b.this(c)
	make = b.method(c, b.fn("_ZN5guardC1EPi", b.void(), []*hir.Var{p},
		&hir.Init{X: fieldOf(deref1(use(this)), c, 0), Y: use(p)}), this)
	this = b.this(c)
	one := &hir.IncDec{Info: info(b.int(), hir.LValue), X: deref1(load(fieldOf(deref1(use(this)), c, 0)))}
	destroy = b.method(c, b.fn("_ZN5guardD1Ev", b.void(), nil, do(one)), this)
	return c, make, destroy
}

// body returns what is between the braces of the last function.
func body(text string) string {
	text = text[strings.LastIndex(text, "__global__"):]
	return text[strings.Index(text, "\n"):strings.LastIndex(text, "}")]
}

func TestDestructors(t *testing.T) {
	b := newBuilder()
	c, make, destroy := guard(b)
	p, i := v("p", b.Pointer(b.int())), v("i", b.int())
	g, h := v("g", b.Class(c)), v("h", b.Class(c))
	g.Init, g.Destroy = b.construct(c, make, use(p)), destroy
	h.Init, h.Destroy = b.construct(c, make, use(p)), destroy
	i.Init = b.num(0)
	b.fn("_Z1kPi", types.Type{}, []*hir.Var{p},
		decl(i), decl(g),
		&hir.Loop{Cond: bin(b.bool(), use(i), hir.Lt, b.num(9)), Body: block(
			decl(h),
			&hir.If{Cond: bin(b.bool(), use(i), hir.Eq, b.num(1)), Then: &hir.Break{}},
			&hir.If{Cond: bin(b.bool(), use(i), hir.Eq, b.num(2)), Then: &hir.Continue{}},
			&hir.If{Cond: bin(b.bool(), use(i), hir.Eq, b.num(3)), Then: ret(nil)},
			set(ref(i), b.num(4)))})
	same(t, body(lowered(t, b)), `
int i = 0;
	struct guard g;
	_ZN5guardC1EPi(&g, p);
	while (i < 9) {
		struct guard h;
		_ZN5guardC1EPi(&h, p);
		if (i == 1) {
			_ZN5guardD1Ev(&h);
			break;
		}
		if (i == 2) {
			_ZN5guardD1Ev(&h);
			continue;
		}
		if (i == 3) {
			_ZN5guardD1Ev(&h);
			_ZN5guardD1Ev(&g);
			return;
		}
		i = 4;
		_ZN5guardD1Ev(&h);
	}
	_ZN5guardD1Ev(&g);
`)
}

func TestTemporaries(t *testing.T) {
	b := newBuilder()
	c, make, destroy := guard(b)
	this := b.this(c)
	get := b.method(c, b.fn("_ZN5guard3getEv", b.int(), nil, ret(load(deref1(load(fieldOf(deref1(use(this)), c, 0)))))), this)
	p, n := v("p", b.Pointer(b.int())), v("n", b.int())
	temp := func() hir.Expr {
		return call(get, b.addrOf(materialize(b.construct(c, make, use(p)), destroy)))
	}
	n.Init = bin(b.int(), temp(), hir.Add, &hir.Cond{Info: info(b.int(), hir.PRValue),
		C: bin(b.bool(), load(deref1(use(p))), hir.Gt, b.num(0)), X: temp(), Y: b.num(0)})
	b.fn("_Z1kPi", types.Type{}, []*hir.Var{p}, decl(n),
		&hir.Loop{Cond: bin(b.bool(), temp(), hir.Lt, b.num(5)), Body: block()})
	same(t, body(lowered(t, b)), `
struct guard irgl_t1;
	struct guard irgl_t2;
	bool irgl_t2_made;
	irgl_t2_made = false;
	int n = _ZN5guard3getEv((_ZN5guardC1EPi(&irgl_t1, p), &irgl_t1)) + (*p > 0 ? _ZN5guard3getEv((_ZN5guardC1EPi(&irgl_t2, p), irgl_t2_made = true, &irgl_t2)) : 0);
	if (irgl_t2_made) {
		_ZN5guardD1Ev(&irgl_t2);
	}
	_ZN5guardD1Ev(&irgl_t1);
	struct guard irgl_t3;
	bool irgl_t4;
	while (irgl_t4 = _ZN5guard3getEv((_ZN5guardC1EPi(&irgl_t3, p), &irgl_t3)) < 5, _ZN5guardD1Ev(&irgl_t3), irgl_t4) {}
`)
}

// TestLayout checks that C gives classes the offsets that they have.
func TestLayout(t *testing.T) {
	b := newBuilder()
	tail := b.class("tail", true, nil, "d", b.Basic(types.Double), "c", b.Basic(types.Char))
	empty := b.class("empty", true, nil)
	derived := b.class("derived", true, []*types.Class{tail, empty}, "e", b.Basic(types.Char), "r", b.Ref(b.int(), false))
	derived.Bases[1].Offset = 0
	bits := b.class("bits", true, nil, "low", b.int(), "high", b.Basic(types.UInt), "after", b.int())
	for i, w := range []int{3, 9} {
		bits.Fields[i].Offset, bits.Fields[i].Width, bits.Fields[i].Bit = 0, w, 3*i
	}
	bits.Fields[2].Offset, bits.Size, bits.DataSize = 4, 8, 8
	d, s, n := v("d", b.Pointer(b.Class(derived))), v("s", b.Pointer(b.Class(bits))), v("n", b.int())
	base := &hir.Convert{Info: info(b.Class(tail), hir.LValue), Kind: hir.ToBase, X: deref1(use(d)), Path: hir.NewPath([]*types.Class{tail})}
	b.fn("_Z1kP7derivedP4bits", types.Type{}, []*hir.Var{d, s},
		decl(n),
		set(fieldOf(base, tail, 1), &hir.Convert{Info: info(b.Basic(types.Char), hir.PRValue), Kind: hir.Integral, X: load(fieldOf(deref1(use(d)), derived, 1))}),
		set(ref(n), load(fieldOf(deref1(use(s)), bits, 0))),
		set(fieldOf(deref1(use(s)), bits, 1), b.num(5)))
	same(t, lowered(t, b), `
struct tail {
	double d;
	char c;
};

struct empty {
	char irgl_pad1[1];
};

struct derived {
	double d;
	char c;
	char e;
	int *r;
};

struct bits {
	unsigned short irgl_bits1;
	int after;
};

extern "C" __global__ void _Z1kP7derivedP4bits(struct derived *d, struct bits *s) {
	int n;
	((struct tail *)d)->c = *d->r;
	n = (int)((int)((unsigned int)s->irgl_bits1 << 29) >> 29);
	s->irgl_bits1 = s->irgl_bits1 & ~(0x1ffu << 3) | ((unsigned int)5 & 0x1ffu) << 3;
}`)
}

// TestNames checks that variables keep their names where C understands them so.
func TestNames(t *testing.T) {
	b := newBuilder()
	outer, inner, least := v("n", b.int()), v("n", b.int()), v("min", b.int())
	inner.Init, least.Init = use(outer), use(outer)
	b.fn("_Z1ki", types.Type{}, []*hir.Var{outer},
		block(decl(inner, least), set(ref(outer), bin(b.int(), use(inner), hir.Add, use(least)))))
	same(t, body(lowered(t, b)), `
	{
		int n_2 = n;
		int min_ = n;
		n = n_2 + min_;
	}`)
}

// TestRecursion checks that a recursive function has a prototype with the same names.
func TestRecursion(t *testing.T) {
	b := newBuilder()
	n := v("n", b.int())
	f := b.fn("_Z1fi", b.int(), []*hir.Var{n})
	f.Body = block(ret(&hir.Cond{Info: info(b.int(), hir.PRValue), C: bin(b.bool(), use(n), hir.Lt, b.num(2)), X: b.num(1), Y: call(f, nil, bin(b.int(), use(n), hir.Sub, b.num(1)))}))
	same(t, lowered(t, b), `
static __device__ int _Z1fi(int n);

static __device__ int _Z1fi(int n) {
	return n < 2 ? 1 : _Z1fi(n - 1);
}`)
}
