// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What headers of programs include: there are no functions.
#pragma once
