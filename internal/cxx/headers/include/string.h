// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude has the functions.
#pragma once

#include <stddef.h>
