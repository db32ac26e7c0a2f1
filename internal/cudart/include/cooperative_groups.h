// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups, as far as host code names them: in the parameters of functions whose bodies
// are the device's. Their members are in the device's header.
#ifndef IRGL_COOPERATIVE_GROUPS_H
#define IRGL_COOPERATIVE_GROUPS_H

namespace cooperative_groups {

class thread_group {};
class thread_block : public thread_group {};
class grid_group : public thread_group {};
class multi_grid_group : public thread_group {};
class cluster_group {};
class coalesced_group : public thread_group {};
template <unsigned int Threads = 1024> struct block_tile_memory {};
template <unsigned int Size, typename Parent = void> class thread_block_tile : public thread_group {};

} // namespace cooperative_groups

#endif
