#!/bin/sh
# moved_test.sh WHAT APP LAYER YOKE: what two devices with memory of their own are asked to move for a program that is split over them.
#   rect     a matrix transposed in shares of columns is brought and gathered as rectangles, not row by row; cut along its rows it is
#            the cheapest, which yoke finds by itself
#   halo     of a grid whose rim no launch writes, the second device is brought its half once, the rim's columns and then a row each
#            per launch; nothing that a launch overwrites
#   padding  a buffer is filled, then rows are written into it with a margin all around: the second device sets the margin itself
# Exit status 77 (skipped): no PoCL with two devices.
set -u
what=$1 app=$2 layer=$3 yoke=$4
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export POCL_DEVICES="basic basic" POCL_CACHE_DIR="$dir/pocl" XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"
export YOKE_FAULT="own@*" YOKE_STRATEGY=even YOKE_TRACE="$dir/trace" YOKE_CUT=
fail() { echo "FAIL: $*"; cat "$dir/err"; exit 1; }
[ "$("$yoke" devices 2>/dev/null | grep -c basic)" -ge 2 ] || { echo "skipped: no two PoCL devices"; exit 77; }
size=small

run() {
    rm -f "$dir/log"
    OPENCL_LAYERS="$layer" YOKE_COUNT_LOG="$dir/log" "$yoke" run --force-split "$app" --size "$size" >"$dir/out" 2>"$dir/err" ||
        fail "it ended with $?"
    grep -q "result=OK" "$dir/out" || fail "the result is wrong"
    grep -q " $1 split, 0 whole" "$dir/err" || fail "it was not split"
    grep -q "failed a share" "$dir/err" && fail "a driver refused something"
}
# Bytes without those that devices are tried out with, 8192 each time, before the first launch.
moved() {
    awk '$2 == "launch" { launched = 1 } $2 ~ /^(read|write|map|create-copy|create-use)$/ && ($4 != 8192 || launched) { sum += $4 }
        END { print sum }' "$dir/log"
}
# How many transfers there are when cut along $1 (empty: yoke's choice).
transfers() {
    YOKE_CUT=$1
    run 1
    grep -cE " (read|write) " "$dir/log"
}

case $what in
rect)
    rows=$(transfers 0) || { echo "$rows"; exit 1; }
    columns=$(transfers 1) || { echo "$columns"; exit 1; }
    own=$(transfers "") || { echo "$own"; exit 1; }
    grep -q '"axis":0' "$dir/trace" || fail "it was not cut along dimension 0"
    echo "transfers: $rows cut along 0, $columns along 1, $own as yoke chose"
    [ "$columns" -le 12 ] || fail "columns went row by row"
    [ "$own" -le "$rows" ] || fail "the choice is worse"
    ;;
halo)
    for size in 128 2304; do # the latter: a share has more rows than are recorded one by one
        run 20
        side=$((size + 2))
        # Two grids to the first device, half of one to the second over the host, half of one read from each; the rim's columns once.
        grid=$((side * side * 4)) halo=$((20 * 2 * 2 * side * 4 + size / 2 * 2 * 4))
        echo "$(moved) bytes moved, the grid has $grid"
        [ "$(moved)" -le $((2 * grid + grid + grid + halo)) ] || fail "more than that was moved"
        # Two rows a launch over the host; some for the grids and the rim's columns.
        n=$(grep -cE " (read|write) " "$dir/log")
        echo "$n transfers"
        [ "$n" -le $((20 * 4 + 20)) ] || fail "the rim's columns went row by row"
    done
    ;;
padding)
    run 1
    # The image to the first device, half of it and three rows of each channel to the second over the host, as is the filter; the result.
    image=$((3 * 64 * 64 * 4)) half=$((3 * (32 + 3) * 64 * 4)) filter=$((49 * 4))
    least=$((image + filter + 2 * (half + filter) + image))
    echo "$(moved) bytes moved, at least $least"
    [ "$(moved)" -eq "$least" ] || fail "that is not the least"
    grep -q " fill 1 " "$dir/log" || fail "the second device has filled nothing"
    ;;
*)
    fail "what is $what?"
    ;;
esac
exit 0
