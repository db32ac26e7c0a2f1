// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included again, it follows the present state of NDEBUG.
#ifndef IRGL_HOST_ASSERT_H
#define IRGL_HOST_ASSERT_H
extern "C" void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function);
#endif
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) (static_cast<bool>(__VA_ARGS__) ? (void)0 : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
