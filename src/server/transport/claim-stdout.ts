import { dlopen, FFIType } from "bun:ffi";

/** `F_DUPFD_CLOEXEC` of <fcntl.h> on Linux. */
const duplicateCloseOnExec = 1030;
/** The C library under its names on macOS, glibc and musl. */
const libraryNames =
  process.platform === "darwin"
    ? ["libSystem.dylib"]
    : ["libc.so.6", "libc.so", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Duplicates descriptor 1 for the caller alone and points 1 at stderr, so that neither native code nor a child
 * that inherits 1 can write between protocol messages (TH1). Returns the private descriptor;
 * undefined where the system offers no way, and nothing has changed then.
 */
export function duplicateStdout(): number | undefined {
  if (process.platform === "win32") return undefined;
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const { dup, dup2, fcntl } = libc.symbols;
  // `fcntl` is variadic, and Apple silicon passes such arguments elsewhere. There a plain duplicate does:
  // Bun starts children with POSIX_SPAWN_CLOEXEC_DEFAULT.
  const isDarwin = process.platform === "darwin";
  const descriptor = isDarwin ? dup(1) : fcntl(1, duplicateCloseOnExec, 3);
  if (descriptor < 0) return undefined;
  dup2(2, 1);
  return descriptor;
}

function loadLibc(name: string) {
  const { i32 } = FFIType;
  return dlopen(name, {
    dup: { args: [i32], returns: i32 },
    fcntl: { args: [i32, i32, i32], returns: i32 },
    dup2: { args: [i32, i32], returns: i32 },
  });
}

function openLibc(): ReturnType<typeof loadLibc> | undefined {
  for (const name of libraryNames) {
    try {
      return loadLibc(name);
    } catch {
      // Not this C library; the next name is tried.
    }
  }
  return undefined;
}
