//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"unsafe"

	"irgl/internal/device"
)

// This file is about kernels whose blocks form clusters. Their text says how many
// blocks a cluster has (.reqnctapercluster), so a launch need not: the driver takes
// it from there, for cooperative launches too.

// portableCluster is how many blocks a cluster can have on every GPU that has them;
// for more a kernel has to be told that it may.
const portableCluster = 8

// loadCluster reads the size of the kernel's clusters.
func (k *kernel) loadCluster() error {
	d, size := k.m.d, [3]int32{}
	for i := range size {
		if !d.info.Clusters {
			break // then the driver does not know the attributes
		}
		attr := funcClusterWidth + uintptr(i)
		if err := d.check(call(d.cu.funcGetAttribute, uintptr(unsafe.Pointer(&size[i])), attr, k.handle), "cuFuncGetAttribute(%d)", attr); err != nil {
			return err
		}
	}
	k.info.Cluster = device.Dim3{X: uint32(size[0]), Y: uint32(size[1]), Z: uint32(size[2])}.Norm()
	if k.info.Cluster.Count() <= portableCluster {
		return nil
	}
	return d.check(call(d.cu.funcSetAttribute, k.handle, funcLargeClusters, 1), "cuFuncSetAttribute(clusters of %v)", k.info.Cluster)
}

// Clusters returns how many clusters of such blocks the GPU holds: fewer than its
// multiprocessors would, since all of a cluster's are neighbours. It is 0 for
// blocks that the kernel cannot have.
func (k *kernel) Clusters(threads int, shared uint32) (int, error) {
	if !k.m.d.info.Clusters {
		return 0, errors.New("clusters of blocks need a newer GPU (compute capability 9.0) or driver (CUDA 11.8)")
	}
	return k.fitting(threads, shared, k.activeClusters)
}

func (k *kernel) activeClusters(threads int, shared uint32) (int, error) {
	d, size := k.m.d, k.info.Cluster
	config := launchConfig{
		grid:   [3]uint32{size.X, size.Y, size.Z},
		block:  [3]uint32{uint32(threads), 1, 1},
		shared: shared,
		stream: d.main.handle,
	}
	var n int32
	err := d.check(call(d.cu.activeClusters, uintptr(unsafe.Pointer(&n)), k.handle, uintptr(unsafe.Pointer(&config))), "cuOccupancyMaxActiveClusters")
	return int(n), err
}
