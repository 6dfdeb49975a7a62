#!/bin/sh
# Every static check, quickest first. Exits at the first one that fails.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
echo "gate: format" && bun fmt --check --no-script
echo "gate: types" && bun check --no-script
echo "gate: lint" && oxlint --type-aware src test scripts
echo "gate: dead code" && knip --no-progress
echo "gate: layers and style" && bun test test/architecture.test.ts
