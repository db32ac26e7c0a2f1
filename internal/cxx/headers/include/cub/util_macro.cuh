// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
