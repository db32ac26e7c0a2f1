// Package hostcode turns CUDA C++ that the host's preprocessor has expanded into C++
// that the host's compiler takes: the host's half of one source with both (gpucc,
// section 2). It knows tokens and brackets, not C++: host code is kept as it is, to
// the character, whatever it uses.
//
//	template <typename T>                    template <typename T>
//	__global__ void scale(T *p, T f) {       __attribute__((noinline, warning("..."))) void scale(T *p, T f) {
//		p[threadIdx.x] *= f;                     void *irgl_args[] = {(void *)&p, (void *)&f, nullptr};
//	}                                            ::irgl::launch((const void *)(void (*)(decltype(p), decltype(f)))scale<T>, irgl_args);
//	                                         }
//	scale<<<1, 32>>>(p, 2.0f);               (::__cudaPushCallConfiguration(1, 32) ? (void)0 : scale(p, 2.0f));
//
// What changes:
//
//   - The body of a kernel becomes a stub that launches it; for a parameter that is a reference it
//     passes the address of the object. A comment marks stubs in the
//     assembler's text, which names the kernels, and the instances of templates, that
//     the program uses ([Symbols]).
//   - The bodies of functions that are for the device alone are dropped, and calls of them
//     in host functions are errors of the host's compiler ([HostFlags]). Lambdas keep
//     their bodies, since they decide what is captured; one with __device__ becomes an
//     irgl::Closure, whose number tells the device's half which lambda it is.
//   - A launch becomes a call of the stub behind a call that sets its configuration. Other calls
//     of a stub, and launches of functions that are no kernels, are errors of the host's compiler.
//   - CUDA's qualifiers become attributes of GNU C++, or nothing. A variable of the
//     device stays, as the address by which the host names it. A __managed__ one
//     becomes a reference to memory that the runtime has allocated.
//
// Markers of lines (# 12 "a.cu") follow a change, so that the compiler's messages and the debugger
// show the lines and columns of the source.
package hostcode
