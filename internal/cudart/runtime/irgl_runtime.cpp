// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime of programs that irgl has compiled: one translation unit, in C++17.
//
//   backend.h     what it runs on
//   driver.h      a GPU, by its driver; driver_api.h and driver_layouts.h are its functions and structs
//   serve.h       the emulator, in a child process; connection.h and cbor.h are its pipe
//   choose.h      which of the two, and the end of the process
//   places.h      where the program is, for reports
//   state.h       what is kept for the process and its threads
//   launches.h    launches in device code by a queue that the host drains
//   library.h     launches in device code by CUDA's device runtime
//   behind.h      launches that a kernel leaves to one behind it
//   registry.h    the images that the program holds
//   graphs.h      graphs, and captures of streams
//   api_*.h       the functions
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backend.h"

#include "choose.h"

#include "api_device.h"
#include "api_graph.h"
#include "api_kernel.h"
#include "api_memory.h"
#include "api_pool.h"
#include "api_stream.h"
#include "api_texture.h"
