// Tensor: conversion of whole numbers to floats.
//bench suite tensor
//bench size n 1021 16777216
//bench size blocks 3 1056
//bench buffer x i32 n uniform -1000 1000
//bench buffer y f32 n zero out
//bench launch cast grid blocks block 256 args x y i32:n
#include "tensor.cuh"

extern "C" __global__ void cast(int *x, float *y, int n) {
  using namespace tensor;
  assign(Map<float, 1>(y, {n}), Map<int, 1>(x, {n}).cast<float>());
}
