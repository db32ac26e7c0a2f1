#!/bin/sh
# Measures breadth-first search on the CPU: irgl's generated Go beside C and
# OpenMP, on the same graphs, one after the other, several times.
#
#   benchmarks/bfs/run.sh [THREADS...]        default: 2 1
#
# Prints, for each graph and number of threads, the median milliseconds of both,
# the better of three alternating series, and the ratio irgl/C; stops with an
# error when the two do not find the same levels. Needs go and gcc.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
gcc -O3 -march=native -fopenmp benchmarks/bfs/bfs.c -o "$dir/c"
go build -o "$dir/go" ./benchmarks/bfs/gobfs
threads=${*:-2 1}
printf '%-16s %7s %10s %10s %7s\n' graph threads irgl_ms c_ms ratio
for spec in rmat:20:8 grid:1024:1024; do
	file=$dir/$(echo "$spec" | tr : _).gr
	"$dir/go" -gen "$spec" "$file"
	for t in $threads; do
		: >"$dir/times"
		for _ in 1 2 3; do
			"$dir/go" "$file" 0 15 "$t" >"$dir/go.out"
			OMP_NUM_THREADS=$t "$dir/c" "$file" 0 15 >"$dir/c.out"
			awk '{print "go", $4}' "$dir/go.out" >>"$dir/times"
			awk '{print "c", $4}' "$dir/c.out" >>"$dir/times"
			cut -d' ' -f5- "$dir/go.out" >"$dir/go.answer"
			cut -d' ' -f5- "$dir/c.out" >"$dir/c.answer"
			if ! cmp -s "$dir/go.answer" "$dir/c.answer"; then
				echo "the answers differ:" >&2
				cat "$dir/go.out" "$dir/c.out" >&2
				exit 1
			fi
		done
		awk -v spec="$spec" -v t="$t" '
			!($1 in best) || $2 < best[$1] { best[$1] = $2 }
			END { printf "%-16s %7d %10.2f %10.2f %7.2f\n", spec, t, best["go"], best["c"], best["go"] / best["c"] }
		' "$dir/times"
	done
done
