import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PlayedEngines, troubledEngines } from "../../fixtures/played-engines.ts";
import { redSquare } from "../../../scripts/seen/forms.ts";
import type { ToolResult } from "./seen-by.ts";
import { stableResult } from "./stable-result.ts";
import { within } from "./conditions.ts";
import { Server, type ServerMessage } from "./server.ts";
import { TempFolder } from "./temp-folder.ts";
import { upstreamHome } from "./upstream-home.ts";

type Args = Readonly<Record<string, unknown>>;

/** A call in a scene: what happens, the tool, its arguments. `$SITE` in them is a web server of the test. */
type Step = readonly [situation: string, tool: string, args?: Args];

/** Situations that share one server. */
export interface Scene {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly env?: Readonly<Record<string, string>>;
  /** Each call waits until a callback has fired, whose line its result brings. */
  readonly hasMail?: boolean;
  readonly home?: () => TempFolder;
}

/** What one call gave. */
export interface Situation {
  readonly title: string;
  readonly result: ToolResult;
}

const skill = "---\nname: notes\ndescription: Reads notes.\n---\nRead $1 and keep the order.\n";
const question = JSON.stringify([{ question: "Which colour?", options: ["red", "blue"] }]);
const search = { query: "kestrel" };
const missing = { query: "", task_id: 99 };

const everyTool: readonly Step[] = [
  ["well", "Bash", { command: "echo one; echo two >&2" }],
  ["well", "ReadImage", { file_path: "red.png" }],
  ["well", "ReadDocs", { url: "$SITE/page" }],
  ["well", "WebSearch", search],
  ["well", "TaskManager", { action: "create", query: "", text: "Ship it" }],
  ["well", "PlanMode", { action: "status" }],
  ["asked in the chat", "AskUserQuestion", { questions_json: question }],
  ["well", "InvokeSkill", { skill_name: "notes", arguments: "a.md" }],
  ["well", "BackgroundBash", { command: "echo started" }],
  ["well", "ReadBgOutput", { task_id: 1, wait_ms: 5_000, until: "^started" }],
  ["well", "ListBgTasks"],
  ["ended before", "KillBgTask", { task_id: 1 }],
  ["well", "SetCallback", { action: "list" }],
];

const failures: readonly Step[] = [
  ["exit code", "Bash", { command: "echo no; exit 3" }],
  ["signal", "Bash", { command: "kill -9 $$" }],
  ["time limit", "Bash", { command: "echo first; sleep 30", timeout: 200 }],
  ["bad timeout", "Bash", { command: "true", timeout: 0 }],
  ["no file", "ReadImage", { file_path: "none.png" }],
  ["no picture", "ReadImage", { file_path: "notes.txt" }],
  ["not found", "ReadDocs", { url: "$SITE/none" }],
  ["refused address", "ReadDocs", { url: "http://169.254.169.254/" }],
  ["no address", "ReadDocs", { url: "nowhere" }],
  ["no task", "TaskManager", { action: "complete", ...missing }],
  ["no such action", "TaskManager", { action: "burn", query: "" }],
  ["not active", "PlanMode", { action: "exit" }],
  ["bad JSON", "AskUserQuestion", { questions_json: "[" }],
  ["no such skill", "InvokeSkill", { skill_name: "note" }],
  ["no task", "ReadBgOutput", { task_id: 99 }],
  ["bad pattern", "ReadBgOutput", { task_id: 99, filter: "(" }],
  ["no task", "KillBgTask", { task_id: 99 }],
  ["bad delay", "SetCallback", { action: "set", message: "x", delay_seconds: 0 }],
  ["no slot", "SetCallback", { action: "cancel", callback_id: 7 }],
  ["unknown argument", "ListBgTasks", { all: true }],
];

const more: readonly Step[] = [
  ["nothing to say", "Bash", { command: "true" }],
  ["a step", "TaskManager", { action: "add", query: "", text: "Write the notes" }],
  ["a step done", "TaskManager", { action: "complete", query: "", step_id: 1 }],
  ["list", "TaskManager", { action: "list", query: "" }],
  ["pending", "TaskManager", { action: "pending", query: "Ship" }],
  ["switch", "TaskManager", { action: "switch", query: "Ship" }],
  ["done", "TaskManager", { action: "complete", query: "" }],
  ["running", "BackgroundBash", { command: "echo up; exec sleep 60" }],
  ["up", "ReadBgOutput", { task_id: 2, wait_ms: 10_000, until: "^up" }],
  ["two tasks", "ListBgTasks"],
  ["killed", "KillBgTask", { task_id: 2 }],
  ["killed again", "KillBgTask", { task_id: 2 }],
  ["output of a killed one", "ReadBgOutput", { task_id: 2 }],
  ["a callback", "SetCallback", { action: "set", message: "Look", delay_seconds: 3_600 }],
  ["callbacks", "SetCallback", { action: "list" }],
  ["cancel", "SetCallback", { action: "cancel", callback_id: 0 }],
  ["long page", "ReadDocs", { url: "$SITE/long" }],
];

const cut: readonly Step[] = [
  ["cut", "Bash", { command: "seq 1 20000" }],
  ["cut and failed", "Bash", { command: "seq 1 20000; exit 4" }],
  ["the rest", "ReadBgOutput", { task_id: 1 }],
  ["found in it", "ReadBgOutput", { task_id: 2, filter: "^1999[0-9]$" }],
  ["kept outputs", "ListBgTasks"],
  ["cut", "InvokeSkill", { skill_name: "long" }],
  ["upstream text", "mcp__up__big", { chars: 60_000 }],
  [
    "upstream JSON",
    "mcp__up__reply",
    { message: { result: { content: [], structuredContent: { rows: "x".repeat(60_000) } } } },
  ],
];

const text = (words: string): object => ({ type: "text", text: words });
const image = { type: "image", data: redSquare, mimeType: "image/png" };
const gives = (result: object): Args => ({ message: { result } });
const rows = { content: [text("2 rows")], structuredContent: { rows: ["a", "b"] } };

const upstream: readonly Step[] = [
  ["text", "mcp__up__echo", { text: "hello" }],
  ["failed", "mcp__up__fail", { text: "no such repository" }],
  ["fault", "mcp__up__fail", { text: "broken", code: -32_000 }],
  ["text and JSON", "mcp__up__reply", gives(rows)],
  ["JSON alone", "mcp__up__reply", gives({ ...rows, content: [] })],
  ["picture", "mcp__up__reply", gives({ content: [text("a square"), image] })],
  ["no such tool", "mcp__up__ecko", {}],
  ["called by tool_call", "tool_call", { name: "mcp__up__echo", arguments: { text: "hello" } }],
  ["no such tool", "tool_call", { name: "mcp__up__ecko", arguments: {} }],
  ["search", "tool_search", { query: "gives its text back" }],
  ["search in vain", "tool_search", { query: "zzzz qqqq" }],
  ["ended", "mcp__up__exit", { code: 3 }],
];

const mailed: readonly Step[] = [
  [
    "a callback that repeats",
    "SetCallback",
    { action: "set", message: "Tea is ready", delay_seconds: 1, repeat_count: -1 },
  ],
  ["mailbox line", "Bash", { command: "echo one" }],
  ["mailbox line and exit code", "Bash", { command: "exit 3" }],
  ["mailbox line", "ReadImage", { file_path: "red.png" }],
  ["mailbox line", "TaskManager", { action: "list", query: "" }],
  ["mailbox line", "ListBgTasks"],
  ["mailbox line", "InvokeSkill", { skill_name: "notes", arguments: "a.md" }],
  ["mailbox line", "WebSearch", search],
  ["mailbox line", "mcp__up__echo", { text: "hello" }],
  ["mailbox line", "mcp__up__reply", gives(rows)],
  ["line that waited", "mcp__up__echo", { text: "hello" }],
];

const planned: readonly Step[] = [
  ["enter", "PlanMode", { action: "enter", goal: "Tidy up" }],
  ["enter again", "PlanMode", { action: "enter", goal: "More" }],
  ["status", "PlanMode", { action: "status" }],
  ["json", "PlanMode", { action: "json" }],
  ["reads", "Bash", { command: "cat notes.txt" }],
  ["upstream tool that reads", "mcp__up__echo", { text: "hello" }],
  ["upstream tool that may write", "mcp__up__fail", { text: "x" }],
  ["picture", "ReadImage", { file_path: "red.png" }],
  ["task", "TaskManager", { action: "create", query: "", text: "Ship it" }],
  ["wrong file", "PlanMode", { action: "exit", plan_file: "/etc/passwd" }],
  ["exit", "PlanMode", { action: "exit", plan_file: "plan.md" }],
  ["reset", "PlanMode", { action: "reset" }],
];

const handed: readonly Step[] = [
  ["handed over", "Bash", { command: "echo first; exec sleep 60", timeout: 60_000 }],
  ["the handed over one", "ListBgTasks"],
  ["its output", "ReadBgOutput", { task_id: 1 }],
  ["waited in vain", "ReadBgOutput", { task_id: 1, wait_ms: 30_000 }],
  ["handed over", "mcp__up__sleep", { ms: 60_000, text: "late" }],
  ["both", "ListBgTasks"],
];

const denied: readonly Step[] = [
  ["denied by a rule", "Bash", { command: "rm -rf build" }],
  ["switched off", "WebSearch", search],
  ["hidden skill", "InvokeSkill", { skill_name: "notes" }],
  ["denied upstream tool", "mcp__up__add", { a: 1, b: 2 }],
];

/** All of them. */
export const scenes: readonly Scene[] = [
  { name: "alone", steps: [...everyTool, ...more, ...failures] },
  {
    name: "required skill",
    steps: [
      ...everyTool,
      ...failures.slice(0, 1),
      ...upstream.slice(0, 4),
      ...upstream.slice(6, 10),
    ],
    home: () => withUpstream((home) => home.write(".scorpiox/required_skills.txt", "rules\n")),
  },
  { name: "mailbox", steps: mailed, hasMail: true, home: withUpstream },
  { name: "cut", steps: cut, home: withUpstream },
  { name: "upstream", steps: upstream, home: withUpstream },
  { name: "plan mode", steps: planned, home: withUpstream },
  {
    name: "handed over",
    steps: handed,
    env: { SCORPIOX_CLIENT_BUDGET_MS: "1500" },
    home: withUpstream,
  },
  {
    name: "no engine",
    steps: [["every engine failed", "WebSearch", search]],
    env: { SCORPIOX_WEBSEARCH_ENGINES: "bing,mojeek" },
  },
  {
    name: "denied",
    steps: denied,
    env: { TOOL_WEBSEARCH: "0", SKILL_NOTES: "0" },
    home: () =>
      withUpstream(
        (home) => {
          const rule = { tool: "Bash", match: "rm", action: "deny", reason: "Ask me first." };
          home.write(".scorpiox/policy.jsonc", JSON.stringify({ rules: [rule] }));
        },
        { deny: ["add"] },
      ),
  },
];

/** What each call of a scene gives, with the server of a client that speaks 2025-11-25. */
export async function play(scene: Scene): Promise<readonly Situation[]> {
  const home = scene.home?.() ?? new TempFolder();
  const work = home.folder("work");
  mkdirSync(join(work, ".git"));
  writeFileSync(join(work, "red.png"), Buffer.from(redSquare, "base64"));
  writeFileSync(join(work, "notes.txt"), "Buy milk.\n");
  writeFileSync(join(work, "plan.md"), "# Plan\n\n1. Look\n2. Leap\n");
  home.write(".claude/skills/notes/SKILL.md", skill);
  home.write(
    ".claude/skills/rules/SKILL.md",
    "---\nname: rules\ndescription: Rules.\n---\nBe kind.\n",
  );
  home.write(
    ".claude/skills/long/SKILL.md",
    `---\nname: long\ndescription: Long.\n---\n${"A line of the skill.\n".repeat(4_000)}`,
  );
  using site = startSite();
  await using engines = new PlayedEngines(troubledEngines);
  await using server = new Server({
    home,
    cwd: work,
    env: {
      ...engines.env,
      SCORPIOX_WEBSEARCH_ENGINES: "duckduckgo,brave",
      READDOCS_ALLOW_HOSTS: "127.0.0.1",
      SCORPIOX_ASK_BROWSER: "/bin/false",
      ...scene.env,
    },
  });
  await server.initialize("2025-11-25", "e2e", {});
  await server.request("tools/list");
  const situations: Situation[] = [];
  for (const [situation, tool, args = {}] of scene.steps) {
    if (scene.hasMail === true && situations.length > 0) {
      await nextFire(server);
    }
    const filled = JSON.parse(JSON.stringify(args).replaceAll("$SITE", site.origin)) as Args;
    const reply = await server.request("tools/call", { name: tool, arguments: filled }, 50_000);
    const result = (reply.result ?? {
      content: [text(`JSON-RPC error ${reply.error?.code}: ${reply.error?.message}`)],
      isError: true,
    }) as unknown as ToolResult;
    situations.push({
      title: `${tool}: ${situation}`,
      result: stableResult(result, home.path, site.origin),
    });
  }
  home[Symbol.dispose]();
  return situations;
}

/** A fire is logged as it goes into the mailbox. */
async function nextFire(server: Server): Promise<void> {
  const isFire = ({ method }: ServerMessage): boolean => method === "notifications/message";
  const { promise, resolve } = Promise.withResolvers<void>();
  server.onMessage((message) => {
    if (isFire(message)) resolve();
  });
  await within("a fire", 10_000, promise);
}

/** A user with an MCP server of their own, `up`. */
function withUpstream(
  prepare: (home: TempFolder) => unknown = () => {},
  entry: Args = {},
): TempFolder {
  const tools = ["echo", "add", "fail", "sleep", "big", "reply", "exit"];
  const home = upstreamHome({ up: [{ tools }, entry] });
  prepare(home);
  return home;
}

function startSite(): { readonly origin: string } & Disposable {
  const page = (body: string): string =>
    `<!doctype html><title>Kestrels</title><main><h1>Kestrels</h1>${body}</main>`;
  const long = Array.from(
    { length: 900 },
    (_, at) =>
      `<p>Paragraph ${at} tells of kestrels, which hover in the wind and look for voles.</p>`,
  );
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      const headers = { "content-type": "text/html; charset=utf-8" };
      if (pathname === "/page")
        return new Response(
          page(
            "<p>They hover in the wind, and they look for voles in the grass below them all day long.</p>".repeat(
              3,
            ),
          ),
          { headers },
        );
      if (pathname === "/long") return new Response(page(long.join("")), { headers });
      return new Response("", { status: 404, headers });
    },
  });
  return { origin: site.url.origin, [Symbol.dispose]: () => void site.stop(true) };
}
