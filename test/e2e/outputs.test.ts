import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";

import { Gate } from "./harness/gate.ts";
import { type HttpClient, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import {
  contentOf,
  isError,
  modern,
  modernVersion,
  someLegacyVersions,
  textOf,
} from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { contentsText } from "./harness/resources.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { isLongRun, longTest } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

describe("commands", () => {
  /** For commands that end. */
  let server: Server;
  beforeAll(async () => {
    server = new Server();
    await server.initialize();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  posixTest(
    "[bash.syntax] a syntax error is the user's, in each shell that may run it",
    async () => {
      for (let round = 0; round < 2; round++) {
        const first = textOf(await server.call("Bash", { command: "echo (" }));
        expect(first).toMatch(/line 1: `echo \('\nexit code: 2$/);
        const third = textOf(await server.call("Bash", { command: "echo a\n\nb )" }));
        expect(third).toMatch(/^a\n.*line 3: `b \)'\nexit code: 2$/s);
      }
    },
  );

  posixTest.each([
    ["1 process running, which was", "sleep 300 & echo done"],
    ["2 processes running, which were", "sleep 300 & setsid sleep 300 & echo done"],
  ])("[bash.leftovers] %s ended", async (what, command) => {
    expect(textOf(await server.call("Bash", { command }))).toBe(
      `done\nThe command left ${what} ended. Start long-running processes with BackgroundBash.`,
    );
  });

  test.each([200_000, 600_000])(
    "[background.long-command] one of %d characters",
    async (length) => {
      await using own = new Server();
      await own.initialize();
      const command = `: '${"x".repeat(length)}'; echo up; sleep 300`;
      const started = await own.call("BackgroundBash", { command });
      expect(textOf(started)).toMatch(/^Started in the background as task_id: 1 /);
      const replies = [
        started,
        await own.call("ListBgTasks", {}),
        await own.call("ReadBgOutput", { task_id: 1, wait_ms: 10_000 }),
        await own.call("KillBgTask", { task_id: 1 }),
        await own.call("ListBgTasks", {}),
      ];
      expect(textOf(replies[1] ?? started)).toMatch(
        /^task_id 1: running for .*: : 'x{100,200}… \[[\d,]+ characters; all of them are in scorpiox:\/\/background\/1\]$/,
      );
      expect(textOf(replies[2] ?? started)).toMatch(/^up\nTask 1: running for /);
      expect(textOf(replies[3] ?? started)).toMatch(/^Task 1: killed /);
      for (const reply of replies) expect(JSON.stringify(reply).length).toBeLessThan(2_000);
      const whole = await own.request("resources/read", { uri: "scorpiox://background/1" });
      expect(contentsText(whole)).toContain(`\nCommand: ${command}\nOutput: 3 bytes`);
      const listed = await runProduct(own.home, ["bg", "list", "--json"]);
      expect([listed.exitCode, listed.stdout.length < 2_000]).toEqual([0, true]);
    },
  );
});

posixTest(
  "[start.fresh-homes] many at once, each with a command that is written down",
  async () => {
    using home = new TempFolder();
    const said = Array.from({ length: isLongRun ? 12 : 3 }, async () => {
      await using server = new Server({ home });
      await server.initialize();
      const replies = await Promise.all([
        server.call("Bash", { command: "sleep 0.5; echo a" }),
        server.call("TaskManager", { action: "create", query: "", text: "b" }),
      ]);
      const [output, task] = replies.map(textOf);
      return { output, task, stderr: server.stderr };
    });
    for (const heard of await Promise.all(said)) {
      expect(heard).toEqual({ output: "a\n", task: expect.stringMatching(/^T/), stderr: "" });
    }
  },
);

/** Results of the oldest one have no links. */
const versions = [...someLegacyVersions, modernVersion];

async function startIn(version: string, home?: TempFolder): Promise<Server> {
  const server = new Server(home === undefined ? {} : { home });
  if (version !== modernVersion) await server.initialize(version);
  return server;
}

function ask(
  server: Server,
  version: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<ServerMessage> {
  return server.request(method, version === modernVersion ? modern(params) : params, 30_000);
}

async function call(
  server: Server,
  version: string,
  name: string,
  args: object,
): Promise<ServerMessage> {
  return ask(server, version, "tools/call", { name, arguments: args });
}

interface Cut {
  /** What stands before and behind the line that says what was left out. */
  readonly head: string;
  readonly tail: string;
  readonly taskId: number;
  readonly path: string;
  /** As the text says, and the link beside it where there is one. */
  readonly uri: string;
}

/** A result that was cut. */
function cutOf(message: ServerMessage): Cut {
  const [head = "", line = "", tail = ""] = textOf(message).split(/^(\[\.\.\. .* \.\.\.\])\n/m);
  const [, taskId, path = "", uri = ""] =
    /ReadBgOutput with task_id (\d+) reads on from here; the whole output is in (\S+) and can be read as (\S+) \.\.\.\]/.exec(
      line,
    ) ?? [];
  const link = contentOf(message).find(({ type }) => type === "resource_link");
  // Several clients do not show their model the link beside the text.
  expect(link?.uri ?? uri).toBe(uri);
  return { head, tail, taskId: Number(taskId), path, uri };
}

/** One page of an output task, and whether there is more. */
async function page(
  server: Server,
  version: string,
  args: object,
): Promise<{ text: string; note: string; isLast: boolean }> {
  const text = textOf(await call(server, version, "ReadBgOutput", args));
  const at = text.lastIndexOf("\nTask ");
  const note = text.slice(at + 1);
  return { text: text.slice(0, at), note, isLast: note.endsWith(": read to the end.") };
}

/** Whether all pages behind the head are the whole. */
async function isWholeInPages(
  server: Server,
  version: string,
  { head, taskId }: Cut,
  whole: string,
  border: string,
): Promise<boolean> {
  let read = head;
  for (let isLast = false; !isLast && read.length <= whole.length;) {
    const next = await page(server, version, { task_id: taskId });
    read += next.text + border;
    ({ isLast } = next);
  }
  return read === whole;
}

const seq = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

describe.each(versions)("outputs that are cut, in %s", (version) => {
  let server: Server;
  beforeAll(async () => {
    server = await startIn(version);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("[output.link] the link is read, whole and in pages", async () => {
    const reply = await call(server, version, "Bash", { command: "seq 1 170000" });
    const types = contentOf(reply).map(({ type }) => type);
    expect(types).toEqual(version >= "2025-06-18" ? ["text", "resource_link"] : ["text"]);
    const { uri, path } = cutOf(reply);
    const read = async (part = ""): Promise<string> =>
      contentsText(await ask(server, version, "resources/read", { uri: `${uri}${part}` }));
    expect((await read()).startsWith("1\n2\n")).toBe(true);
    const [first, second] = [await read("/1"), await read("/2")];
    expect(second).not.toBe("");
    const pages = first + second;
    expect([pages === seq(170_000), pages === readFileSync(path, "utf8")]).toEqual([true, true]);
  });

  test("[output.task] is read on from the first byte that was left out", async () => {
    const lines = cutOf(await call(server, version, "Bash", { command: "seq 1 16000" }));
    expect(await isWholeInPages(server, version, lines, seq(16_000), "\n")).toBe(true);
    // One line of characters of three bytes, the first of which is cut by no border of bytes.
    const command = "printf a; yes € | head -n 16000 | tr -d '\\n'";
    const line = cutOf(await call(server, version, "Bash", { command }));
    expect(line.taskId).toBe(lines.taskId + 1);
    const whole = { ...line, head: line.head.replace(/\n$/, "") };
    const is = await isWholeInPages(server, version, whole, `a${"€".repeat(16_000)}`, "");
    expect(is).toBe(true);
  });
});

describe("outputs that are cut", () => {
  test("[output.task] of megabytes, searched by filter and until", async () => {
    const version = "2025-11-25";
    const middle = isLongRun ? 700_000 : 30_000;
    await using server = await startIn(version);
    const reply = await call(server, version, "Bash", { command: `seq 1 ${2 * middle}` });
    const { taskId: task_id, head } = cutOf(reply);
    const filtered = await page(server, version, {
      task_id,
      filter: `^(1|${middle}|${2 * middle})$`,
    });
    expect(filtered).toMatchObject({ text: `${middle}\n${2 * middle}`, isLast: true });
    expect(await page(server, version, { task_id })).toMatchObject({ text: "(nothing more)" });

    const again = cutOf(await call(server, version, "Bash", { command: `seq 1 ${2 * middle}` }));
    const found = await page(server, version, { task_id: again.taskId, until: `^${middle + 1}$` });
    expect(found.text).toMatch(/^\[\.\.\. [\d,]+ bytes without a match are skipped here/);
    expect(found.text).toEndWith(`\n${middle}\n${middle + 1}`);
    const next = await page(server, version, { task_id: again.taskId });
    expect(next.text).toStartWith(`${middle + 2}\n`);
    const none = await page(server, version, { task_id: again.taskId, until: "never" });
    expect(none.text).toEndWith("\nNo remaining line matches `until`.");
    expect(head.endsWith("\n")).toBe(true);
  });

  test("[output.task] listed as an output that has ended, never killed, and gone with its file", async () => {
    const version = "2025-11-25";
    await using server = await startIn(version);
    const { taskId, path } = cutOf(
      await call(server, version, "Bash", { command: "seq 1 40000; exit 3" }),
    );
    const listed = textOf(await call(server, version, "ListBgTasks", {}));
    expect(listed).toMatch(
      /^task_id 1: an output that is kept in a file, [\d,]+ bytes unread: seq 1 40000; exit 3$/,
    );
    const killed = textOf(await call(server, version, "KillBgTask", { task_id: taskId }));
    expect(killed).toContain("had already ended");
    rmSync(path);
    expect(textOf(await call(server, version, "ReadBgOutput", { task_id: taskId }))).toContain(
      "The output of task 1 is gone",
    );
    expect(textOf(await call(server, version, "ListBgTasks", {}))).toBe("No background tasks.");
  });

  longTest("[output.task] counted to the 256 that are kept", async () => {
    const version = "2025-11-25";
    await using server = await startIn(version);
    const cut = (): Promise<ServerMessage> =>
      call(server, version, "Bash", { command: "seq 1 8000" });
    for (let count = 0; count < 256; count += 16) {
      await Promise.all(Array.from({ length: 16 }, cut));
    }
    expect(cutOf(await cut()).taskId).toBe(257);
    const first = textOf(await call(server, version, "ReadBgOutput", { task_id: 1 }));
    expect(first).toContain("No background task has the id 1.");
    expect((await page(server, version, { task_id: 2 })).text).toMatch(/^\d+\n/);
  });

  // That of 2025-11-25 differs from the modern one in the handshake alone.
  test.each(isLongRun ? versions : ["2024-11-05", modernVersion])(
    "[output.upstream] a result of another server is read on, in %s",
    async (version) => {
      const lines = Array.from({ length: 8_000 }, (_, index) => `line ${index} €\n`).join("");
      using home = upstreamHome({ box: [{ tools: ["echo"] }] });
      await using server = await startIn(version, home);
      const reply = await call(server, version, "mcp__box__echo", { text: lines });
      const cut = cutOf(reply);
      expect(cut.taskId).toBe(1);
      expect(await isWholeInPages(server, version, cut, lines, "\n")).toBe(true);
      const read = await ask(server, version, "resources/read", { uri: cut.uri });
      expect(contentsText(read) === lines).toBe(true);
      const listed = textOf(await call(server, version, "ListBgTasks", {}));
      expect(listed).toBe(
        "task_id 1: an output that is kept in a file: echo of the MCP server box",
      );
    },
  );

  test("[output.owner] neither of two principals reads what was cut for the other", async () => {
    const tokens = ["ann 1111111111111111", "bob 2222222222222222"];
    await using server = await HttpServer.start({ tokens });
    const [ann, bob] = [server.client, server.client.withToken("2222222222222222")];
    const say = async (
      who: HttpClient,
      method: string,
      params: Record<string, unknown>,
    ): Promise<ServerMessage> => onlyMessage(await who.modern(method, params));
    const run = (who: HttpClient, name: string, args: object): Promise<ServerMessage> =>
      say(who, "tools/call", { name, arguments: args });
    const cut = cutOf(await run(ann, "Bash", { command: "seq 1 40000" }));
    const stolen = await run(bob, "ReadBgOutput", { task_id: cut.taskId });
    expect([isError(stolen), textOf(stolen)]).toEqual([
      true,
      "No background task has the id 1. There are no background tasks.",
    ]);
    expect((await say(bob, "resources/read", { uri: cut.uri })).error?.code).toBe(-32602);
    expect(contentsText(await say(ann, "resources/read", { uri: cut.uri }))).toBe(seq(40_000));
    expect(textOf(await run(ann, "ReadBgOutput", { task_id: cut.taskId }))).toMatch(/^\d+\n/);
  });

  test("[output.until] `until` alone waits for its line", async () => {
    await using server = await startIn("2025-11-25");
    using gate = new Gate();
    await server.call("BackgroundBash", {
      command: `${gate.command("before", "after")}; sleep 300`,
    });
    const reading = server.call("ReadBgOutput", { task_id: 1, until: "^after$" });
    await server.request("ping");
    gate.open();
    expect(textOf(await reading)).toMatch(/^(before\n)?after\n/);
  });
});
