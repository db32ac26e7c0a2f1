// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern "C" int *__errno_location(void);
#define errno (*__errno_location())
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENOMEM 12
#define EACCES 13
#define EINVAL 22
#define EDOM 33
#define ERANGE 34
