#!/bin/sh
# Installs scorpiox-code for this user, proves that it works, and connects the clients that the user wants.
#
#   sh scripts/install.sh        in a checkout: builds with Node and npm, then installs
#   curl -fsSL URL | sh          from a release: the checksum is verified before the file can be run
#
# SCORPIOX_HOME         the folder to install into           (default: ~/.scorpiox)
# SCORPIOX_RELEASE_URL  https:// or file:// folder with SHA256SUMS and the binaries; set, it wins over a checkout
# SCORPIOX_INSTALL_UNSIGNED=1  install where nothing can check the signature of a release, without asking
# SCORPIOX_CONNECT      clients to connect without asking, such as "claude-code cursor", or: all
# SCORPIOX_STALL_SECONDS  how long a download may bring nothing before it is taken up again  (default: 30)
set -eu

# Where releases come from, as owner/name: the build of a release fills it in from package.json.
REPOSITORY=
# What releases are signed with (ECDSA P-256): the build of a release fills it in from scripts/release-key.pem.
PUBLIC_KEY=
RELEASES=https://github.com/$REPOSITORY/releases
REPLY_SECONDS_MAX=30
# A download that brings less than this many bytes a second, for so long, is broken off and taken up where it stopped.
STALL_BYTES=1000
STALL_SECONDS=${SCORPIOX_STALL_SECONDS:-30}
DOWNLOAD_TRIES=5
# Printed as it is: the reader's home folder.
HOME_SHOWN='~'

started=$(date +%s)

# Everything is in functions and starts on the last line: half a download does nothing.
main() {
  umask_before=$(umask)
  umask 077
  work=
  staged=
  old=
  swapped=no
  server=
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d) || fail "cannot create a temporary folder; set TMPDIR to one that is writable."
  read_system
  choose_folder
  checkout=$(find_checkout)
  if [ -n "${SCORPIOX_RELEASE_URL:-}" ]; then
    source_url=${SCORPIOX_RELEASE_URL%/}
  elif [ -n "$checkout" ]; then
    build_checkout
    source_url=file://$checkout/dist
  elif [ -n "$REPOSITORY" ]; then
    source_url=$RELEASES/latest/download
  else
    fail "this install.sh is not from a release, so it does not know where releases are. Take the one of a release, set SCORPIOX_RELEASE_URL, or run it in a checkout."
  fi
  stage
  swap
  prove
  keep_previous
  say "installed: $binary"
  connect_clients || print_clients
}

# ---- talk ---------------------------------------------------------------------------------------

say() { printf '[%3ss] %s\n' "$(($(date +%s) - started))" "$*" >&2; }

fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

# ---- what this machine is -----------------------------------------------------------------------

read_system() {
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no scorpiox-code for processor $(uname -m): x86-64 and ARM64 only." ;;
  esac
  case $(uname -s) in
    Linux) read_linux ;;
    Darwin) read_darwin ;;
    *) fail "there is no scorpiox-code for $(uname -s) here. On Windows run scripts/install.ps1 in PowerShell." ;;
  esac
  say "system: $system"
}

read_darwin() {
  # A shell under Rosetta calls an Apple processor x86_64.
  if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then cpu=arm64; fi
  target=darwin-$cpu
  system="macOS $cpu"
}

read_linux() {
  if glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null); then
    glibc=${glibc##* }
    version_at_least "$glibc" 2 17 ||
      fail "glibc $glibc is too old: scorpiox-code needs 2.17 or newer. Use a newer distribution or a container."
    target=linux-$cpu
    system="Linux $cpu, glibc $glibc"
  elif ls /lib/ld-musl-*.so.1 >/dev/null 2>&1; then
    ls /usr/lib/libstdc++.so.6 /lib/libstdc++.so.6 /usr/lib/libstdc++.so.6.* >/dev/null 2>&1 ||
      fail "libstdc++ is missing, which programs for musl need here. On Alpine: apk add libstdc++"
    target=linux-$cpu-musl
    system="Linux $cpu, musl"
  else
    fail "no C library that scorpiox-code can use: it needs glibc 2.17 or newer, or musl with libstdc++."
  fi
}

# version_at_least 2.36 2 17
version_at_least() {
  major=${1%%.*}
  minor=${1#*.}
  minor=${minor%%.*}
  [ "$major" -gt "$2" ] || { [ "$major" -eq "$2" ] && [ "$minor" -ge "$3" ]; }
}

# ---- where it goes ------------------------------------------------------------------------------

choose_folder() {
  if [ -n "${SCORPIOX_HOME:-}" ]; then
    folder=$SCORPIOX_HOME
  elif [ -n "${HOME:-}" ]; then
    folder=${HOME%/}/.scorpiox
  else
    fail "HOME is not set, so there is no folder to install into. Set HOME, or SCORPIOX_HOME to a folder of your own."
  fi
  case $folder in
    /*) ;;
    *) folder=$(pwd)/$folder ;;
  esac
  # With the umask of main, a folder made here is 0700; one that was there keeps its mode.
  mkdir -p -- "$folder" 2>"$work/reason" ||
    fail "cannot create $folder: $(reason). Set SCORPIOX_HOME to a folder that you can write to."
  # A user who can write there can replace our files, before and after they are checked.
  case $(ls -ld -- "$folder/.") in
    ????????w*) fail "everybody may write to $folder: run chmod o-w on it, or set SCORPIOX_HOME to a folder of your own." ;;
  esac
  # shellcheck disable=SC2015 # either step may be the one that fails
  { : >"$folder/.scorpiox-code.try.$$" && rm -f -- "$folder/.scorpiox-code.try.$$"; } 2>"$work/reason" ||
    fail "cannot write to $folder: $(reason). Make it writable, or set SCORPIOX_HOME to another folder."
  binary=$folder/scorpiox-code
  [ ! -d "$binary" ] || fail "$binary is a folder. Move it away, or set SCORPIOX_HOME to another folder."
}

reason() { tail -n 1 "$work/reason" | sed 's/^.*: //'; }

# The folder above this script when that is our repository; nothing when the script comes from a pipe.
find_checkout() {
  case $0 in */install.sh | install.sh) ;; *) return 0 ;; esac
  above=$(cd "$(dirname "$0")/.." 2>/dev/null && pwd) || return 0
  if [ -f "$above/scripts/build.ts" ] && grep -q '"name": "scorpiox-code"' "$above/package.json"; then
    printf '%s\n' "$above"
  fi
}

build_checkout() {
  say "source: this checkout, $checkout"
  # shellcheck source=scripts/bootstrap.sh disable=SC1091
  . "$checkout/scripts/bootstrap.sh"
  umask "$umask_before"
  get_bun "$checkout"
  bun "$checkout/scripts/build.ts" --target "$target" </dev/null >&2 || fail "the build failed (above)."
  umask 077
}

# ---- get the file, checked, beside its place -----------------------------------------------------

stage() {
  file=scorpiox-code-$target
  say "source: $source_url"
  get SHA256SUMS "$work/SHA256SUMS"
  check_signature
  expected=$(released_sum "$file")
  is_sha256 "$expected" || fail "SHA256SUMS at $source_url has no SHA-256 for $file. Nothing was installed."
  staged=$folder/.scorpiox-code.new.$$
  choose_archive
  if [ -n "$archive" ]; then
    get_archive
  else
    get "$file" "$staged" --show-progress
  fi
  check_sum "$staged" "$file" "$expected"
  chmod 700 "$staged"
  say "checksum: $actual"
}

# The SHA-256 that a file of the release has; nothing when the release has no such file.
released_sum() { awk -v file="$1" '$2 == file || $2 == "*" file { print $1; exit }' "$work/SHA256SUMS"; }

# check_sum PATH NAME EXPECTED
check_sum() {
  actual=$(sha256_of "$1") || fail "cannot compute a SHA-256: install sha256sum (coreutils), shasum or openssl."
  [ "$actual" = "$3" ] || {
    rm -f -- "$1"
    fail "$2 is not what was released: nothing was installed.
  expected $3
  actual   $actual
Download it again; if it stays like this, do not run it, and report it."
  }
}

# The smallest packed form that the release has and this machine can unpack; none for a build.
choose_archive() {
  archive=
  for unpack in zstd gzip; do
    ending=gz
    [ "$unpack" = gzip ] || ending=zst
    archive_sum=$(released_sum "$file.$ending")
    if is_sha256 "$archive_sum" && command -v "$unpack" >/dev/null 2>&1; then
      archive=$file.$ending
      return 0
    fi
  done
  unpack=
}

# What was got of it before, by an installer that was interrupted, is not got again: its name says what it is to become.
get_archive() {
  partial=$folder/.scorpiox-code.part.$archive_sum
  for stale in "$folder"/.scorpiox-code.part.*; do
    [ "$stale" = "$partial" ] || rm -f -- "$stale"
  done
  taken=$work/archive
  # Two installers at once do not write to one file: who takes it away has it.
  mv -- "$partial" "$taken" 2>/dev/null || true
  get "$archive" "$taken" --show-progress
  check_sum "$taken" "$archive" "$archive_sum"
  "$unpack" -dc <"$taken" >"$staged" 2>"$work/reason" ||
    fail "cannot unpack $archive: $(reason). Nothing was installed ($(free_space) free in $folder)."
  rm -f -- "$taken"
}

# get NAME TO [--show-progress]
get() {
  bar=no
  # Only where somebody sees it, and not for the small files.
  if [ "${3:-}" = --show-progress ] && [ -t 2 ]; then bar=yes; fi
  url=$source_url/$1
  case $url in
    file://*) cp -- "${url#file://}" "$2" 2>"$work/reason" ;;
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*)
      need_downloader
      download "$url" "$2"
      ;;
    *) fail "SCORPIOX_RELEASE_URL must start with https:// or file://, not: $url" ;;
  esac || fail "cannot get $url: $(reason). Nothing was installed ($(free_space) free in $folder)."
}

need_downloader() {
  command -v curl >/dev/null 2>&1 || command -v wget >/dev/null 2>&1 ||
    fail "curl or wget is needed to download. On Debian: apt-get install curl; on Alpine: apk add curl."
}

# download URL TO: goes on where it stopped, as often as each try brings something or a few tries bring nothing.
download() {
  tries=0
  while :; do
    before=$(size_of "$2")
    if fetch_rest "$1" "$2"; then return 0; fi
    case $fetched in
      # The server gives no parts, or has less than is here: from the start.
      33 | 36 | status-416) rm -f -- "$2" ;;
      # Asking again changes nothing: the file cannot be written, or the server said no.
      23 | status-40[0-79] | status-4[1-9]*) return 1 ;;
    esac
    if [ "$(size_of "$2")" -gt "$before" ]; then tries=0; else tries=$((tries + 1)); fi
    [ "$tries" -lt "$DOWNLOAD_TRIES" ] || return 1
    say "the download stopped after $(size_of "$2") bytes ($(reason)); taking it up again"
    sleep "$tries"
  done
}

size_of() { if [ -f "$1" ]; then wc -c <"$1" | tr -d ' '; else echo 0; fi; }

# How it failed is in $fetched, what was said in $work/reason.
fetch_rest() {
  fetched=0
  if command -v curl >/dev/null 2>&1; then
    # What begins with https stays with it, also where it is sent on to.
    protocols='=http,https'
    case $1 in https://*) protocols='=https' ;; esac
    set -- -fL --proto "$protocols" --proto-redir "$protocols" --connect-timeout 20 -y "$STALL_SECONDS" -Y "$STALL_BYTES" -C - -w '%{http_code}' -o "$2" "$1"
    if [ "$bar" = yes ]; then
      status=$(curl --progress-bar "$@" </dev/null) || fetched=$?
      [ "$fetched" -eq 0 ] || echo "curl ended with $fetched, HTTP status $status" >"$work/reason"
    else
      status=$(curl -sS "$@" </dev/null 2>"$work/reason") || fetched=$?
    fi
    [ "$fetched" -ne 22 ] || fetched=status-$status
  elif [ "$bar" = yes ]; then
    wget -c -T "$STALL_SECONDS" -O "$2" "$1" </dev/null || fetched=$?
    [ "$fetched" -eq 0 ] || echo "wget ended with $fetched" >"$work/reason"
  else
    wget -q -c -T "$STALL_SECONDS" -O "$2" "$1" </dev/null 2>"$work/reason" || fetched=$?
    # GNU's wget says so of any answer of 400 or above.
    [ "$fetched" -ne 8 ] || fetched=status-400
  fi
  [ "$fetched" = 0 ]
}

free_space() { df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { printf "%d MB", $4 / 1024 }'; }

is_sha256() { [ "${#1}" -eq 64 ] && case $1 in *[!0-9a-f]*) false ;; esac; }

sha256_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -c 1-64
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1" | cut -c 1-64
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1" | cut -c 1-64
  else
    return 1
  fi
}

# Who signed the list of checksums, which comes from the same place as the program. A folder of this machine is its user's own.
check_signature() {
  [ -n "$REPOSITORY" ] || return 0
  case $source_url in https://*) ;; *) return 0 ;; esac
  signed_by=
  check_release_key
  check_workflow
  [ -n "$signed_by" ] || allow_unsigned
  say "signature: ${signed_by:-not checked ($unchecked); the checksum is}"
}

# Every openssl of the last ten years can tell, and LibreSSL.
check_release_key() {
  if [ -z "$PUBLIC_KEY" ]; then
    unchecked="this project has not set its release key yet"
  elif ! command -v openssl >/dev/null 2>&1; then
    unchecked="neither openssl nor cosign is installed"
  else
    {
      echo "-----BEGIN PUBLIC KEY-----"
      printf '%s\n' "$PUBLIC_KEY" | fold -w 64
      echo "-----END PUBLIC KEY-----"
    } >"$work/release-key.pem"
    get SHA256SUMS.sig "$work/SHA256SUMS.sig"
    openssl dgst -sha256 -verify "$work/release-key.pem" -signature "$work/SHA256SUMS.sig" "$work/SHA256SUMS" \
      </dev/null >"$work/reason" 2>&1 ||
      fail "the signature of SHA256SUMS is not of this project's release key. Nothing was installed. Do not run what you have downloaded, and report it."
    signed_by="of this project's release key"
  fi
}

check_workflow() {
  case $source_url in "$RELEASES"/*) ;; *) return 0 ;; esac
  command -v cosign >/dev/null 2>&1 || return 0
  get SHA256SUMS.sigstore.json "$work/SHA256SUMS.sigstore.json"
  cosign verify-blob --bundle "$work/SHA256SUMS.sigstore.json" \
    --certificate-identity-regexp "$(signer)" \
    --certificate-oidc-issuer https://token.actions.githubusercontent.com \
    "$work/SHA256SUMS" </dev/null >&2 ||
    fail "the signature of SHA256SUMS is not from this project's release workflow. Nothing was installed."
  signed_by="${signed_by:+$signed_by, and }of this project's release workflow"
}

# Nothing could look: the user decides, here or beforehand.
allow_unsigned() {
  [ "${SCORPIOX_INSTALL_UNSIGNED:-}" != 1 ] || return 0
  # A script from a pipe has the pipe as its input, and the terminal besides.
  if (: </dev/tty) 2>/dev/null; then
    printf 'The signature of this release cannot be checked: %s.\nInstall it all the same? [y/N] ' "$unchecked" >/dev/tty
    read -r answer </dev/tty || answer=
    case $answer in y | Y | yes | Yes | YES) return 0 ;; esac
  fi
  fail "the signature of this release cannot be checked: $unchecked. Nothing was installed. Install openssl or cosign, or set SCORPIOX_INSTALL_UNSIGNED=1 to go without."
}

# The release workflow of the repository, as a regular expression over the identity in a certificate.
signer() {
  printf '^https://github\\.com/%s/\\.github/workflows/release\\.yml@refs/tags/v' \
    "$(printf '%s' "$REPOSITORY" | sed 's/\./\\./g')"
}

# ---- put it in place, keep a way back -------------------------------------------------------------

# A rename: running programs keep the old file, a new start gets one or the other.
swap() {
  if [ -f "$binary" ] && cmp -s -- "$binary" "$staged"; then
    say "in place: the same file is already there"
    rm -f -- "$staged"
    chmod 700 "$binary"
    return 0
  fi
  if [ -f "$binary" ]; then
    old=$folder/.scorpiox-code.old.$$
    ln -- "$binary" "$old" 2>/dev/null || cp -p -- "$binary" "$old" ||
      fail "cannot keep the present program as $folder/scorpiox-code.previous. Nothing was changed."
  fi
  swapped=yes
  mv -f -- "$staged" "$binary"
}

keep_previous() {
  swapped=no
  [ -z "$old" ] || mv -f -- "$old" "$folder/scorpiox-code.previous"
}

# Also after a failure or a signal: what was there before is there again.
clean_up() {
  status=$?
  trap - EXIT
  trap '' HUP INT TERM
  [ -z "$server" ] || kill -s KILL "$server" 2>/dev/null || true
  if [ "$swapped" = yes ] && [ ! -e "$staged" ]; then
    if [ -n "$old" ]; then
      mv -f -- "$old" "$binary" && printf 'install: the program that was there before is back in place.\n' >&2
    else
      rm -f -- "$binary"
    fi
  fi
  [ -z "$staged" ] || rm -f -- "$staged"
  [ -z "$old" ] || rm -f -- "$old"
  # The next installer resumes this download.
  if [ -n "${taken:-}" ] && [ -s "$taken" ]; then mv -f -- "$taken" "$partial" 2>/dev/null || true; fi
  [ -z "$work" ] || rm -rf -- "$work"
  exit "$status"
}

# ---- proof: what a client will do -----------------------------------------------------------------

prove() {
  mkfifo "$work/in"
  mkdir "$work/cwd"
  # Not in this script's folder: the proof must not depend on a project.
  (cd "$work/cwd" && exec "$binary" <"$work/in" >"$work/out" 2>"$work/err") 2>"$work/start" &
  server=$!
  exec 3>"$work/in"

  ask 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"scorpiox-install","version":"1"}}'
  version=$(printf '%s\n' "$reply" | sed -n 's/.*"serverInfo":{[^}]*"version":"\([^"]*\)".*/\1/p')
  say "proof: handshake, version ${version:-unknown}"
  send '{"jsonrpc":"2.0","method":"notifications/initialized"}'

  ask 2 tools/list '{}'
  tools=$(printf '%s\n' "$reply" | grep -o '"inputSchema"' | wc -l | tr -d ' ')
  [ "$tools" -gt 0 ] || proof_failed "tools/list gave no tools: $reply"
  say "proof: tools/list, $tools tools"

  # The answer is not in the question, so that only a shell can have written it.
  # shellcheck disable=SC2016 # the shell of the tool expands it
  ask 3 tools/call '{"name":"Bash","arguments":{"command":"echo scorpiox-$((6*7))"}}'
  case $reply in
    *'"isError":true'*) proof_failed "the Bash tool reported an error: $reply" ;;
    *scorpiox-42*) say "proof: Bash ran a command" ;;
    *) proof_failed "the Bash tool gave another answer: $reply" ;;
  esac

  exec 3>&-
  wait_until server_ended || proof_failed "it did not end within $REPLY_SECONDS_MAX s of its input being closed"
  server=
}

# A subshell, so that a server that is gone ends it and not us.
send() { (printf '%s\n' "$1" >&3) 2>/dev/null || true; }

# ask ID METHOD PARAMS: afterwards $reply is the line with the result.
ask() {
  send "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"$2\",\"params\":$3}"
  wanted=$1
  wait_until has_reply || proof_failed "no answer to $2 within $REPLY_SECONDS_MAX s"
  case $reply in *'"result"'*) ;; *) proof_failed "$2 failed: $reply" ;; esac
}

has_reply() {
  reply=$(grep -E "\"id\": ?(${wanted})[,}]" "$work/out" 2>/dev/null | grep -E '"(result|error)":' | head -n 1) || true
  [ -n "$reply" ] && return 0
  ! server_ended || proof_failed "it ended before it answered"
  return 1
}

server_ended() { ! kill -0 "$server" 2>/dev/null; }

# wait_until CONDITION: false after REPLY_SECONDS_MAX.
wait_until() {
  deadline=$(($(date +%s) + REPLY_SECONDS_MAX))
  until "$1"; do
    [ "$(date +%s)" -lt "$deadline" ] || return 1
    sleep 0.05 2>/dev/null || sleep 1
  done
}

proof_failed() {
  cat "$work/start" "$work/err" 2>/dev/null | tail -n 5 | sed 's/^/  /' >&2
  fail "the installed program does not work: $1. Its output, if any, is above."
}

# ---- what to do next ------------------------------------------------------------------------------

# Connects the clients that SCORPIOX_CONNECT names, or those that the user at the terminal agrees to; fails when none was.
connect_clients() {
  if [ -n "${SCORPIOX_CONNECT:-}" ]; then
    names=$SCORPIOX_CONNECT
    [ "$names" != all ] || names=
    # shellcheck disable=SC2086 # a list of clients
    "$binary" install $names --create --yes </dev/null ||
      fail "the program is installed, but a client could not be connected (above). Run: $binary install"
  elif [ -t 2 ] && { : </dev/tty; } 2>/dev/null; then
    say "clients: each change is shown first; undo takes it back"
    "$binary" install </dev/tty
  else
    return 1
  fi
}

print_clients() {
  path=$(printf '%s' "$binary" | sed 's/\\/\\\\/g; s/"/\\"/g')
  case $binary in
    *[!A-Za-z0-9_./-]*) word="'$(printf '%s' "$binary" | sed "s/'/'\\\\''/g")'" ;;
    *) word=$binary ;;
  esac
  if [ "${target%%-*}" = darwin ]; then
    applications="$HOME_SHOWN/Library/Application Support"
  else
    applications="$HOME_SHOWN/.config"
  fi
  cat <<END

Connect your clients, which shows each change and asks:   $word install

Or paste into the client that you use:

Claude Desktop   $applications/Claude/claude_desktop_config.json   (then quit it fully and start it again)
{
  "mcpServers": {
    "scorpiox-code": { "command": "$path", "args": ["--client", "claude-desktop"] }
  }
}

Claude Code      in a terminal
claude mcp add -s user scorpiox-code -- $word --client claude-code

Cursor           $HOME_SHOWN/.cursor/mcp.json   (it reloads by itself)
{
  "mcpServers": {
    "scorpiox-code": { "command": "$path", "args": ["--client", "cursor"] }
  }
}

VS Code          $applications/Code/User/mcp.json
{
  "servers": {
    "scorpiox-code": { "type": "stdio", "command": "$path", "args": ["--client", "vscode"] }
  }
}

Where the file already has servers, add the "scorpiox-code" entry to them.
END
}

main "$@"
