package check

import (
	"irgl/syntax"
)

// Operator code may use shared memory as a software-managed cache and for nothing
// else: "communication is not supported" (IrGL paper, section 3.2). A __shared__ array
// in the outermost ForAll of a kernel is such a cache: like any local array it belongs to one
// iteration, which alone writes it, but a block keeps those of its threads in shared memory.
//
//	ForAll (n In graph.nodes) {
//	  __shared__ int best[8];
//	  for (int i = 0; i < 8; i++) { best[i] = n.h[i]; }
//	  ForAll (e In n.edges) { ... best[e.kind] ... }
//	}
//
// Threads that share the iterations of an inner ForAll read the cache of the iteration
// around it. There are no pointers to a cache: its elements are not adjacent.

// CacheLimit is how much shared memory the caches of a block have: a third of what a
// block has, the rest of which is left to queues and closures.
const CacheLimit = 16 << 10

// cacheQualifier refuses a __shared__ variable of operator code that can be no cache.
func (c *checker) cacheQualifier(d *syntax.VarDecls) {
	f := c.fn
	if f != nil && f.decl.Kind == syntax.KernelFunc && f.forAlls == 1 {
		return
	}
	c.errorf(d, codeLowLevel, "operator code can use __shared__ memory as the cache of one iteration only").Hint =
		"declare an array in the outermost ForAll of a Kernel, and in no ForAll inside of that; iterations do not communicate by it"
}

// cache notes a __shared__ array of operator code.
func (c *checker) cache(v *syntax.VarDecl, o *Object) {
	f := c.fn
	if f == nil || f.decl.Kind != syntax.KernelFunc || f.forAlls != 1 || o.Type == Invalid {
		return
	}
	a, ok := o.Type.(*Array)
	if !ok || !IsArithmetic(a.Elem) || a.Len < 1 || o.Volatile || o.ReadOnly {
		c.errorf(v, codeLowLevel, "a __shared__ variable of operator code is an array of numbers, not %s", describe(o.Type)).Hint =
			"as in: __shared__ int cache[8];"
		return
	}
	f.Caches = append(f.Caches, o)
	f.CacheBytes += a.Size()
}

// caches bounds the block sizes of kernels by their caches, and refuses what is done with
// a cache besides reading and writing its elements.
func (c *checker) caches() {
	for _, f := range c.info.Funcs {
		if len(f.Caches) == 0 {
			continue
		}
		most := int(CacheLimit/f.CacheBytes) / 32 * 32
		if most == 0 {
			o := f.Caches[len(f.Caches)-1]
			c.errorf(o.Decl, codeLocalSize, "the __shared__ arrays of %s take %d bytes a thread; a warp has room for %d", f.Object.Name, f.CacheBytes, CacheLimit/32).Hint =
				"leave out __shared__"
			continue
		}
		if f.MaxThreads == 0 || f.MaxThreads > most {
			f.MaxThreads = min(most, 1024)
		}
		c.cacheUses(f)
	}
}

// cacheUses refuses uses of caches that need their address.
func (c *checker) cacheUses(f *FuncInfo) {
	element := map[*syntax.Ident]bool{}
	is := func(e syntax.Expr) *syntax.Ident {
		if id, ok := syntax.Unparen(e).(*syntax.Ident); ok && id != nil {
			if o := c.info.Uses[id]; o != nil && o.Kind == VarObj && !o.Global && o.Attrs.Has(syntax.Shared) {
				return id
			}
		}
		return nil
	}
	refuse := func(id *syntax.Ident) {
		c.errorf(id, codeLowLevel, "the address of %s is taken, which is a __shared__ array", id.Name).Hint =
			"only its iteration may use its elements, by " + id.Name + "[...]: leave out __shared__ for an array that others see"
	}
	syntax.Inspect(f.Decl.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SizeofExpr:
			if id := is(n.X); id != nil {
				element[id] = true
				c.errorf(id, codeLowLevel, "sizeof has no meaning for %s, which is a __shared__ array", id.Name).Hint =
					"write the number of its elements, times sizeof(" + id.Name + "[0])"
			}
		case *syntax.UnaryExpr:
			x, ok := syntax.Unparen(n.X).(*syntax.IndexExpr)
			if ok && n.Op == "&" {
				if id := is(x.X); id != nil {
					element[id] = true
					refuse(id)
				}
			}
		case *syntax.IndexExpr:
			if id := is(n.X); id != nil {
				element[id] = true
			}
		case *syntax.Ident:
			if n != nil && is(n) != nil && !element[n] {
				refuse(n)
			}
		}
		return true
	})
}
