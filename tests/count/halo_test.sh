#!/bin/sh
# halo_test.sh STENCIL LAYER YOKE: of a grid whose rim no launch writes, two devices move their half once, the rim's columns and then
# a row each per launch; nothing that a launch overwrites. Exit status 77 (skipped): no PoCL with two devices.
set -u
app=$1 layer=$2 yoke=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export POCL_DEVICES="basic basic" POCL_CACHE_DIR="$dir/pocl" XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"
export YOKE_FAULT="own@*" YOKE_STRATEGY=even OPENCL_LAYERS="$layer"
fail() { echo "FAIL: $*"; cat "$dir/err"; exit 1; }
[ "$("$yoke" devices 2>/dev/null | grep -c basic)" -ge 2 ] || { echo "skipped: no two PoCL devices"; exit 77; }
for size in 128 2304; do # the latter: so many rows in a share that a record for each would not be worth it
    rm -f "$dir/log"
    YOKE_COUNT_LOG="$dir/log" "$yoke" run --force-split "$app" --size $size >"$dir/out" 2>"$dir/err" || fail "it ended with $?"
    grep -q "result=OK" "$dir/out" || fail "the result is wrong"
    grep -q " 20 split, 0 whole" "$dir/err" || fail "it was not split"
    # Without the 8192 bytes that devices are tried out with.
    moved=$(awk '$2 ~ /^(read|write|map|create-copy|create-use)$/ && $4 != 8192 { sum += $4 } END { print sum }' "$dir/log")
    side=$((size + 2))
    grid=$((side * side * 4)) halo=$((20 * 2 * 2 * side * 4 + size / 2 * 2 * 4))
    echo "$moved bytes moved, the grid has $grid"
    # Two grids to the first device, half of one to the second over the host, half of one read from each; once the rim's columns.
    [ "$moved" -le $((2 * grid + grid + grid + halo)) ] || fail "more than that was moved"
done
exit 0
