/**
 * Has clients start the product, and asks `doctor --as` what they will see: `record-doctor.ts OUT ID=BIN_FOLDER …`, in a network that
 * has nothing but loopback. Both are started in the same shell, with the same home.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { installTargets, launchWords } from "../../src/install/install-targets.ts";
import { productBinary } from "../../test/e2e/harness/binary.ts";
import { realClients } from "./clients.ts";
import type { DoctorFacts } from "./compare-doctor.ts";
import { plainClients, recordPlain } from "./plain-clients.ts";
import { record, type Recording } from "./record.ts";

/** A client as it is recorded. */
export interface DoctorSubject {
  readonly title: string;
  /** Its id in `realClients` or `plainClients`. */
  readonly client: string;
  /** Its id for `doctor --as`. */
  readonly as: string;
  /** Over the variables with which it is started for recordings; undefined: without it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export const doctorSubjects: readonly DoctorSubject[] = [
  { title: "MCP Inspector CLI", client: "inspector", as: "inspector" },
  { title: "TypeScript SDK v1", client: "sdk-v1", as: "sdk-v1" },
  { title: "TypeScript SDK v2", client: "sdk-v2", as: "sdk-v2" },
  { title: "Python SDK", client: "sdk-python", as: "sdk-python" },
  {
    title: "Claude Code",
    client: "claude-code",
    as: "claude-code",
    env: { ENABLE_TOOL_SEARCH: undefined },
  },
  {
    title: "Claude Code, `ENABLE_TOOL_SEARCH=false`",
    client: "claude-code",
    as: "claude-code",
    env: { ENABLE_TOOL_SEARCH: "false" },
  },
  { title: "Codex CLI", client: "codex", as: "codex" },
  { title: "opencode", client: "opencode", as: "opencode" },
  { title: "Gemini CLI", client: "gemini-cli", as: "gemini" },
  { title: "Qwen Code", client: "qwen-code", as: "qwen" },
  { title: "Copilot CLI", client: "copilot-cli", as: "copilot-cli" },
  { title: "Cline CLI", client: "cline", as: "cline-cli" },
  { title: "Continue CLI", client: "continue-cli", as: "continue" },
];

export interface DoctorRecording {
  readonly title: string;
  readonly facts: DoctorFacts;
  readonly seen: Recording;
}

/** Variables of a user's shell. */
export const shell: Readonly<Record<string, string>> = {
  USER: "you",
  LOGNAME: "you",
  SHELL: "/bin/sh",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  TERM: "xterm",
  TZ: "UTC",
  EDITOR: "vi",
  NO_PROXY: "127.0.0.1,localhost",
  NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
  SSL_CERT_DIR: "/etc/ssl/certs",
  CURL_CA_BUNDLE: "/etc/ssl/certs/ca-certificates.crt",
  GIT_SSL_CAINFO: "/etc/ssl/certs/ca-certificates.crt",
  REQUESTS_CA_BUNDLE: "/etc/ssl/certs/ca-certificates.crt",
  SSL_CERT_FILE: "/etc/ssl/certs/ca-certificates.crt",
  npm_config_cafile: "/etc/ssl/certs/ca-certificates.crt",
  CARGO_HTTP_CAINFO: "/etc/ssl/certs/ca-certificates.crt",
  BUNDLE_SSL_CA_CERT: "/etc/ssl/certs/ca-certificates.crt",
  CLIENT_ID: "x",
  SSH_AUTH_SOCK: "/nowhere/agent",
  VIRTUAL_ENV: "/nowhere/venv",
  MY_TOKEN: "x",
  MY_API_KEY: "x",
  GITHUB_TOKEN: "x",
  DATABASE_URL: "postgres://nowhere/x",
  SCORPIOX_AUDIT: "on",
  PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
};

function prepare(_work: string, home: string): void {
  mkdirSync(join(home, ".scorpiox"), { mode: 0o700 });
  const server = {
    command: process.execPath,
    args: [join(import.meta.dir, "many-tools-server.ts")],
    // Otherwise most clients would see none of its tools.
    defer: false,
  };
  const lines = Object.entries(server).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  writeFileSync(
    join(home, ".scorpiox/config.toml"),
    `${["[mcp.servers.many]", ...lines].join("\n")}\n`,
  );
}

async function askDoctor({ as, env = {} }: DoctorSubject): Promise<DoctorFacts> {
  const home = mkdtempSync(join(tmpdir(), "scorpiox-as-"));
  try {
    prepare(home, home);
    const child = Bun.spawn([productBinary, "doctor", "--as", as, "--json"], {
      cwd: home,
      env: { ...shell, ...env, HOME: home },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 120_000,
    });
    const { findings } = JSON.parse(await child.stdout.text()) as {
      findings: readonly { facts?: DoctorFacts }[];
    };
    const facts = findings.find((finding) => finding.facts !== undefined)?.facts;
    if (facts === undefined) throw new Error(`doctor --as ${as} has not started the program`);
    return facts;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The words with which the client's entry starts the product. */
function serverWords(as: string): readonly string[] {
  const target = installTargets.find(({ id }) => id === as);
  return target === undefined ? [productBinary] : launchWords(target, [productBinary]);
}

async function see(subject: DoctorSubject, binFolder: string | undefined): Promise<Recording> {
  const words = serverWords(subject.as);
  const plain = (await plainClients()).find(({ id }) => id === subject.client);
  if (plain !== undefined) return recordPlain(plain, words, prepare, shell);
  const client = realClients.find(({ id }) => id === subject.client);
  if (client === undefined || binFolder === undefined) throw new Error(`no ${subject.client}`);
  const call = { tool: "Bash", args: { command: "echo seen" } };
  return record(client, binFolder, words, [call], { prepare, env: shell, over: subject.env ?? {} });
}

if (import.meta.main) {
  const [out = "", ...installed] = process.argv.slice(2);
  const folders = new Map(
    installed.map((pair) => [pair.split("=")[0], pair.split("=")[1]] as const),
  );
  const recordings: DoctorRecording[] = [];
  for (const subject of doctorSubjects) {
    if (!folders.has(subject.client)) continue;
    const seen = await see(subject, folders.get(subject.client));
    recordings.push({ title: subject.title, facts: await askDoctor(subject), seen });
    console.log(`verify: doctor-as: ${subject.title}`);
  }
  await Bun.write(out, JSON.stringify(recordings));
}
