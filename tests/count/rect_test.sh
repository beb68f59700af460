#!/bin/sh
# rect_test.sh TRANSPOSE LAYER YOKE: a matrix transposed in shares of columns is brought and gathered as rectangles, not row by
# row; cut along its rows it is the cheapest, which yoke finds by itself. Exit status 77 (skipped): no PoCL with two devices.
set -u
app=$1 layer=$2 yoke=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export POCL_DEVICES="basic basic" POCL_CACHE_DIR="$dir/pocl" XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"
export YOKE_FAULT="own@*" YOKE_STRATEGY=even OPENCL_LAYERS="$layer"
fail() { echo "FAIL: $*"; cat "$dir/err"; exit 1; }
# Prints how many transfers there were when cut along $1 (empty: yoke's choice).
transfers() {
    rm -f "$dir/log"
    YOKE_COUNT_LOG="$dir/log" YOKE_CUT=$1 YOKE_TRACE="$dir/trace" "$yoke" run --force-split "$app" --size small >"$dir/out" 2>"$dir/err" ||
        fail "cut along '$1' it ended with $?"
    grep -q "result=OK" "$dir/out" || fail "the result is wrong"
    grep -cE " (read|write) " "$dir/log"
}
[ "$("$yoke" devices 2>/dev/null | grep -c basic)" -ge 2 ] || { echo "skipped: no two PoCL devices"; exit 77; }
rows=$(transfers 0) || { echo "$rows"; exit 1; }
columns=$(transfers 1) || { echo "$columns"; exit 1; }
own=$(transfers "") || { echo "$own"; exit 1; }
grep -q '"axis":0' "$dir/trace" || fail "it was not cut along dimension 0"
echo "transfers: $rows cut along 0, $columns along 1, $own as yoke chose"
[ "$columns" -le 12 ] || fail "columns went row by row"
[ "$own" -le "$rows" ] || fail "the choice is worse"
exit 0
