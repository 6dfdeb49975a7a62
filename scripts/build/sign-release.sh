#!/bin/sh
# Signs the checksums of a release: sh scripts/build/sign-release.sh FOLDER writes FOLDER/SHA256SUMS.sig.
#
# RELEASE_KEY  the private key (PEM, ECDSA P-256), from the environment of the release alone: it is never written to a file
set -eu

folder=${1:?the folder of the release is missing}
public=$(dirname "$0")/../release-key.pem

fail() {
  rm -f -- "$folder/SHA256SUMS.sig"
  printf 'sign-release: %s\n' "$*" >&2
  exit 1
}

grep -q -e '-----BEGIN PUBLIC KEY' "$public" ||
  fail "scripts/release-key.pem has no key yet: its owner puts the public key there as it says."
[ -n "${RELEASE_KEY:-}" ] || fail "RELEASE_KEY is not set: the secret of the release environment is missing."
# On a descriptor: in an argument every user of the machine could read it.
printf '%s\n' "$RELEASE_KEY" | openssl dgst -sha256 -sign /dev/stdin -out "$folder/SHA256SUMS.sig" "$folder/SHA256SUMS" ||
  fail "openssl cannot sign with RELEASE_KEY."
openssl dgst -sha256 -verify "$public" -signature "$folder/SHA256SUMS.sig" "$folder/SHA256SUMS" >/dev/null ||
  fail "RELEASE_KEY is not the private half of scripts/release-key.pem."
