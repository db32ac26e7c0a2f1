// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiled program says of its device code. The compiler driver writes this for each
// translation unit, in place of the kernels' bodies:
//
//   static const irgl_parameter add_parameters[] = {{0, 8}, {8, 8}, {16, 4}};
//   void add(int *out, const int *a, int n) {            // the stub of: __global__ void add(...)
//     void *args[] = {&out, &a, &n};
//     irgl::launch(reinterpret_cast<const void *>(static_cast<void (*)(int *, const int *, int)>(add)), args);
//   }
//   __device__ int seen;                                 // stays: the variable's shadow
//   static const irgl_kernel kernels[] = {
//       {reinterpret_cast<const void *>(static_cast<void (*)(int *, const int *, int)>(add)),
//        "_Z3addPiPKii", add_parameters, 3, 20, 0, nullptr}};
//   static const irgl_variable variables[] = {{&seen, "seen", sizeof seen, IRGL_DEVICE}};
//   static irgl_image image = {IRGL_REGISTRATION, 0, "add.cu", ptx, sizeof ptx, kernels, 1, variables, 1,
//                              nullptr, 0, nullptr, nullptr, 0, {}};
//   IRGL_REGISTER(image)
//
// and a launch, add<<<grid, block, shared, stream>>>(out, a, n), becomes
//
//   (__cudaPushCallConfiguration(grid, block, shared, stream) ? (void)0 : add(out, a, n))
//
// A __managed__ int v = 5 becomes its value at the start, and a reference to managed memory:
//
//   int irgl_initial_v = 5;                              // {&irgl_initial_v, "v", sizeof(int), IRGL_MANAGED}
//   decltype(irgl_initial_v) &v = irgl::managed(irgl_initial_v, "v");
//
// while the PTX has a variable v of 8 bytes: the address of that memory, which device code loads
// and the runtime stores when it loads the image.
//
// Kernels that device code launches are in the table launched, by the number that it launches them
// by; their stubs are null where the host does not launch them, and are those of other images where another
// translation unit defines them. An image with kernels that may launch has a variable irgl_launches in its PTX, which
// the runtime sets: the address of the queue of launches, and the image's number in the device.
//
// Images are registered before the constructors of other static objects run, in any translation
// unit (IRGL_REGISTER has a priority); so a constructor may launch. They are loaded into a device
// when one of their kernels or variables is first used there.
#ifndef IRGL_REGISTRATION_H
#define IRGL_REGISTRATION_H

#include <cstddef>
#include <cstdint>

#include "driver_types.h"

// The version of the structs below.
#define IRGL_REGISTRATION 4

extern "C" {

// Where a parameter is in the kernel's parameter block.
struct irgl_parameter {
  uint32_t offset;
  uint32_t size;
};

struct irgl_kernel {
  const void *stub; // the address that the host calls the kernel by
  const char *name; // of the entry in the PTX
  const irgl_parameter *parameters;
  uint32_t count; // of parameters
  uint32_t bytes; // of the parameter block
  uint32_t flags; // irgl_kernel_flags
  const char *behind; // the entry that follows each launch; the last parameter of both is its number. Null for none
};

enum irgl_kernel_flags { IRGL_LAUNCHES = 1 }; // it may launch kernels

enum irgl_variable_kind { IRGL_DEVICE = 0, IRGL_CONSTANT = 1, IRGL_MANAGED = 2 };

struct irgl_variable {
  void *host; // the shadow; of a managed variable, its value at the start
  const char *name;
  size_t size;
  irgl_variable_kind kind;
};

// CUDA's device runtime, libcudadevrt.a.
struct irgl_archive {
  uint64_t size;
  char bytes[1];
};

// Device code whose launches are by CUDA's device runtime, which the driver links with it: a second
// text, null without one, and the archive, null for one that the runtime looks for.
struct irgl_by_library {
  const char *ptx;
  size_t size;
  const irgl_archive *archive;
};

// How device code reads textures and surfaces: objects that the driver makes, or descriptions in memory.
enum irgl_image_flags { IRGL_HARDWARE_TEXTURES = 1, IRGL_SOFTWARE_TEXTURES = 2 };

// The device code of a translation unit. It and what it points to stay where they are.
struct irgl_image {
  uint32_t version; // IRGL_REGISTRATION
  uint32_t flags;   // irgl_image_flags
  const char *name; // for messages: the source file
  const char *ptx;  // the text
  size_t size;      // its length; a zero at its end may be counted
  const irgl_kernel *kernels;
  size_t kernel_count;
  const irgl_variable *variables;
  size_t variable_count;
  const irgl_kernel *launched; // by device code
  size_t launched_count;
  void *state; // the runtime's: null
  const char *const *sites; // of launches in device code, "file:line"
  size_t site_count;
  irgl_by_library by_library;
};

void irgl_register(irgl_image *image);

// An object whose device code is linked with that of others: its image has no PTX. Names that
// the object alone has end in $ and its id; irgl_launches is one of them.
struct irgl_part {
  irgl_image *image;
  const char *id;
  uint32_t launches; // 1 with an irgl_launches
  uint32_t reserved;
};

// The PTX that was linked of the parts with the ids.
struct irgl_linked {
  const char *name;
  const char *ptx;
  size_t size;
  const char *const *ids;
  size_t count;
  irgl_by_library by_library;
};

void irgl_register_part(const irgl_part *part);
void irgl_register_linked(const irgl_linked *linked);
}

#define IRGL_REGISTER(image)                                                                       \
  __attribute__((constructor(101))) static void irgl_register_##image() { irgl_register(&image); }

// __cudaPushCallConfiguration notes the configuration of the launch that follows on this thread, by the
// name that other compilers of CUDA have for it. The result is 0; another would be the error that
// keeps the launch from happening. The last two are the place of the launch.
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                                     cudaStream_t stream = nullptr, const char *__file = __builtin_FILE(),
                                     int __line = __builtin_LINE());

namespace irgl {

// An extended lambda: what a lambda with __device__ becomes. Number is its place among those
// of the translation unit's Count, by which device code finds it; Size is that of the closure.
template <unsigned Number, unsigned Count, size_t Size, typename Lambda> struct Closure : Lambda {
  Closure(Lambda &&lambda) : Lambda(static_cast<Lambda &&>(lambda)) {}
};
template <unsigned Number, unsigned Count, typename Lambda> inline Closure<Number, Count, sizeof(Lambda), Lambda> closure(Lambda lambda) {
  return {static_cast<Lambda &&>(lambda)};
}

// launch launches the kernel of a stub as __cudaPushCallConfiguration has said. args are the addresses of the
// parameters' values. An error is that of cudaGetLastError.
void launch(const void *stub, void **args);

// managed_address returns where a managed variable is, given its value at the start. Without a
// device it is that value's own address: the host can use it, and launches say what is wrong.
void *managed_address(void *initial, size_t __size, const char *name);

template <class _Tp> _Tp &managed(_Tp &initial, const char *name) {
  return *static_cast<_Tp *>(managed_address(&initial, sizeof initial, name));
}

// named_symbol returns the symbol that a string literal of the size is for: the variable of device
// code that it names, or the literal itself.
const void *named_symbol(const char *__literal, size_t __size);

// best_block is what cudaOccupancyMaxPotentialBlockSize does: shared says how many bytes of
// dynamic shared memory a block of so many threads has.
cudaError_t best_block(int *__grid, int *__block, const void *stub, int limit, size_t (*shared)(void *, int),
                       void *data);

} // namespace irgl

#endif
