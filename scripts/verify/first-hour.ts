/**
 * From nothing to the first answer with one command: an empty home, a release folder on loopback, `install.sh`. Without Node on
 * PATH an SDK client, compiled to one file, gets its first tool answer; Claude Code from npm lists the server as connected, and
 * calls a tool that a scripted model on loopback asks for.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { pack, writeArchives } from "../build/archives.ts";
import { hostTarget } from "../build/targets.ts";
import { realClients } from "../seen/clients.ts";
import { installClient } from "../seen/install-clients.ts";
import { startModel } from "../seen/model-endpoint.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { runProgram } from "./run-program.ts";

/** The bound for everything but the download and the client's own start. */
const firstAnswerMsMax = 10_000;

/** A client of the official SDK that starts the server in argv, calls Bash, and prints its answer. */
const sdkClient = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "first-hour", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const result = await client.callTool({ name: "Bash", arguments: { command: "echo scorpiox-$((6*7))" } });
console.log(result.content.at(0).text);
await client.close();
`;

export async function checkFirstHour(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-first-"));
  const faults: string[] = [];
  const rows: (readonly [string, string, string])[] = [];
  try {
    const bytes = await makeRelease(join(folder, "release"));
    rows.push(["bytes to download", "", `${(bytes / 1e6).toFixed(1)} MB`]);
    await sdkRow(folder, faults, rows);
    await claudeRow(folder, faults, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    name: "from an empty home to the first answer with one command",
    passed: faults.length === 0,
    figures: rows.map(([name, , figure]) => `${name}: ${figure}`).join("; "),
    faults,
    details: rows,
  };
}

/** What a release has for this machine. @returns the bytes that an installer downloads */
async function makeRelease(release: string): Promise<number> {
  const file = hostTarget()?.file ?? "";
  mkdirSync(release);
  cpSync(productBinary, join(release, file));
  const archives = writeArchives(release, file, await pack(await Bun.file(productBinary).bytes()));
  const names = [file, ...archives];
  const sums = names.map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(release, name)))
        .digest("hex")}  ${name}\n`,
  );
  writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
  rmSync(join(release, file));
  const packed = Bun.which("zstd") === null ? ".gz" : ".zst";
  return Bun.file(join(release, file + packed)).size;
}

/** PATH with the programs that the installer needs, and no Node. */
function pathWithoutNode(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const needed = [
    "sh",
    "uname",
    "getconf",
    "mkdir",
    "mktemp",
    "ls",
    "cat",
    "cp",
    "mv",
    "rm",
    "ln",
    "cmp",
    "chmod",
    "awk",
    "sed",
    "tr",
    "wc",
    "cut",
    "tail",
    "grep",
    "head",
    "df",
    "date",
    "sleep",
    "id",
    "mkfifo",
    "kill",
    "sha256sum",
    "zstd",
    "gzip",
    "dirname",
    "bash",
    "ps",
    "fold",
    "tty",
    "env",
  ];
  for (const name of needed) {
    const path = Bun.which(name);
    if (path !== null) symlinkSync(path, join(bin, basename(name)));
  }
  return bin;
}

async function sdkRow(
  folder: string,
  faults: string[],
  rows: (readonly [string, string, string])[],
): Promise<void> {
  const source = join(root, "dist", "first-hour-client.ts");
  const program = join(folder, "sdk-client");
  writeFileSync(source, sdkClient);
  const built = await runProgram(
    [process.execPath, "build", "--compile", "--outfile", program, source],
    { ...process.env } as Record<string, string>,
    root,
  );
  rmSync(source, { force: true });
  if (built.code !== 0) return void faults.push(`the SDK client was not built: ${built.text}`);
  const home = join(folder, "home-sdk");
  mkdirSync(home);
  const env = {
    HOME: home,
    PATH: pathWithoutNode(folder),
    SCORPIOX_RELEASE_URL: `file://${join(folder, "release")}`,
  };
  if (Bun.which("node", { PATH: env.PATH }) !== null)
    faults.push("node is on the PATH of the rehearsal");
  const installing = await runProgram(["sh", join(root, "scripts/install.sh")], env, home);
  const calling = await runProgram([program, join(home, ".scorpiox/scorpiox-code")], env, home);
  if (installing.code !== 0) faults.push(`install.sh: ${installing.text.slice(-400)}`);
  if (!calling.text.includes("scorpiox-42"))
    faults.push(`the SDK client got: ${calling.text.slice(-400)}`);
  const total = installing.ms + calling.ms;
  if (total > firstAnswerMsMax) faults.push(`the first answer took ${seconds(total)}`);
  rows.push([
    "without Node, to the first answer of an SDK client",
    "",
    `${seconds(total)} (installer ${seconds(installing.ms)})`,
  ]);
}

async function claudeRow(
  folder: string,
  faults: string[],
  rows: (readonly [string, string, string])[],
): Promise<void> {
  const client = realClients.find(({ id }) => id === "claude-code");
  if (client === undefined) return;
  const installed = installClient(client);
  if ("reason" in installed) return void rows.push(["Claude Code", "not run", installed.reason]);
  const home = join(folder, "home-claude");
  const work = join(home, "work");
  mkdirSync(work, { recursive: true });
  const script = [{ tool: "Bash", args: { command: "echo scorpiox-$((6*7))" } }];
  await using model = startModel(script);
  const quiet = {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    ENABLE_TOOL_SEARCH: "false",
  };
  const env = {
    HOME: home,
    PATH: [installed.bin, process.env["PATH"] ?? ""].join(delimiter),
    TERM: "dumb",
    ANTHROPIC_BASE_URL: model.origin,
    ANTHROPIC_API_KEY: "none",
    ...quiet,
  };
  const installing = await runProgram(
    ["sh", join(root, "scripts/install.sh")],
    {
      ...env,
      SCORPIOX_RELEASE_URL: `file://${join(folder, "release")}`,
      SCORPIOX_CONNECT: "claude-code",
    },
    work,
  );
  if (installing.code !== 0)
    faults.push(`install.sh with Claude Code: ${installing.text.slice(-400)}`);
  const listing = await runProgram([join(installed.bin, client.bin), "mcp", "list"], env, work);
  if (!/scorpiox-code.*(?:✓|✔) Connected/.test(Bun.stripANSI(listing.text)))
    faults.push(`claude mcp list: ${listing.text.slice(-400)}`);
  const calling = await runProgram(
    [
      join(installed.bin, client.bin),
      "-p",
      "Call the tools.",
      "--allowedTools",
      "mcp__scorpiox-code",
    ],
    env,
    work,
  );
  const told = JSON.stringify(model.results());
  if (!told.includes("scorpiox-42"))
    faults.push(`the model was told: ${told.slice(0, 400)} ${calling.text.slice(-400)}`);
  rows.push([
    "Claude Code, installer with SCORPIOX_CONNECT",
    "connected, one tool called",
    seconds(installing.ms),
  ]);
  rows.push([
    "Claude Code, its own list and call",
    "",
    `${seconds(listing.ms)}, ${seconds(calling.ms)}`,
  ]);
}
