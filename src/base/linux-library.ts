import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/**
 * Calls of the C library of Linux, be it glibc's or musl's.
 * @throws Error when there is neither
 */
export function openLinuxLibrary<Calls extends Record<string, FFIFunction>>(
  calls: Calls,
): Library<Calls>["symbols"] {
  try {
    return dlopen("libc.so.6", calls).symbols;
  } catch {
    const musl = `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`;
    return dlopen(musl, calls).symbols;
  }
}
