import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { questionUnseenMs } from "../../src/base/limits.ts";
import { Browser, type Page } from "../fixtures/oauth/browser.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { envelope, isError, metaKeys, modernVersion, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { processesWith, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { Server, type ServerMessage, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const clientInfo = { name: "e2e", version: "1" };
const capabilities = { elicitation: {} };
const asked = {
  questions_json: JSON.stringify([
    { question: "Which color?", options: ["red", "blue"] },
    { question: "Which sizes?", options: ["S", "M"], multiSelect: true },
  ]),
};
const filled = { answer1: "blue", answer2: ["S"], other2: "and XXL" };
const answered = "Which color?\n- blue\n\nWhich sizes?\n- S\n- in their own words: and XXL";
const endings = {
  declined: /^The user declined to answer/,
  cancelled: /^The user closed the question without an answer/,
  unavailable: /^There is nowhere to show a question\./,
  pending: /^pending: question [0-9a-f]{16} is still open /,
};
const ended = (outcome: keyof typeof endings): string =>
  expect.stringMatching(endings[outcome]) as string;

/** The browser of a desk is a shell script. */
const pageTest = posixTest;

/** A home whose browser does nothing but write down what it is to open. */
class Desk extends TempFolder {
  readonly env: Record<string, string>;
  #given = 0;

  constructor() {
    super();
    const program = this.write("browser.sh", `#!/bin/sh\necho "$1" >>"$HOME/urls"\n`, 0o755);
    this.env = { SCORPIOX_ASK_BROWSER: program, SCORPIOX_CLIENT_BUDGET_MS: "30000" };
  }

  /** The first address that nobody has been given, come or to come. */
  nextUrl(): Promise<string> {
    const place = this.#given;
    this.#given += 1;
    return eventually(`page ${place + 1}`, () => this.urls[place]);
  }

  /** Whole lines only: the file is there before what is written into it. */
  get urls(): readonly string[] {
    const path = this.at("urls");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  }
}

/** A person at a page; what the page does in Chromium is seen where it is made (test/interact/questions/page). */
class Visitor {
  readonly #browser: Browser;
  readonly #page: Page;

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
  }

  static async at(url: string): Promise<Visitor> {
    const browser = new Browser();
    return new Visitor(browser, await browser.open(url));
  }

  async send(action: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const { status } = await this.#browser.submit(this.#page, { ...fields, action });
    expect(status).toBe(200);
  }

  /** What its script asks for until the question is over; the answer that it is not comes late. */
  async isOver(): Promise<boolean> {
    const { url } = this.#page;
    return (await this.#browser.open(`${url}?state`, url)).status !== 200;
  }
}

async function answerOn(url: string): Promise<void> {
  const visitor = await Visitor.at(url);
  await visitor.send("answer", { answer1: "1", answer2: "0", words2: "and XXL" });
}

type Person = () => Promise<{ action: "accept" | "decline" | "cancel"; content?: typeof filled }>;

const people: Readonly<Record<string, Person>> = {
  answers: () => Promise.resolve({ action: "accept", content: filled }),
  declines: async () => {
    await Bun.sleep(questionUnseenMs + 50);
    return { action: "decline" };
  },
  cancels: async () => {
    await Bun.sleep(questionUnseenMs + 50);
    return { action: "cancel" };
  },
  "is never asked": () => Promise.resolve({ action: "decline" }),
};

interface AnyClient {
  callTool(params: { name: string; arguments: typeof asked }): Promise<unknown>;
  close(): Promise<void>;
}

async function ask(client: AnyClient): Promise<unknown> {
  const result = await client.callTool({ name: "AskUserQuestion", arguments: asked });
  return (result as { content: { text: string }[] }).content[0]?.text;
}

const ways = [
  "v1 stdio",
  "v1 HTTP",
  "v2 legacy stdio",
  "v2 modern stdio",
  "v2 modern HTTP",
] as const;
type Way = (typeof ways)[number];

/** An official client, in front of which a person sits who always does the same. */
async function connect(way: Way, person: Person, desk: Desk, url: string): Promise<AnyClient> {
  const env = { ...testEnvironment(desk.path), ...desk.env };
  const parameters = { command: productBinary, env, stderr: "pipe" as const };
  if (way.startsWith("v1")) {
    const client = new Client1(clientInfo, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, person);
    const overHttp = (): Parameters<Client1["connect"]>[0] => new Http1(new URL(url));
    await client.connect(way.endsWith("HTTP") ? overHttp() : new Stdio1(parameters));
    return client;
  }
  const mode = way.includes("modern") ? { pin: modernVersion } : ("legacy" as const);
  const client = new Client2(clientInfo, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", person);
  await client.connect(way.endsWith("HTTP") ? new Http2(new URL(url)) : new Stdio2(parameters));
  return client;
}

describe("an official client", () => {
  let desk: Desk;
  let http: HttpServer;
  beforeAll(async () => {
    desk = new Desk();
    http = await HttpServer.start({ home: desk, env: desk.env });
  });
  afterAll(async () => {
    await http[Symbol.asyncDispose]();
    desk[Symbol.dispose]();
  });

  const rows: readonly (readonly [Way, string, string])[] = [
    ...ways.map((way) => [way, "answers", answered] as const),
    ["v1 stdio", "declines", ended("declined")],
    ["v2 modern HTTP", "declines", ended("declined")],
    ["v1 HTTP", "cancels", ended("cancelled")],
    ["v2 modern stdio", "cancels", ended("cancelled")],
  ];
  test.each(rows)("[questions.form] %s: the person %s", async (way, name, outcome) => {
    const client = await connect(way, people[name] as Person, desk, http.client.url);
    try {
      expect(await ask(client)).toEqual(outcome);
    } finally {
      await client.close();
    }
    expect(desk.urls).toEqual([]);
  });
});

describe("a client that declines in 10 ms", () => {
  pageTest.each([
    "v1 stdio",
    "v2 modern HTTP",
    ...onlyLong(["v1 HTTP", "v2 modern stdio"] as const),
  ] as const)(
    "[questions.auto-decline] %s: a page is answered instead",
    async (way) => {
      using desk = new Desk();
      await using http = await HttpServer.start({ home: desk, env: desk.env });
      const client = await connect(way, people["is never asked"] as Person, desk, http.client.url);
      try {
        const asking = ask(client);
        await answerOn(await desk.nextUrl());
        expect(await asking).toEqual(answered);
      } finally {
        await client.close();
      }
    },
    testMsMax,
  );
});

/** A client that can be asked nothing, at a desk with a browser. */
async function session(desk: Desk, declared: object = {}, more: object = {}): Promise<Server> {
  const server = new Server({ home: desk, env: { ...desk.env, ...more } });
  await server.initialize("2025-11-25", "e2e", declared as Record<string, unknown>);
  return server;
}

const call = { name: "AskUserQuestion", arguments: asked };
const hurried = { SCORPIOX_CLIENT_BUDGET_MS: "1000" };

function isQuestion({ method }: ServerMessage): boolean {
  return method === "elicitation/create";
}

describe("a page", () => {
  // Of tests whose question is over at their end.
  const desk = new Desk();
  const httpDesk = new Desk();
  let server: Server;
  let http: HttpServer;
  beforeAll(async () => {
    server = await session(desk);
    http = await HttpServer.start({ home: httpDesk, env: httpDesk.env });
  });
  afterAll(async () => {
    await Promise.all([server[Symbol.asyncDispose](), http[Symbol.asyncDispose]()]);
    for (const each of [desk, httpDesk]) each[Symbol.dispose]();
  });

  pageTest.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ] as const)(
    "[questions.page] %s",
    async (button, outcome) => {
      const asking = server.request("tools/call", call);
      await (await Visitor.at(await desk.nextUrl())).send(button);
      expect(textOf(await asking)).toEqual(ended(outcome));
    },
    testMsMax,
  );

  pageTest(
    "[questions.pending] is answered when the client has been told to wait",
    async () => {
      using desk = new Desk();
      await using server = await session(desk, {}, hurried);
      const first = await server.request("tools/call", call);
      expect(textOf(first)).toEqual(ended("pending"));
      await answerOn(await desk.nextUrl());
      expect(textOf(await server.request("tools/call", call))).toBe(answered);
      expect(desk.urls).toHaveLength(1);
    },
    testMsMax,
  );

  pageTest(
    "[questions.task] is waited for by an MCP task of a client that takes them",
    async () => {
      using desk = new Desk();
      await using server = new Server({ home: desk, env: { ...desk.env, ...hurried } });
      const extensions = { "io.modelcontextprotocol/tasks": {} };
      const _meta = { ...envelope, [metaKeys.capabilities]: { extensions } };
      const { result } = await server.request("tools/call", { ...call, _meta });
      expect(result).toMatchObject({ resultType: "task", status: "working" });
      await answerOn(await desk.nextUrl());
      const done = await eventually("the answer", async () => {
        const { result: task } = await server.request("tasks/get", {
          taskId: result?.["taskId"],
          _meta,
        });
        return task?.["status"] === "completed" && task["result"];
      });
      expect(done).toMatchObject({ content: [{ type: "text", text: answered }] });
    },
    testMsMax,
  );

  posixTest("[questions.browser] is shown by a browser that outlives the server", async () => {
    using desk = new Desk();
    const seconds = uniqueSeconds();
    const program = desk.write(
      "start.sh",
      `#!/bin/sh\necho "$1" >>"$HOME/urls"\n(sleep ${seconds} &)\n`,
      0o755,
    );
    {
      await using server = await session(desk, {}, { SCORPIOX_ASK_BROWSER: program });
      server.start("tools/call", call);
      await fetch(await desk.nextUrl());
      // What is adopted and nobody's is ended while a command runs.
      await server.call("Bash", { command: "sleep 1.2" });
    }
    expect(sleepers(seconds)).toBe(1);
    for (const { pid } of processesWith(`sleep ${seconds}`)) process.kill(pid, "SIGKILL");
  });

  pageTest(
    "[questions.taken-back] says that it is over when the call is cancelled",
    async () => {
      const id = server.start("tools/call", call);
      const visitor = await Visitor.at(await desk.nextUrl());
      server.notify("notifications/cancelled", { requestId: id });
      await eventually("its end", () => visitor.isOver());
      await server.request("ping");
      expect(server.messages.some((message) => message.id === id)).toBe(false);
    },
    testMsMax,
  );

  pageTest(
    "[questions.taken-back] goes with its client",
    async () => {
      const client = new Client1(clientInfo, { capabilities: {} });
      const transport = new Http1(new URL(http.client.url));
      await client.connect(transport);
      const asking = ask(client).catch(() => "gone");
      const visitor = await Visitor.at(await httpDesk.nextUrl());
      await transport.terminateSession();
      await eventually("its end", () => visitor.isOver());
      await client.close();
      expect(await asking).toBe("gone");
    },
    testMsMax,
  );

  pageTest(
    "[questions.apart] of one client is not that of another, though both ask the same",
    async () => {
      const never = people["is never asked"] as Person;
      const [ada, bob] = await Promise.all(
        ["a", "b"].map(() => connect("v1 HTTP", never, httpDesk, http.client.url)),
      );
      if (ada === undefined || bob === undefined) throw new Error("There are two clients.");
      const asking = ask(ada);
      const first = await httpDesk.nextUrl();
      const other = ask(bob);
      await (await Visitor.at(await httpDesk.nextUrl())).send("decline");
      expect(await other).toEqual(ended("declined"));
      await answerOn(first);
      expect(await asking).toEqual(answered);
      await Promise.all([ada.close(), bob.close()]);
    },
    testMsMax,
  );
});

describe("a form", () => {
  test("[questions.pending] is answered when the client has been told to wait", async () => {
    using desk = new Desk();
    await using server = await session(desk, capabilities, hurried);
    const first = await server.request("tools/call", call);
    expect(textOf(first)).toEqual(ended("pending"));
    const form = await server.message("the form", isQuestion);
    const again = server.request("tools/call", call);
    server.send({ jsonrpc: "2.0", id: form.id, result: { action: "accept", content: filled } });
    expect(textOf(await again)).toBe(answered);
    expect(server.messages.filter(isQuestion)).toHaveLength(1);
  });

  test("[questions.pending] over HTTP, too: the answer comes after the reply", async () => {
    using desk = new Desk();
    await using http = await HttpServer.start({ home: desk, env: { ...desk.env, ...hurried } });
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const person: Person = async () => {
      await answer;
      return { action: "accept", content: filled };
    };
    const client = await connect("v1 HTTP", person, desk, http.client.url);
    expect(await ask(client)).toEqual(ended("pending"));
    resolve();
    expect(await ask(client)).toEqual(answered);
    await client.close();
  });

  test("[questions.taken-back] is cancelled with its call", async () => {
    using desk = new Desk();
    await using server = await session(desk, capabilities);
    const id = server.start("tools/call", call);
    const form = await server.message("the form", isQuestion);
    server.notify("notifications/cancelled", { requestId: id });
    await server.message("its end", ({ method, params }) => {
      return method === "notifications/cancelled" && params?.["requestId"] === form.id;
    });
    expect(desk.urls).toEqual([]);
  });
});

describe("nobody", () => {
  test("[questions.unavailable] can be shown anything: the questions come back", async () => {
    await using server = new Server();
    await server.initialize("2025-11-25");
    const reply = await server.request("tools/call", call);
    expect(isError(reply)).toBe(false);
    expect(textOf(reply)).toEqual(ended("unavailable"));
    expect(textOf(reply)).toContain("Which sizes? (any number of these)\n- S\n- M\n- Other");
  });

  test("[questions.unavailable] comes to see the page: the browser fails", async () => {
    using desk = new Desk();
    await using server = await session(desk, {}, { SCORPIOX_ASK_BROWSER: "/bin/false" });
    const reply = await server.request("tools/call", call);
    expect(textOf(reply)).toEqual(ended("unavailable"));
  });

  test("[questions.remote] of this machine is asked for a client with a token", async () => {
    using desk = new Desk();
    const tokens = ["ada secret-token-of-sixteen-or-more"];
    await using http = await HttpServer.start({ home: desk, env: desk.env, tokens });
    const headers = { Authorization: "Bearer secret-token-of-sixteen-or-more" };
    const client = new Client1(clientInfo, { capabilities: {} });
    const transport: unknown = new Http1(new URL(http.client.url), { requestInit: { headers } });
    await client.connect(transport as Parameters<Client1["connect"]>[0]);
    expect(await ask(client)).toEqual(ended("unavailable"));
    await client.close();
    expect(desk.urls).toEqual([]);
  });
});

test("[questions.refused] with the place and the reason, and nobody is asked", async () => {
  using desk = new Desk();
  await using server = await session(desk, capabilities);
  const json = '[{"question":"Which?","options":["a","A"]}]';
  const reply = await server.call("AskUserQuestion", { questions_json: json });
  expect([isError(reply), textOf(reply)]).toEqual([
    true,
    'questions[0].options[1] is "A", the same as questions[0].options[0]. Nobody was asked. ' +
      'The form is [{"question": "…", "options": ["…", "…"]}].',
  ]);
  expect(server.messages.filter(isQuestion)).toEqual([]);
});
