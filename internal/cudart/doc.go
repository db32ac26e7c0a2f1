// Package cudart holds the CUDA runtime of programs whose host code the machine's C++
// compiler compiles: sources and headers, embedded, for the compiler driver to write out
// and compile once.
//
// The headers (include) are cuda_runtime.h and what goes with it, for host code. The
// runtime (runtime/irgl_runtime.cpp, one translation unit of C++17) implements the
// functions over one of two backends:
//
//	driver  a GPU, by libcuda.so.1, which is opened when a program first needs it
//	serve   the emulator: irgl serve in a child process (docs/serve.md)
//
// IRGL_DEVICE chooses, cuda or simt; without it a program runs on the GPU. The program
// finds irgl by IRGL, then beside itself, then in PATH. IRGL_SIMT has options of the
// emulator (include/irgl_emulator.h), and with IRGL_LOG the reasons of errors are printed. What the emulator finds is printed at the
// synchronisation that finds it, or at the end of the process, which then has exit
// status 1.
//
// The interface to the compiler driver is include/irgl_registration.h. A translation unit
// holds an irgl_image: PTX text, the kernels (the address of the host's stub, the entry's
// name, where each parameter is in the parameter block) and the variables (the address
// of the host's shadow, the name, the size, the kind), and how device code reads textures,
// by which the runtime makes them (runtime/api_texture.h). IRGL_REGISTER registers it in a
// constructor that runs before those of the program's objects, so that they may launch.
// A launch, k<<<g, b, s, t>>>(args), is written as
//
//	(__cudaPushCallConfiguration(g, b, s, t) ? (void)0 : k(args))
//
// and k's body, the stub, calls irgl::launch(stub, args), args being the addresses of its
// parameters. Loading is lazy and safe in threads. A managed variable is a pointer on
// the device; the host has a reference, to what irgl::managed returns.
// It does not survive cudaDeviceReset.
//
// Launches in device code are in a queue, which the runtime drains when the grid has ended
// (runtime/launches.h). Where the machine or the program has CUDA's device runtime, libcudadevrt.a, the
// driver links it with a second text of the device code, and the device launches (runtime/library.h).
//
// Programs are linked with -ldl -lpthread where the C library needs that.
package cudart
