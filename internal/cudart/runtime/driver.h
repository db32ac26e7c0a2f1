// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef IRGL_RUNTIME_DRIVER_H
#define IRGL_RUNTIME_DRIVER_H
#include "state.h"
namespace irgl {
class Driver {
public:
  static cudaError_t start(Backend **, std::string *why) {
    *why = "no driver";
    return cudaErrorNoDevice;
  }
};
}
#endif
