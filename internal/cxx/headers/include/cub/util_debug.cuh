// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The error of a call of the runtime.
#define CubDebug(e) (e)
