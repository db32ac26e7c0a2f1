// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prelude has what this header declares.
#pragma once
