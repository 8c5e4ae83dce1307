#!/bin/sh
# Prints which share of the lines of the rule language and of the rule emitters their tests run.
# Needs the component llvm-tools (rustup component add llvm-tools).
set -eu
cd "$(dirname "$0")/.."
out="$PWD/target/coverage"
bin=$(echo "$(rustc --print sysroot)"/lib/rustlib/*/bin)
rm -rf "$out/profiles"
export RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$out/profiles/%m-%p.profraw"
run() {
    cargo test --target-dir "$out" "$@" >"$out/log.txt" 2>&1 || { cat "$out/log.txt"; exit 1; }
    sed -n 's/.*Running .*(\(.*\)).*/\1/p' "$out/log.txt" >>"$out/programs.txt"
}
mkdir -p "$out"
: >"$out/programs.txt"
run -p basalt-lang -p basalt-codegen
"$bin/llvm-profdata" merge -sparse "$out"/profiles/*.profraw -o "$out/all.profdata"
objects=""
while read -r program; do
    objects="$objects${objects:+ -object }$program"
done <"$out/programs.txt"
# Tests themselves don't count.
"$bin/llvm-cov" report $objects --instr-profile "$out/all.profdata" \
    --ignore-filename-regex '/tests/|/tests\.rs|\.cargo|rustc' \
    --sources codegen/lang/src codegen/compiler/src/emit/rules |
    awk '/^Filename/ { print "File, lines, missed lines, share of lines" }
        /\.rs/ || /^TOTAL/ { printf "%-46s %8s %8s %9s\n", $1, $8, $9, $10 }'
