import { closeSync, openSync, readSync } from "node:fs";

const headBytes = 512;

/** Values of `e_machine`, of `cputype` and of `Machine` that we build for. */
const elfMachines: Readonly<Record<number, string>> = { 0x3e: "x64", 0xb7: "arm64" };
const machMachines: Readonly<Record<number, string>> = { 0x1000007: "x64", 0x100000c: "arm64" };
const peMachines: Readonly<Record<number, string>> = { 0x8664: "x64", 0xaa64: "arm64" };

/**
 * The system and processor that an executable file is for, as `linux arm64`, from its first bytes. Undefined: a script, a file
 * for several processors, or one that cannot be read.
 */
export function programKind(path: string): string | undefined {
  const head = headOf(path);
  if (head === undefined || head.length < 64) return undefined;
  const known = (system: string, processor: string | undefined): string | undefined =>
    processor === undefined ? undefined : `${system} ${processor}`;
  if (head.readUInt32BE(0) === 0x7f454c46)
    return known("linux", elfMachines[head.readUInt16LE(18)]);
  if (head.readUInt32LE(0) === 0xfeedfacf)
    return known("darwin", machMachines[head.readUInt32LE(4)]);
  if (head.toString("latin1", 0, 2) !== "MZ") return undefined;
  const at = head.readUInt32LE(60);
  if (at + 6 > head.length || head.toString("latin1", at, at + 4) !== "PE\0\0") return undefined;
  return known("win32", peMachines[head.readUInt16LE(at + 4)]);
}

function headOf(path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(descriptor, head, 0, headBytes, 0));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether this machine starts programs of that kind, its emulators included. Nothing is known against an unknown one. */
export function startsHere(kind: string | undefined): boolean {
  if (kind === undefined) return true;
  const [system, processor] = kind.split(" ");
  if (system !== process.platform) return false;
  // Rosetta, and Windows on arm64, run programs for x64.
  const emulates = process.arch === "arm64" && process.platform !== "linux" && processor === "x64";
  return processor === process.arch || emulates;
}
