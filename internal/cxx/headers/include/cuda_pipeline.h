// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>
