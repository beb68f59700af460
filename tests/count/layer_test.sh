#!/bin/sh
# layer_test.sh HALVES LAYER COUNTCHECK: the layer on PoCL, right and wrong cuts through the checker.
# Exit status 77 (skipped): no PoCL with two devices.
set -u
halves=$1 layer=$2 check=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export POCL_DEVICES="basic basic" POCL_CACHE_DIR="$dir/pocl"
fail() { echo "FAIL: $*"; exit 1; }
run() { OPENCL_LAYERS=$layer YOKE_COUNT_LOG=$dir/$1 "$halves" "$1" >"$dir/$1.out" 2>&1; }

run whole
status=$?
[ $status = 77 ] && { echo "skipped: no two PoCL devices"; exit 77; }
[ $status = 0 ] || { cat "$dir/whole.out"; fail "whole ended with $status"; }
[ -s "$dir/whole" ] || fail "the layer wrote no log"
grep -q " launch 0 add 1 16,0,0 1008,1,1 16,1,1$" "$dir/whole" || { cat "$dir/whole"; fail "the launch of add"; }
grep -q " launch 0 tile 2 0,0,0 64,48,1 8,4,1$" "$dir/whole" || fail "the launch of tile"
[ "$(grep -c ' write [01] 4096$' "$dir/whole")" = 2 ] || fail "two writes of 4096 bytes"
grep -q " read 0 4096$" "$dir/whole" || fail "a read of 4096 bytes"
grep -q " device 0 " "$dir/whole" || fail "the name of device 0"
POCL_DEVICES="basic basic" YOKE_COUNT_LOG=$dir/none "$halves" whole >/dev/null || fail "without the layer"
[ ! -e "$dir/none" ] || fail "a log without the layer"
OPENCL_LAYERS=$layer "$halves" whole >/dev/null || fail "without a log"

run split || fail "split ended with $?"
"$check" --bare "$dir/whole" "$dir/whole" || fail "a bare run is its own"
"$check" --bare "$dir/whole" --split-at-least 1 "$dir/whole" 2>/dev/null && fail "nothing was split there"
"$check" --bare "$dir/whole" --split-at-least 2 --devices 2 --min-share 20 "$dir/split" || fail "right cuts are refused"
"$check" --bare "$dir/whole" --split-at-least 2 --min-share 40 "$dir/split" >/dev/null 2>&1 && fail "shares are not looked at"
"$check" --json --bare "$dir/whole" "$dir/split" | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["split"] == 2 and d["wrong"] == 0 and d["extra"] == 0, d
assert d["launches"][0]["shares"] == {"0": 15, "1": 48}, d
assert d["devices"][1]["write"] == {"calls": 1, "bytes": 4096}, d' || fail "json"
for wrong in hole overlap crooked; do
    run $wrong || fail "$wrong ended with $?"
    "$check" --bare "$dir/whole" "$dir/$wrong" >/dev/null 2>&1
    [ $? = 1 ] || fail "$wrong is not seen"
done
# The program's launches twice: the second ones are nobody's.
cat "$dir/split" "$dir/split" >"$dir/twice"
"$check" --bare "$dir/whole" "$dir/twice" >/dev/null 2>&1 && fail "further launches are not seen"
"$check" --extra-ok --bare "$dir/whole" "$dir/twice" >/dev/null || fail "--extra-ok"
echo nonsense >>"$dir/twice"
"$check" "$dir/twice" >/dev/null 2>&1
[ $? = 2 ] || fail "a broken log is not seen"
"$check" "$dir/absent" >/dev/null 2>&1
[ $? = 2 ] || fail "an absent log is not seen"
echo ok
