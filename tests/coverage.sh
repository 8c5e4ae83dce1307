#!/bin/sh
# Prints which share of the lines of the rule language and of the rule emitters their tests run, and
# fails if either is below the least that is wanted.
# Needs the component llvm-tools (rustup component add llvm-tools).
set -eu
cd "$(dirname "$0")/.."
least=95
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
# Tests themselves don't count. Each file is counted to the total of its part.
"$bin/llvm-cov" report $objects --instr-profile "$out/all.profdata" \
    --ignore-filename-regex '/tests/|/tests\.rs|\.cargo|rustc' \
    --sources codegen/lang/src codegen/compiler/src/emit/rules >"$out/report.txt"
sort "$out/report.txt" | awk -v least="$least" '
    function total(name, all, left,    share) {
        share = all ? 100 * (all - left) / all : 0
        printf "%-46s %8d %8d %8.2f%%\n", "Total of the " name, all, left, share
        if (share < least)
            low = low sprintf("Tests run %.2f%% of the lines of the %s, not %d%%: add tests for lines that are missed, or delete what nothing reaches.\n", share, name, least)
    }
    BEGIN { printf "%-46s %8s %8s %9s\n", "File", "lines", "missed", "share" }
    /\.rs/ {
        printf "%-46s %8s %8s %9s\n", $1, $8, $9, $10
        part = $1 ~ /emit\/rules\// ? "emitters" : "language"
        lines[part] += $8
        missed[part] += $9
    }
    END {
        total("rule language", lines["language"], missed["language"])
        total("rule emitters", lines["emitters"], missed["emitters"])
        printf "%s", low > "/dev/stderr"
        exit low != ""
    }'
