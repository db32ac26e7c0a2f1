// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude has the names.
#pragma once

#include <stddef.h>
