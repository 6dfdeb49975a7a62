/**
 * Real clients from npm in an empty home: `install` connects each, its own command says whether it sees the server, and `undo`
 * gives its file back.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { productBinary } from "../../test/e2e/harness/binary.ts";
import { realClients } from "../seen/clients.ts";
import { installClient } from "../seen/install-clients.ts";
import { type Outcome, seconds } from "./outcome.ts";

/** How a client lists its servers. */
interface Lister {
  /** Its id in `realClients`, and as `install` has it. */
  readonly id: string;
  readonly installId: string;
  /** Its file of the user, below the home folder. */
  readonly file: string;
  readonly words: readonly string[];
  /** What it prints when it has started the server; absent: it only reads its file. */
  readonly connected?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const listers: readonly Lister[] = [
  {
    id: "claude-code",
    installId: "claude-code",
    file: ".claude.json",
    words: ["mcp", "list"],
    connected: /scorpiox-code.*(?:✓|✔) Connected/,
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    },
  },
  { id: "codex", installId: "codex", file: ".codex/config.toml", words: ["mcp", "list"] },
  {
    id: "opencode",
    installId: "opencode",
    file: ".config/opencode/opencode.json",
    words: ["mcp", "list"],
    connected: /scorpiox-code[^\n]*connected/,
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
    },
  },
  {
    id: "gemini-cli",
    installId: "gemini",
    file: ".gemini/settings.json",
    words: ["mcp", "list"],
    connected: /scorpiox-code.*Connected/,
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  {
    id: "qwen-code",
    installId: "qwen",
    file: ".qwen/settings.json",
    words: ["mcp", "list"],
    connected: /scorpiox-code.*Connected/,
  },
];

export async function checkClients(): Promise<Outcome> {
  const rows: (readonly [string, string, string])[] = [];
  const faults: string[] = [];
  for (const lister of listers) {
    const client = realClients.find(({ id }) => id === lister.id);
    if (client === undefined) continue;
    const installed = installClient(client);
    if ("reason" in installed) {
      rows.push([client.title, "not run", installed.reason]);
      continue;
    }
    const startedAt = performance.now();
    const found = await faultsOf(lister, installed.bin, client.bin);
    const ms = performance.now() - startedAt;
    faults.push(...found.map((fault) => `${client.title} ${client.version}: ${fault}`));
    const how = lister.connected === undefined ? "reads its file" : "connected";
    rows.push([
      `${client.title} ${client.version}`,
      found.length === 0 ? how : "failed",
      seconds(ms),
    ]);
  }
  const run = rows.filter(([, result]) => result !== "not run").length;
  return {
    name: "real clients see what install wrote, and undo gives their files back",
    passed: faults.length === 0 && run > 0,
    figures: `${run - new Set(faults.map((fault) => fault.split(":", 1)[0])).size} of ${run} clients`,
    faults,
    details: rows,
  };
}

async function faultsOf(lister: Lister, bin: string, program: string): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), "scorpiox-clients-"));
  const work = join(home, "work");
  const file = join(home, lister.file);
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(join(home, ".claude"), { recursive: true });
  mkdirSync(work);
  const env = {
    HOME: home,
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    TERM: "dumb",
    ...lister.env,
  };
  const run = async (words: readonly string[]): Promise<{ code: number; text: string }> => {
    const child = Bun.spawn([...words], {
      cwd: work,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 120_000,
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { code: await child.exited, text: `${stdout}${stderr}` };
  };
  try {
    // It writes its file itself, as it does for everybody.
    await run([join(bin, program), ...lister.words]);
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    const installing = await run([productBinary, "install", lister.installId, "--yes"]);
    if (installing.code !== 0) return [`install: ${installing.text.trim()}`];
    const listing = await run([join(bin, program), ...lister.words]);
    const wanted = lister.connected ?? /scorpiox-code/;
    const seen = wanted.test(Bun.stripANSI(listing.text))
      ? []
      : [`its list does not show it: ${listing.text.trim().slice(-400)}`];
    const undoing = await run([productBinary, "undo", "--yes"]);
    if (undoing.code !== 0) return [...seen, `undo: ${undoing.text.trim()}`];
    const after = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    // A client that writes its file while it runs has changed other members of it.
    const isBack = after === before || (after !== undefined && !after.includes(productBinary));
    return isBack ? seen : [...seen, "undo left the entry in its file"];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
