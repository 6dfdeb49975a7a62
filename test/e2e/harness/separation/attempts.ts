import { existsSync } from "node:fs";

import type { Left, SeparationYard } from "./yard.ts";

/** One thing that B looks for. */
export interface Attempt {
  readonly thing: string;
  /** Looks, and returns all that B got to see. */
  look(yard: SeparationYard, left: Left): Promise<string>;
  /** The text that shows that it was found. Absent: the canary of the thing. */
  readonly sign?: string;
  /** Also without a sandbox it is not found: it belongs to a principal, however commands run. */
  readonly isAlwaysHeld?: true;
}

const python = "/usr/bin/python3";
const hasPython = existsSync(python);

type Where = (yard: SeparationYard, left: Left) => string;

/** A command of B. */
function command(thing: string, text: Where, sign?: string): Attempt {
  return {
    thing,
    look: (yard, left) => yard.b.bash(text(yard, left), 30_000),
    ...(sign === undefined ? {} : { sign }),
  };
}

const inPython = (thing: string, script: string, sign?: string): readonly Attempt[] =>
  hasPython ? [command(thing, () => `${python} -c '${script}' 2>&1`, sign)] : [];

/** Reads a file by its path, by its folder, and through the root of every process. */
function file(thing: string, path: Where): Attempt {
  return command(thing, (yard, left) => {
    const at = path(yard, left);
    return `for r in '' /proc/[0-9]*/root; do grep -aoh ${mark} "$r${at}"; done; grep -raoh ${mark} "$(dirname '${at}')" | head -100; true`;
  });
}

/** What every canary looks like. */
const mark = "'canary[0-9a-f]*'";

const everyProcess = (name: string): string =>
  `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/${name}; done 2>/dev/null | grep -ao ${mark}`;

const ptrace = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in [int(p) for p in os.listdir("/proc") if p.isdigit()]:
    try: line = open("/proc/%d/cmdline" % pid).read()
    except OSError: continue
    if "serve" not in line or "--http" not in line or "ptrace" in line: continue
    if libc.ptrace(16, pid, 0, 0) == 0:
        os.waitpid(pid, 0x40000000); libc.ptrace(17, pid, 0, 0); print("attached-to-" + "server")
`;
const memory = `
import os
for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
    try:
        line = open("/proc/%s/cmdline" % pid).read()
        if "serve" not in line or "--http" not in line or "maps" in line: continue
        where = [l for l in open("/proc/%s/maps" % pid) if "rw" in l][0].split("-")[0]
        with open("/proc/%s/mem" % pid, "rb") as f: f.seek(int(where, 16)); f.read(16); print("read-memory-of-" + "server")
    except OSError: pass
`;
const abstract = (name: string): string => `
import socket
s = socket.socket(socket.AF_UNIX); s.connect(chr(0) + "${name}"); print(s.recv(99).decode())
`;
const byPath = (path: string): string => `
import socket
s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(99).decode())
`;
const pythonWith =
  (script: Where): Where =>
  (yard, left) =>
    `${python} -c '${script(yard, left)}' 2>&1`;

const planted = (thing: string): Attempt =>
  file(thing, ({ files }) => files.get(thing) ?? `/missing/${thing}`);

const plantedThings = [
  "state key",
  "http-token",
  "secrets folder",
  "logins of MCP servers",
  "policy file",
  "http.toml",
  "configuration with a key",
  "log of an MCP server",
  "browser profile",
  "principalDir of A",
  "kept task",
  "run folder",
  "cached tool lists",
  "git credentials",
  "SSH key",
  "netrc",
  "npm token",
  "cloud credentials",
  "Claude's credentials",
  "shell history",
  "keychain of the desktop",
  "project of the server's user",
];

const filesOfServer: readonly Attempt[] = [
  ...plantedThings.map(planted),
  file("token file", ({ home }) => home.at("tokens.txt")),
  command(
    "environment of an MCP server",
    ({ home }) =>
      `grep -o ${mark} '${home.at(".scorpiox/mcp_servers.json")}'; ${everyProcess("environ")}; true`,
  ),
  file("store (A's tasks)", ({ home }) => home.at(".scorpiox/scorpiox.db-wal")),
  file("audit log", ({ home }) => home.at(".scorpiox/audit/audit.jsonl")),
  command("shadow file", () => "head -1 /etc/shadow", "root:"),
];

const filesOfA: readonly Attempt[] = [
  file("file in A's workspace", (_yard, { work }) => `${work}/secret.txt`),
  file("file in A's home", (_yard, { home }) => `${home}/.a-notes`),
  file("A's plan", (_yard, { plan }) => plan),
  file("saved output of A", (_yard, { output }) => output),
  command(
    "TMPDIR of A's command",
    (_yard, { tmp }) =>
      `cat '${tmp}/mine' /tmp/scorpiox-tmp-*/mine; for r in /proc/[0-9]*/root; do cat $r/tmp/mine; done; true`,
  ),
];

const processes: readonly Attempt[] = [
  command("environment of the server", () => `${everyProcess("environ")}; env | grep canary; true`),
  {
    ...command("secret of the start", () => `${everyProcess("environ")}; env | grep canary; true`),
    isAlwaysHeld: true,
  },
  command("environment of A's command", () => `${everyProcess("environ")}; true`),
  command("command line of A's command", () => `${everyProcess("cmdline")}; true`),
  command(
    "open file of A's command",
    () => "for f in /proc/[0-9]*/fd/9; do cat $f; done 2>/dev/null; true",
  ),
  command(
    "open store of the server",
    () => "ls -l /proc/[0-9]*/fd 2>/dev/null | grep -o 'scorpiox[.]db' | tr . _ | head -1; true",
    "scorpiox_db",
  ),
  command(
    "signal to the server",
    ({ server }) =>
      `kill -0 ${server.pid} 2>/dev/null && grep -qa -- --http /proc/${server.pid}/cmdline && echo reached-the""-server; true`,
    "reached-the-server",
  ),
  command(
    "limits of the server",
    ({ server }) =>
      `prlimit --pid ${server.pid} --core 2>&1 && grep -qa -- --http /proc/${server.pid}/cmdline && echo limits-of-""server; true`,
    "limits-of-server",
  ),
  ...inPython("ptrace of the server", ptrace, "attached-to-server"),
  ...inPython("memory of the server", memory, "read-memory-of-server"),
  command(
    "System V shared memory",
    ({ other }) =>
      `awk '{print $2}' /proc/sysvipc/shm | grep -qx '${other.sharedMemory}' && echo shared""-memory-there; true`,
    "shared-memory-there",
  ),
];

const doors: readonly Attempt[] = [
  ...(hasPython
    ? [
        command(
          "socket by path",
          pythonWith(({ other }) => byPath(other.paths.socket)),
        ),
        command(
          "abstract socket",
          pythonWith(({ other }) => abstract(other.paths.abstractName)),
        ),
      ]
    : []),
  command(
    "socket of the server",
    () =>
      "find / -xdev -type s 2>/dev/null | grep -o 'scorpiox.*' | sed 's/^/socket-at-/' | head -3; true",
    "socket-at-",
  ),
  command(
    "service on loopback",
    ({ other }) =>
      `exec 3<>/dev/tcp/127.0.0.1/${other.port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && timeout 3 cat <&3; true`,
  ),
  command(
    "port of the server and its metrics",
    ({ server }) => {
      const { port } = new URL(server.url);
      return `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && timeout 3 cat <&3 | grep -o '200 OK' | tr ' ' '-'; true`;
    },
    "200-OK",
  ),
  command(
    "listening ports",
    ({ server }) => {
      const hex = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
      return `grep -o '0100007F:${hex.slice(0, 2)}''${hex.slice(2)}' /proc/net/tcp | tr : _; true`;
    },
    "0100007F_",
  ),
  file("file in /tmp", ({ other }) => other.paths.tmp),
  file("core dump in /var/tmp", ({ other }) => other.paths.varTmp),
  file("file in /dev/shm", ({ other }) => other.paths.shm),
  file("file in /run", ({ other }) => other.paths.run),
];

/** A call of B, of another tool than Bash. */
function call(thing: string, look: Attempt["look"], extra: Partial<Attempt> = {}): Attempt {
  return { thing, look, ...extra };
}

const held = { isAlwaysHeld: true } as const;

const tools: readonly Attempt[] = [
  call(
    "picture of A (ReadImage)",
    (yard, { work }) => yard.b.call("ReadImage", { file_path: `${work}/picture.png` }),
    { sign: "PNG image" },
  ),
  call(
    "picture of the server's user by a link",
    async (yard) => {
      await yard.b.bash(`ln -sfn '${yard.home.path}' there`);
      return yard.b.call("ReadImage", { file_path: "there/picture.png" });
    },
    { sign: "PNG image" },
  ),
  call(
    "picture by a file: address",
    (yard) => yard.b.call("ReadImage", { file_path: `file://${yard.home.at("picture.png")}` }),
    { sign: "PNG image" },
  ),
  call(
    "output of A's background task",
    async (yard) => {
      const listed = await yard.b.call("ListBgTasks");
      const read: string[] = [];
      for (let id = 1; id <= 5; id++) {
        read.push(await yard.b.call("ReadBgOutput", { task_id: id }));
        read.push(await yard.b.call("KillBgTask", { task_id: id }));
      }
      return listed + read.join("\n");
    },
    held,
  ),
  call("A's saved output (resource)", (yard, { result }) => readResource(yard, result), {
    sign: "19999",
    ...held,
  }),
  call(
    "A's tasks (TaskManager)",
    (yard) => yard.b.call("TaskManager", { action: "list", query: "" }),
    {
      sign: "canary",
      ...held,
    },
  ),
  call("A's reminder", (yard) => yard.b.call("SetCallback", { action: "list" }), held),
  call(
    "A's plan by PlanMode",
    async (yard, { plan }) => {
      await yard.b.call("PlanMode", { action: "enter", goal: "looking" });
      const said = await yard.b.call("PlanMode", { action: "exit", plan_file: plan });
      await yard.b.call("PlanMode", { action: "reset" });
      return said;
    },
    {},
  ),
  call(
    "page that A has fetched",
    async (yard, { page }) => {
      const before = yard.pages.hits.get("/page.txt") ?? 0;
      await yard.b.call("ReadDocs", { url: page });
      return (yard.pages.hits.get("/page.txt") ?? 0) === before ? "it-was-kept" : "";
    },
    { sign: "it-was-kept", ...held },
  ),
  call(
    "process of A's MCP server",
    async (yard) => {
      const [one, two] = [
        await yard.a.call("mcp__notes__pid"),
        await yard.b.call("mcp__notes__pid"),
      ];
      return one === two ? "one-process-for-both" : "";
    },
    { sign: "one-process-for-both", ...held },
  ),
];

function readResource({ b }: SeparationYard, uri: string): Promise<string> {
  return b.ask("resources/read", { uri });
}

/** Those by tools first: what commands find without bounds is in B's own outputs afterwards. */
export const attempts: readonly Attempt[] = [
  ...tools,
  ...filesOfServer,
  ...filesOfA,
  ...processes,
  ...doors,
];

/** Whether B found the thing. */
export async function isFound(
  attempt: Attempt,
  yard: SeparationYard,
  left: Left,
): Promise<boolean> {
  const { thing, sign } = attempt;
  const seen = await attempt.look(yard, left);
  return seen.includes(sign ?? canaryFor(yard, thing));
}

/** Of a thing that has no canary of its own, that of what is in it. */
function canaryFor({ canaries }: SeparationYard, thing: string): string {
  const same: Readonly<Record<string, string>> = {
    "open file of A's command": "file in A's workspace",
    "audit log": "file in A's workspace",
    "A's plan by PlanMode": "A's plan",
  };
  return canaries.of(same[thing] ?? thing);
}
