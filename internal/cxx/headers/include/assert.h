// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included again, it follows the present state of NDEBUG.
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) (__irgl_assert(static_cast<bool>(__VA_ARGS__)))
#endif
