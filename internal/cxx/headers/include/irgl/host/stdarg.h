// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs include: variable arguments are not supported.
#pragma once
