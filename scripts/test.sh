#!/bin/sh
# Gets what the tests need, builds, and runs everything. The last line is `N passed, N failed`, and `, N skipped` where
# something that tests need (a browser, tmux, the schemas of the specification) is not on this machine; those are named
# before it.
# Needs Node and npm (and apt, as root, for what is missing); takes no input.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
started=$(date +%s)
passed=0
failed=0
skipped=0
# Colour codes would hide the counts.
unset FORCE_COLOR

say() { printf '[%3ss] %s\n' "$(($(date +%s) - started))" "$*"; }

# A step that nothing can go on without counts as one failed test.
fail() {
  printf 'test: %s\n' "$*" >&2
  failed=$((failed + 1))
  finish
}

finish() {
  if [ -s "${work:-}/skipped" ]; then
    say "skipped, for want of something on this machine or for another system:"
    cat "$work/skipped"
  fi
  if [ -s "${work:-}/unsteady" ]; then
    say "failed beside others and not alone:"
    cat "$work/unsteady"
  fi
  [ -z "${work:-}" ] || rm -rf "$work"
  left_out=
  [ "$skipped" -eq 0 ] || left_out=", $skipped skipped"
  printf '%s passed, %s failed%s\n' "$passed" "$failed" "$left_out"
  [ "$failed" -eq 0 ]
  exit
}

# A fault of the product breaks more.
again_files_max=20

# command:package,package…, for Debian. Chromium is for the tests of ReadDocs; it draws nothing without a font.
system_needs="ps:procps git:git openssl:openssl chromium:chromium,fonts-liberation rsvg-convert:librsvg2-bin bwrap:bubblewrap tmux:tmux groff:groff-base unzip:unzip zsh:zsh fish:fish"

# Engines that tests start themselves, on free ports and in temporary folders.
system_needs="$system_needs redis-server:redis-server valkey-server:valkey-server postgres:postgresql"
# Those that not every Debian has.
system_wishes="valkey-server"

# PostgreSQL's programs are not on PATH in Debian.
has_program() {
  command -v "$1" >/dev/null 2>&1 && return
  for found in /usr/lib/postgresql/*/bin/"$1"; do
    [ -x "$found" ] && return
  done
  return 1
}

get_system_packages() {
  missing=
  for pair in $system_needs; do
    has_program "${pair%%:*}" || missing="$missing $(echo "${pair#*:}" | tr , ' ')"
  done
  # A wish alone is no reason to ask the network each time.
  [ "$(echo "$missing" | tr -d ' ')" != "$system_wishes" ] || drop_unknown_wishes
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    say "not installed, tests that need them may fail:$missing"
    return 0
  fi
  export DEBIAN_FRONTEND=noninteractive
  install_system_packages </dev/null 3>&1 >"$work/apt.log" 2>&1 || {
    tail -n 5 "$work/apt.log"
    say "apt-get failed; tests that need$missing may fail"
  }
}

drop_unknown_wishes() {
  for wish in $system_wishes; do
    apt-cache show "$wish" >/dev/null 2>&1 || missing=$(echo "$missing" | sed "s/ $wish//")
  done
}

# Debian starts a service with its installation; nothing is to run here afterwards that did not before.
install_system_packages() {
  apt-get update -q || return
  drop_unknown_wishes
  say "apt-get install$missing" >&3
  policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then
    policy=
  else
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" || return
    trap 'rm -f "$policy"; exit 130' INT TERM HUP
  fi
  # shellcheck disable=SC2086 # a list of names
  apt-get install -q -y --no-install-recommends $missing
  apt_code=$?
  [ -z "$policy" ] || rm -f "$policy"
  trap - INT TERM HUP
  return "$apt_code"
}

# record NAME COMMAND…: one test that passes when the command does.
record() {
  name=$1
  shift
  say "$name"
  if "$@" </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "$name failed"
  fi
}

count_gate() {
  passed=$((passed + $(grep -c '^gate: .* passed$' "$work/gate.log")))
  gate_failed=$(grep -c '^gate: .* failed$' "$work/gate.log")
  if [ "$(cat "$work/gate.code")" -ne 0 ] && [ "$gate_failed" -eq 0 ]; then gate_failed=1; fi
  failed=$((failed + gate_failed))
}

# One test that passes when the suite of the protocol does; its own time limits may pass on two busy processors, so that it
# is run once more, alone.
count_conformance() {
  if [ "$(cat "$work/conformance.code")" -eq 0 ]; then
    passed=$((passed + 1))
  else
    record "conformance, once more, alone" bun scripts/conformance/run.ts
  fi
}

# All executables at once: each build keeps one processor busy. Nothing else goes on without them.
build() {
  bun scripts/build.ts --faulty </dev/null >"$work/faulty.log" 2>&1 &
  faulty=$!
  record "build" bun scripts/build.ts
  record "build of the tests' programs" wait "$faulty"
  cat "$work/faulty.log"
}

# All at once. Most tests wait for processes, so that more of them run at once than there are processors: five files that drive the
# executable or read pages, and four others. Each part ends when the other does: what is left alone with its waiting leaves a processor
# idle. The lines of the parts come as they come. The gate needs no executable and begins first; what it checks by tests is in no
# other part.
run_all() {
  say "gate, builds, tests, conformance"
  part gate sh scripts/gate.sh --keep-going &
  build
  others=$(find test -mindepth 1 -maxdepth 1 ! -name e2e ! -name web ! -name fixtures ! -name golden ! -name architecture.test.ts ! -name english.test.ts)
  # shellcheck disable=SC2046 # options
  part driving bun test $(options_of driving) --parallel=5 --no-isolate test/e2e test/web &
  # shellcheck disable=SC2046,SC2086 # options, and a list of paths
  part others bun test $(options_of others) --parallel=4 --no-isolate $others &
  part conformance bun scripts/conformance/run.ts &
  wait
  count_gate
  count_part driving
  count_part others
  count_conformance
}

options_of() { echo "--timeout 60000 --reporter=junit --reporter-outfile=$work/$1.xml"; }

# part NAME COMMAND…: runs it with its output shown and kept in $work/NAME.log; its exit code is in $work/NAME.code. Says when it
# ended: a part that goes on alone for long leaves a processor idle.
part() {
  name=$1
  shift
  { "$@" </dev/null 2>&1; echo $? >"$work/$name.code"; } | tee "$work/$name.log"
  say "$name: ended"
}

count_part() {
  test_passed=$(sum_of pass "$work/$1.log")
  test_failed=$(sum_of fail "$work/$1.log")
  # An error between tests, or a crash before the summary: no test is counted for it.
  if [ "$(cat "$work/$1.code")" -ne 0 ] && [ "$test_failed" -eq 0 ]; then test_failed=1; fi
  test_skipped=$(sum_of skip "$work/$1.log")
  [ "$test_failed" -eq 0 ] || { failures_of "$work/$1.log"; run_again "$1"; }
  awk '/^\(skip\) / && !seen[$0]++' "$work/$1.log" >>"$work/skipped"
  say "$1: $test_passed passed, $test_failed failed, $test_skipped skipped"
  passed=$((passed + test_passed))
  failed=$((failed + test_failed))
  skipped=$((skipped + test_skipped))
}

# A test that failed in the crowd is run once more with its file, when nothing runs beside it: many wait for processes,
# browsers and clocks, which two busy processors may keep from them. What fails twice has failed. What passes is named
# as unsteady before the last line: it is to be mended. No second run for errors between tests, nor for too many files.
run_again() {
  files=$(failed_files "$work/$1.xml")
  [ -n "$files" ] && [ "$(echo "$files" | wc -l)" -le "$again_files_max" ] || return 0
  # A test that times out is counted as an error too.
  errors=$(($(sum_of error "$work/$1.log") + $(sum_of errors "$work/$1.log")))
  [ "$errors" -le "$(grep -c 'this test timed out after' "$work/$1.log")" ] || return 0
  # shellcheck disable=SC2086 # a list of paths
  say "$1: $test_failed failed; once more, alone:" $files
  # shellcheck disable=SC2086 # a list of paths
  part "$1-again" bun test --timeout 60000 $files
  again_failed=$(sum_of fail "$work/$1-again.log")
  if [ "$(cat "$work/$1-again.code")" -ne 0 ] && [ "$again_failed" -eq 0 ]; then return 0; fi
  failed_names "$work/$1-again.log" >"$work/steady"
  failed_names "$work/$1.log" | grep -Fvxf "$work/steady" >>"$work/unsteady"
  test_passed=$((test_passed + test_failed - again_failed))
  test_failed=$again_failed
}

# The files of the tests that failed, from a report in the form of JUnit.
failed_files() {
  [ ! -f "$1" ] || awk '
    /<testcase / { file = $0; sub(/.* file="/, "", file); sub(/".*/, "", file) }
    /<failure/ && !seen[file]++ { print file }
  ' "$1"
}

failed_names() { awk '/^\(fail\) / { sub(/ \[[0-9.]+ms\]$/, "") } /^\(fail\) / && !seen[$0]++' "$1"; }

# What each test that failed printed, once more: whoever sees only the end of a long log is to see why.
failures_of() {
  awk '
    /^\((pass|skip|todo)\)/ || /^test\/.*:$/ { lines = 0; next }
    /^[0-9]+ tests? failed:$/ { exit }
    { said[lines++] = $0 }
    /^\(fail\)/ { for (i = lines > 60 ? lines - 60 : 0; i < lines; i++) print said[i]; lines = 0 }
  ' "$1"
}

# The summary of `bun test`: lines like ` 12 pass` and ` 0 fail`.
sum_of() {
  awk -v word="$1" 'NF == 2 && $2 == word && $1 ~ /^[0-9]+$/ { last = $1 } END { print last + 0 }' "$2"
}

work=$(mktemp -d) || fail "cannot create a temporary folder; set TMPDIR"
get_system_packages
# shellcheck source=scripts/bootstrap.sh disable=SC1091
. "$root/scripts/bootstrap.sh"
get_bun "$root"
run_all
say "done"
finish
