// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef struct { long long ll; double d[2]; } max_align_t;
