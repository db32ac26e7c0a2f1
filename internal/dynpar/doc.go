// Package dynpar lowers launches in device code (dynamic parallelism) to calls of device
// functions: of a queue that the runtime drains, or of CUDA's device runtime.
//
// A launch is an expression of the CUDA tree, that of C++ too, and is printed as CUDA has it
// (--emit=cu):
//
//	child<<<n / 32, 32, 0, s>>>(p, n);
//
// [Lower] runs in front of code generation. It makes of the launch
//
//	irgl_launch_0(site, n / 32, 32, 0, s, p, n);
//
// and adds this function, with the layout of the kernel's parameters as a struct, and what it
// calls. [ByQueue] (queue.cu) takes a slot of the queue, a variable of the module, and
// writes the kernel's number, the configuration and the arguments to it. [ByLibrary] (runtime.cu) calls
// __cudaCDP2GetParameterBufferV2 for the place of the arguments, and __cudaCDP2LaunchDeviceV2, which are of
// the toolkit's libcudadevrt.a. A program has both texts: docs/rationale.md says when each is loaded.
//
// [Module] is what the host has to know: the kernels by number, which kernels may launch
// others, and the places of launches, for messages. The device's runtime functions (cudaGetLastError and others) are in the C++ headers,
// in terms of functions irgl_launch_NAME that do nothing. Modules with launches have those of
// queue.cu or runtime.cu in their place.
//
// A grid is complete when its children are, and no thread can wait for a child: CUDA 12 has
// removed cudaDeviceSynchronize from device code. A call after which a kernel does nothing that
// a child could matter to is dropped, with a warning. Others are errors.
package dynpar
