import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostTarget } from "../../scripts/build/targets.ts";

/** How a fake program misbehaves; "none" answers as the real one does. */
export type Fault = "none" | "dies" | "no tools" | "Bash fails" | "Bash lies";

export interface FakeRelease {
  readonly folder: string;
  readonly url: string;
  readonly file: string;
  readonly sha256: string;
}

/** The name of this machine's binary in a release. */
export const hostFile = hostTarget()?.file ?? "scorpiox-code-none";

/** A release folder whose binary is a shell script that answers the installer's three requests. */
export function createRelease(folder: string, version: string, fault: Fault = "none"): FakeRelease {
  mkdirSync(folder, { recursive: true });
  const program = fakeProgram(version, fault);
  const sha256 = createHash("sha256").update(program).digest("hex");
  writeFileSync(join(folder, hostFile), program);
  writeFileSync(
    join(folder, "SHA256SUMS"),
    `${"0".repeat(64)}  scorpiox-code-plan9-x64\n${sha256}  ${hostFile}\n`,
  );
  return { folder, url: `file://${folder}`, file: join(folder, hostFile), sha256 };
}

/** Packs the program as a release does: the folder then has the archives and no program. */
export function packRelease(release: FakeRelease, endings: readonly ("gz" | "zst")[]): void {
  const program = readFileSync(release.file);
  rmSync(release.file);
  let sums = `${createHash("sha256").update(program).digest("hex")}  ${hostFile}\n`;
  for (const ending of endings) {
    const packed = ending === "gz" ? Bun.gzipSync(program) : Bun.zstdCompressSync(program);
    writeFileSync(`${release.file}.${ending}`, packed);
    sums += `${createHash("sha256").update(packed).digest("hex")}  ${hostFile}.${ending}\n`;
  }
  writeFileSync(join(release.folder, "SHA256SUMS"), sums);
}

function fakeProgram(version: string, fault: Fault): string {
  const tools = fault === "no tools" ? [] : [{ name: "Bash", inputSchema: { type: "object" } }];
  const said = fault === "Bash lies" ? "hello" : "scorpiox-42";
  const initialized = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "scorpiox-code", version },
  };
  const called = { content: [{ type: "text", text: said }], isError: fault === "Bash fails" };
  return `#!/bin/sh
if [ $# -gt 0 ]; then echo "asked: $*"; exit 0; fi
${fault === "dies" ? "echo no such library >&2; exit 127" : ""}
while read -r line; do
  case $line in
    *'"initialize"'*) echo '${reply(1, initialized)}' ;;
    *'"tools/list"'*) echo '${reply(2, { tools })}' ;;
    *'"tools/call"'*) echo '${reply(3, called)}' ;;
  esac
done
# ${"as long as a file that a small limit cuts ".repeat(100)}
`;
}

function reply(id: number, result: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}
