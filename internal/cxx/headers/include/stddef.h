// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef struct { long long ll; double d[2]; } max_align_t;

#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
