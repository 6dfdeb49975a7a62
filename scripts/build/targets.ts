import { platformFile, runsOnMusl } from "../../src/update/channel.ts";

/** One platform that a release has a binary for. */
export interface Target {
  /** What `--target` takes. */
  readonly name: string;
  /** The executable in `dist/` and in a release. */
  readonly file: string;
  /** The value of Bun's own `--target`. */
  readonly bun: Bun.Build.CompileTarget;
  readonly os: "linux" | "darwin" | "windows";
  readonly cpu: "x64" | "arm64";
  readonly libc?: "glibc" | "musl";
  /** Bytecode halves the cold start; Bun 1.4.5 writes it for every target, from any machine. */
  readonly bytecode: boolean;
  /** We sign it: Bun 1.4.5 leaves its own signature, over other bytes, on what it compiles for macOS on Intel. */
  readonly signedHere: boolean;
}

function target(row: Pick<Target, "os" | "cpu" | "libc">): Target {
  const name = [row.os, row.cpu, row.libc === "musl" ? "musl" : ""].filter(Boolean).join("-");
  const platform = row.os === "windows" ? "win32" : row.os;
  const file = platformFile(platform, row.cpu, row.libc === "musl");
  return {
    ...row,
    name,
    file,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Bun's names of platforms have this form
    bun: `bun-${name}` as Bun.Build.CompileTarget,
    bytecode: true,
    signedHere: row.os === "darwin" && row.cpu === "x64",
  };
}

/** Every platform, and the only place that lists them. */
export const targets: readonly Target[] = [
  target({ os: "linux", cpu: "x64", libc: "glibc" }),
  target({ os: "linux", cpu: "arm64", libc: "glibc" }),
  target({ os: "linux", cpu: "x64", libc: "musl" }),
  target({ os: "linux", cpu: "arm64", libc: "musl" }),
  target({ os: "darwin", cpu: "x64" }),
  target({ os: "darwin", cpu: "arm64" }),
  target({ os: "windows", cpu: "x64" }),
  target({ os: "windows", cpu: "arm64" }),
];

export function findTarget(name: string): Target | undefined {
  return targets.find((row) => row.name === name);
}

/** The target of a machine, or undefined when there is no binary for it. */
export function targetOf(platform: string, arch: string, musl: boolean): Target | undefined {
  const os = platform === "win32" ? "windows" : platform;
  return targets.find(
    (row) =>
      row.os === os && row.cpu === arch && (row.libc === "musl") === (musl && os === "linux"),
  );
}

/** The target of the machine that this process runs on. */
export function hostTarget(): Target | undefined {
  return targetOf(process.platform, process.arch, process.platform === "linux" && runsOnMusl());
}
