// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number types of cuFFT. Its functions are not there: a program that calls them is linked with
// NVIDIA's library and headers.
#pragma once

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
