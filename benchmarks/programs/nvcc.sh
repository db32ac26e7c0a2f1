#!/bin/sh
# nvcc for the builds of public programs: the compiler under test, for one target
# whatever their Makefiles say. libcuda comes with the driver of the machine that runs them.
skip=
for a do
	shift
	if [ -n "$skip" ]; then
		skip=
		continue
	fi
	case $a in
	-arch | -code | -gencode | --gpu-architecture | --gpu-code | --generate-code | --gpu-name) skip=1 ;;
	-arch=* | -code=* | -gencode=* | --gpu-architecture=* | --gpu-code=* | --generate-code=* | -lcuda) ;;
	*) set -- "$@" "$a" ;;
	esac
done
exec @COMPILER@ -arch=@ARCH@ -w "$@"
