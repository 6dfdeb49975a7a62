import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";

import { questionGuardMs, questionOtherCharsMax } from "../../../src/base/limits.ts";
import { problemsOfAnswers } from "../../../src/interact/questions/open-question.ts";
import type { ShownEnd, ShownQuestions } from "../../../src/interact/questions/terminals.ts";
import { AttachHarness, emptyState } from "../attach/attach-harness.ts";
import { until } from "../../commands/process/until.ts";
import { AppHarness } from "./app-harness.ts";

const never = new AbortController().signal;
const options = ["Yes", "No"].map((label) => ({ label, description: null }));

function shown(question: string, more: Partial<ShownQuestions> = {}): ShownQuestions {
  return {
    id: question,
    questions: [{ question, header: null, options, multiSelect: false }],
    purpose: "question",
    asker: "a client",
    workspace: "/work",
    askedAt: Date.now(),
    ...more,
  };
}

/** Waits until keys count again. */
const settle = (): Promise<void> => Bun.sleep(questionGuardMs + 20);

describe("questions in the interface", () => {
  test("one that arrives rings and comes to the front; keys on their way do not answer it", async () => {
    await using server = new AttachHarness();
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Servers 1");
    app.press("2");
    await app.shows("No background tasks.");
    const end = server.questions.ask(shown("Now?"), never);
    await app.shows("Now?");
    app.press("enter", "d", " ");
    await settle();
    app.press("down", "enter");
    expect(await end).toEqual({ kind: "answered", answers: [{ labels: ["No"], other: null }] });
    // Back to where it interrupted.
    await app.shows("No background tasks.");
    expect(app.bells).toBe(1);
  });

  test("one that arrives while somebody writes waits in the tab", async () => {
    await using server = new AttachHarness();
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Servers 1");
    const first = server.questions.ask(shown("First?"), never);
    await app.shows("First?");
    await settle();
    app.press("down", "down", "enter", "my q");
    void server.questions.ask(shown("Second?"), never);
    await app.shows("Questions 2");
    app.press("d", "enter");
    expect(await first).toEqual({ kind: "answered", answers: [{ labels: [], other: "my qd" }] });
    await app.shows("Second?");
  });

  test("what was filled in is there again after the terminal was suspended", async () => {
    await using server = new AttachHarness();
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Servers 1");
    using other = new AppHarness(server.runFolder);
    await other.shows("Servers 1");
    void server.questions.ask(shown("Why?"), never);
    await app.shows("Why?");
    await settle();
    app.press("down", "down", "enter", "because", "ctrl-z");
    app.app.leave();
    await until(() => server.questions.count === 1);
    app.app.start();
    await app.shows("Other: because");
    expect(app.suspended).toBe(1);
  });

  test("permission is asked for by that name, and there is no other answer", async () => {
    await using server = new AttachHarness();
    await server.open();
    using app = new AppHarness(server.runFolder);
    app.size = { columns: 40, rows: 12 };
    await until(() => server.questions.count === 1);
    const text = "Read this. ".repeat(40);
    const end = server.questions.ask(shown(text, { purpose: "consent" }), never);
    await app.shows("asks for permission");
    expect(app.screen).toContain("more lines: page down");
    await settle();
    app.press("down", "down", "down");
    await app.shows("› ○ No");
    expect(app.screen).not.toContain("Other");
    app.press("enter");
    expect(await end).toEqual({ kind: "answered", answers: [{ labels: ["No"], other: null }] });
  });
});

test.each([
  [12, 40],
  [5, 20],
])("all of a permission is on the screen before it is given: %p rows", async (rows, columns) => {
  await using server = new AttachHarness();
  await server.open();
  using app = new AppHarness(server.runFolder);
  app.size = { columns, rows };
  await until(() => server.questions.count === 1);
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}.`);
  const ends: ShownEnd[] = [];
  const end = server.questions.ask(shown(lines.join("\n"), { purpose: "consent" }), never);
  void end.then((each) => ends.push(each));
  await app.shows("line 1.");
  await settle();
  const seen = new Set<string>();
  const isNew = (line: string): boolean => app.screen.includes(line) && !seen.has(line);
  while (ends.length === 0) {
    for (const line of lines.filter(isNew)) seen.add(line);
    const before = app.screen;
    app.press("enter");
    await until(() => ends.length > 0 || app.screen !== before);
  }
  expect([...seen]).toEqual(lines);
  expect(ends).toEqual([{ kind: "answered", answers: [{ labels: ["Yes"], other: null }] }]);
});

test("an answer of one's own is no longer than what is taken, and it is said", async () => {
  await using server = new AttachHarness();
  await server.open();
  using app = new AppHarness(server.runFolder);
  await until(() => server.questions.count === 1);
  const asked = shown("Why?");
  const end = server.questions.ask(asked, never);
  await app.shows("Why?");
  await settle();
  app.press("down", "down", "enter", "x".repeat(questionOtherCharsMax + 10));
  await app.shows("4000 characters at most");
  app.press("enter");
  const { answers } = (await end) as Extract<ShownEnd, { kind: "answered" }>;
  expect(problemsOfAnswers(asked, answers)).toEqual([]);
});

describe("the rest of the interface", () => {
  test("a request that fails says why", async () => {
    await using server = new AttachHarness();
    const callback = {
      client: "stdio",
      callbackId: 1,
      message: "look\u001b[2J",
      delaySeconds: 60,
      nextFireAt: Date.now() + 59_000,
      firesLeft: -1,
    };
    server.state = { ...emptyState, callbacks: [callback] };
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Callbacks 1");
    app.press("4");
    await app.shows("forever");
    expect(app.screen).toContain("look\\u{1b}[2J");
    app.press("x");
    await app.shows("Cancel callback 1?");
    app.press("y");
    await app.shows("There is no callback 1 any more.");
  });

  test("a server that closes the connection is named", async () => {
    await using server = new AttachHarness();
    server.isOwnUser = () => false;
    await server.open();
    using app = new AppHarness(server.runFolder);
    app.press("5");
    await app.shows(`The server with pid ${process.pid} closed the connection`);
    server.isOwnUser = () => true;
    await app.shows("Servers 1");
    expect(app.screen).not.toContain("closed the connection");
  });

  test("tasks that were not told are counted", async () => {
    await using server = new AttachHarness();
    const task = { taskId: 1, text: "one", isDone: false, steps: [], stepCount: 0, stepsDone: 0 };
    const counts = { currentTaskId: null, total: 5, pending: 5, plan: null };
    server.state = {
      ...emptyState,
      work: [{ workspace: "/w", owner: "", tasks: [task], ...counts }],
    };
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Tasks 5");
    app.press("3");
    await app.shows("and 4 more tasks");
  });

  test("a server that ends is gone, one that comes is there", async () => {
    await using server = new AttachHarness();
    mkdirSync(server.runFolder);
    using app = new AppHarness(server.runFolder);
    await server.open();
    await app.shows("Servers 1");
    await server.server?.[Symbol.asyncDispose]();
    await app.shows(`The server with pid ${process.pid} has ended.`);
    expect(app.screen).not.toContain("Servers 1");
  });

  test("help, quitting, and quitting with something filled in", async () => {
    await using server = new AttachHarness();
    await server.open();
    using app = new AppHarness(server.runFolder);
    await app.shows("Servers 1");
    app.press("?");
    await app.shows("Everywhere");
    app.press("x");
    await app.shows("No questions.");
    void server.questions.ask(shown("Why?"), never);
    await app.shows("Why?");
    await settle();
    app.press(" ", "q");
    await app.shows("lose your input?");
    app.press("n");
    await app.shows("Why?");
    app.press("q", "y");
    await app.app.ended;
  });
});

test("[HB9] the view of servers has the hub, with its MCP servers and their clients", async () => {
  await using server = new AttachHarness();
  const client = { client: "stdio", workspace: "/work", owner: "" };
  server.state = {
    ...emptyState,
    clients: [client],
    hub: {
      pid: 4242,
      servers: [
        { name: "docs", state: "ready", clients: 3 },
        { name: "far\u001b[2J", state: "needs_auth", clients: 1 },
      ],
      kept: 1,
    },
  };
  await server.open();
  using app = new AppHarness(server.runFolder);
  await app.shows("Servers 1");
  app.press("5");
  await app.shows("hub pid 4242: 2 MCP servers, 1 kept task");
  expect(app.screen).toContain("docs  ready, shared by 3 clients");
  expect(app.screen).toMatch(/far.*  needs auth, 1 client/);
  server.state = { ...emptyState, clients: [client] };
  server.change();
  await until(() => !app.screen.includes("hub pid"));
});
