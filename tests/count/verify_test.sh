#!/bin/sh
# verify_test.sh RACE RIGHT YOKE: `yoke run --verify` finds a kernel whose work-groups race, says where, gives the program
# what one device would, and has nothing to say of a right one. Exit status 77 (skipped): no PoCL with two devices.
set -u
race=$1 right=$2 yoke=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export POCL_DEVICES="basic basic" POCL_CACHE_DIR="$dir/pocl" XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data"
export YOKE_FAULT="own@*" YOKE_STRATEGY=even
fail() { echo "FAIL: $*"; cat "$dir/err"; exit 1; }

"$race" >"$dir/out" 2>"$dir/err"
[ $? = 77 ] && { echo "skipped: no PoCL device"; exit 77; }
"$yoke" run --verify --force-split "$race" >"$dir/out" 2>"$dir/err" || fail "race ended with $?"
grep -q "1 split, 0 whole" "$dir/err" || fail "it was not split"
grep -Eq "verify: kernel race, argument 0 \(n\): [1-4] of 4 bytes differ, the first at 0: .* share of device [01]" "$dir/err" ||
    fail "the race was not found"
grep -q "argument 1" "$dir/err" && fail "the other buffer is right"
[ "$(cat "$dir/out")" = 64 ] || fail "the program got $(cat "$dir/out")"
"$yoke" run --force-split "$race" >"$dir/out" 2>"$dir/err" || fail "race ended with $?"
[ "$(cat "$dir/out")" = 64 ] && fail "it does not race at all: this test shows nothing"
grep -q "verify:" "$dir/err" && fail "it was compared without being asked to"
"$yoke" run --verify --force-split "$right" --size small >"$dir/out" 2>"$dir/err" || fail "the right program ended with $?"
grep -q "verify:" "$dir/err" && fail "a right program differs"

# 64 work-groups, 32 each: with the second device's all that follows the first share is 32 units away.
for type in float double; do
    size=4
    [ $type = double ] && size=8
    YOKE_VERIFY_ULP=32 "$yoke" run --verify --force-split "$race" $type >"$dir/out" 2>"$dir/err" || fail "$type: race ended with $?"
    grep -q "1 split, 0 whole" "$dir/err" || fail "$type: it was not split"
    grep -q "verify:" "$dir/err" && fail "$type: 32 units are no more than 32"
    YOKE_VERIFY_ULP=31 "$yoke" run --verify --force-split "$race" $type >"$dir/out" 2>"$dir/err" || fail "$type: race ended with $?"
    grep -Eq "verify: kernel race, argument 0 \(n\): [1-8] of $size bytes differ, the first at 0: .* share of device [01]" "$dir/err" ||
        fail "$type: 32 units are more than 31"
    grep -Eq "verify: kernel race, argument 1 \(out\): 32 of $((64 * size)) bytes differ, the first at $((32 * size)): .* share of device 1" \
        "$dir/err" || fail "$type: what the second device wrote is 32 units away"
    "$yoke" run --verify --force-split "$race" $type >"$dir/out" 2>"$dir/err" || fail "$type: race ended with $?"
    grep -Eq "argument 1 \(out\): 32 of $((64 * size)) bytes differ, the first at $((32 * size)):" "$dir/err" ||
        fail "$type: byte for byte it was not found"
done
exit 0
