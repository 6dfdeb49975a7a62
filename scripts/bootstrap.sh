# shellcheck shell=sh
# Sourced by install.sh and test.sh, which define `say` (progress) and `fail` (message, then exit 1).
# Gets Bun and the packages of the lock file with nothing but Node and npm, and puts them on PATH.

NODE_MAJOR_MIN=20

# get_bun ROOT: afterwards `bun` is the pinned one.
get_bun() {
  root=$1
  need_node
  if packages_match "$root"; then
    say "packages: already as the lock file says"
  else
    say "packages: npm ci"
    install_packages "$root" ||
      fail "npm could not install the packages (above). It needs the npm registry, and write access to $root."
  fi
  PATH="$root/node_modules/.bin:$PATH"
  export PATH
  place_bun "$root"
  say "Bun $(bun --version)"
}

need_node() {
  command -v node >/dev/null 2>&1 ||
    fail "Node.js $NODE_MAJOR_MIN or newer is needed to build from source. Install it (https://nodejs.org) and run this again."
  node_version=$(node -p process.versions.node </dev/null 2>/dev/null) || node_version=0
  [ "${node_version%%.*}" -ge "$NODE_MAJOR_MIN" ] ||
    fail "Node.js $node_version is too old: $NODE_MAJOR_MIN or newer is needed to build from source (https://nodejs.org)."
  command -v npm >/dev/null 2>&1 ||
    fail "npm is needed to build from source and is not on PATH. It comes with Node.js (https://nodejs.org); on Debian: apt-get install npm."
}

# True when every package that the lock file demands is there in its version: no download, no waiting.
packages_match() {
  (
    cd "$1" && node -e '
      const read = (path) => JSON.parse(require("fs").readFileSync(path, "utf8")).packages;
      const wanted = read("package-lock.json"), found = read("node_modules/.package-lock.json");
      const missing = Object.keys(wanted).filter((key) => key !== "" && !wanted[key].optional)
        .filter((key) => found[key]?.version !== wanted[key].version);
      process.exit(missing.length === 0 ? 0 : 1);
    '
  ) </dev/null >/dev/null 2>&1
}

# Install scripts of packages are not run. Bun needs its own: place_bun runs that one by name.
install_packages() (
  cd "$1" || exit 1
  npm_cache=
  if [ -z "${HOME:-}" ] || ! [ -w "$HOME" ]; then
    npm_cache=$(mktemp -d) && export npm_config_cache="$npm_cache"
  fi
  npm_result=0
  npm_quietly ci || npm_result=$?
  if [ "$npm_result" -ne 0 ]; then
    # A lock file written where a package of another platform could not be seen: npm ci refuses it.
    say "npm ci refused (above); npm install with the same lock file"
    npm_result=0
    npm_quietly install --no-save || npm_result=$?
  fi
  [ -z "$npm_cache" ] || rm -rf "$npm_cache"
  exit "$npm_result"
)

npm_quietly() {
  npm "$@" --include=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --no-progress --loglevel=error </dev/null >&2
}

# node_modules/bun holds a placeholder until its install step has put the executable there.
place_bun() {
  bun --version </dev/null >/dev/null 2>&1 && return
  (cd "$1/node_modules/bun" && node install.js) </dev/null >&2 || true
  bun --version >/dev/null 2>&1 </dev/null ||
    fail "Bun does not start after installing. Try: cd $1 && rm -rf node_modules, and run this again. On Alpine: apk add libstdc++ libgcc."
}
