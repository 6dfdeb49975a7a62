import { readFileSync } from "node:fs";

/** The executable of a release for a platform; a release may have none. */
export function platformFile(platform: string, arch: string, isMusl: boolean): string {
  const system = platform === "win32" ? "windows" : platform;
  const libc = isMusl && platform === "linux" ? "-musl" : "";
  return `scorpiox-code-${system}-${arch}${libc}${platform === "win32" ? ".exe" : ""}`;
}

/** Asks how this very process is linked: a glibc system may have a musl loader too. */
export function runsOnMusl(): boolean {
  try {
    return /\/(ld-musl-|libc\.musl-)/.test(readFileSync("/proc/self/maps", "utf8"));
  } catch {
    return false;
  }
}
