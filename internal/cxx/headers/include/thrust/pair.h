// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrust::pair is std::pair.
#pragma once

#include <utility>

namespace thrust {
using std::get;
using std::make_pair;
using std::pair;
}
