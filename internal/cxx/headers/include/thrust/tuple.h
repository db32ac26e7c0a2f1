// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrust::tuple is std::tuple.
#pragma once

#include <thrust/pair.h>
#include <tuple>

namespace thrust {
using std::get;
using std::make_tuple;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
}
