import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";

import type { LoadedPage } from "../../src/web/pages/page-url.ts";
import { faultyBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { PageServer } from "./harness/page-server.ts";
import { posixTest } from "./harness/platform.ts";
import { allGone, topProcessesWith } from "./harness/processes.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

// A browser that starts on a busy machine takes seconds.
setDefaultTimeout(60_000);

const hasBrowser =
  Bun.which("chromium") !== null ||
  Bun.which("google-chrome") !== null ||
  existsSync("/opt/google/chrome/chrome");
const browserTest = hasBrowser ? posixTest : test.skip;

async function startServer(site: PageServer, home?: TempFolder): Promise<Server> {
  const own = home === undefined ? {} : { home };
  const server = new Server({ binary: faultyBinary, env: site.env, ...own });
  await server.initialize();
  return server;
}

async function pageOf(server: Server, url: string, browser = false): Promise<LoadedPage> {
  const params = { name: "PlainPage", arguments: { url, browser } };
  const reply = await server.request("tools/call", params, 50_000);
  const text = textOf(reply);
  if (isError(reply)) throw new Error(text);
  return JSON.parse(text) as LoadedPage;
}

async function failureOf(server: Server, url: string, browser = false): Promise<string> {
  return pageOf(server, url, browser).then(
    (page) => `no failure: ${page.status}`,
    (error: Error) => error.message,
  );
}

/** The main process of each browser of this server's home. */
function browsersOf({ home }: Server): number[] {
  return topProcessesWith(`--user-data-dir=${home.path}`).map(({ pid }) => pid);
}

/** Children of the server that have ended and that nobody has collected. */
function zombiesOf(pid: number): number {
  return readdirSync("/proc").filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === pid;
    } catch {
      return false;
    }
  }).length;
}

/** The Workers of a server, by the names of its threads (Linux). */
function workersOf(server: Server): number {
  const tasks = `/proc/${server.pid}/task`;
  const names = readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/comm`, "utf8").trim());
  return names.filter((name) => name === "Worker").length;
}

describe("pages without a browser", () => {
  /** For tests with a site each, of which it knows nothing before. */
  let server: Server;
  beforeAll(async () => {
    await using site = new PageServer();
    server = await startServer(site);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("[pages.fetched] a page as it was served", async () => {
    await using site = new PageServer();
    expect(await pageOf(server, `${site.origin}/a#part`)).toEqual({
      url: `${site.origin}/a#part`,
      finalUrl: `${site.origin}/a#part`,
      status: 200,
      contentType: "text/html",
      body: { kind: "text", text: "<!doctype html><title>t</title><p>page /a" },
      via: "fetch",
      isCached: false,
      notes: [],
    });
    expect(server.stderr).toBe("");
  });

  test("[pages.kept] the same page once more makes no request", async () => {
    await using site = new PageServer();
    const pages = [
      await pageOf(server, `${site.origin}/a`),
      await pageOf(server, `${site.origin}/a#b`),
    ];
    expect(pages.map(({ isCached }) => isCached)).toEqual([false, true]);
    expect(site.hits).toEqual(new Map([["/a", 1]]));
  });

  const refused = ["127.0.0.2", "0x7f.2", "2130706434", "[::1]", "[::ffff:127.0.0.2]", "0.0.0.0"];
  test("[pages.refused] addresses that nobody allowed, by fetch and by browser", async () => {
    await using site = new PageServer();
    const port = new URL(site.origin).port;
    for (const host of refused) {
      expect(await failureOf(server, `http://${host}:${port}/`)).toContain("Refused to connect");
    }
    for (const url of ["file:///etc/passwd", "data:text/html,x", "chrome://version"]) {
      expect(await failureOf(server, url)).toMatch(/^Refused: only http: and https:/);
      expect(await failureOf(server, url, true)).toMatch(/^Refused: only http: and https:/);
    }
    expect(site.hits.size).toBe(0);
  });

  test("[pages.together] twenty pages at once, and commands between them", async () => {
    await using site = new PageServer();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const pages = numbers.map((index) => pageOf(server, `${site.origin}/gated/${index}`));
    await eventually("all of them asked for", () => site.hits.size === 20);
    expect(textOf(await server.call("Bash", { command: "echo between" }))).toBe("between\n");
    site.open();
    const texts = (await Promise.all(pages)).map(({ body }) => body);
    expect(texts).toEqual(
      numbers.map((index) => ({
        kind: "text",
        text: `<!doctype html><title>t</title><p>page /gated/${index}`,
      })),
    );
    expect(site.openMax).toBe(20);
  });

  test("[pages.cancelled] a cancelled call ends its request and no other", async () => {
    await using site = new PageServer();
    const start = (path: string): string | number =>
      server.start("tools/call", { name: "PlainPage", arguments: { url: site.origin + path } });
    const [one, two, shared, other] = [
      start("/never/one"),
      start("/gated/two"),
      start("/gated/shared"),
      start("/gated/shared"),
    ];
    await eventually("all of them asked for", () => site.hits.size === 3);
    server.notify("notifications/cancelled", { requestId: one });
    server.notify("notifications/cancelled", { requestId: shared });
    await eventually("the request is given up", () => site.givenUp.length > 0);
    site.open();
    expect(textOf(await server.reply(two))).toContain("page /gated/two");
    expect(textOf(await server.reply(other))).toContain("page /gated/shared");
    expect(site.givenUp).toEqual(["/never/one"]);
    expect(server.messages.some(({ id }) => id === one || id === shared)).toBe(false);
  });

  const linuxTest = test.skipIf(process.platform !== "linux");
  linuxTest("[pages.unused] the Worker for pages is started with the first of them", async () => {
    await using site = new PageServer();
    await using unused = await startServer(site);
    expect(textOf(await unused.call("Bash", { command: "echo one" }))).toBe("one\n");
    expect(workersOf(unused)).toBe(1);
    await pageOf(unused, `${site.origin}/a`);
    expect(workersOf(unused)).toBe(2);
    expect(browsersOf(unused)).toEqual([]);
  });
});

describe("pages in the browsers of two servers of one user", () => {
  let site: PageServer;
  let home: TempFolder;
  let one: Server;
  let two: Server;
  beforeAll(async () => {
    site = new PageServer();
    home = new TempFolder();
    [one, two] = await Promise.all([startServer(site, home), startServer(site, home)]);
  });
  afterAll(async () => {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
    home[Symbol.dispose]();
    await site[Symbol.asyncDispose]();
  });

  const shows = async (server: Server, path: string): Promise<void> => {
    const { via, body } = await pageOf(server, site.origin + path, true);
    expect(via).toBe("browser");
    expect(body.kind === "text" && body.text).toContain(`rendered ${path}`);
  };

  browserTest("[pages.cancelled] a page in the browser ends with its call", async () => {
    const id = one.start("tools/call", {
      name: "PlainPage",
      arguments: { url: `${site.origin}/never`, browser: true },
    });
    await eventually("it is asked for", () => site.hits.has("/never"), 30_000);
    one.notify("notifications/cancelled", { requestId: id });
    await eventually("it is given up", () => site.givenUp.includes("/never"));
    expect(one.messages.some((message) => message.id === id)).toBe(false);
  });

  browserTest(
    "[pages.browser] one that is killed is replaced, and nothing of it stays",
    async () => {
      const [first = 0] = browsersOf(one);
      process.kill(first, "SIGKILL");
      await shows(one, "/script/1");
      expect(browsersOf(one)).toHaveLength(1);
      expect(browsersOf(one)).not.toContain(first);
      if (process.platform === "linux") {
        await eventually("no zombies", () => zombiesOf(one.pid) === 0);
      }
    },
  );

  browserTest(
    "[pages.clients] [pages.browser] each has one for all of its pages; nothing of it is left when its client goes, and the other stays",
    async () => {
      await shows(two, "/script/2");
      const both = browsersOf(two);
      expect(both).toHaveLength(2);
      one.endInput();
      expect(await one.ended()).toBe(0);
      await eventually("its browser is gone", () => browsersOf(two).length === 1);
      await shows(two, "/script/again");
      // The same browser: the end of the one did not reach it, nor its folder, which is the only one now.
      expect(both).toContain(browsersOf(two)[0] ?? 0);
      expect(readdirSync(`${home.path}/.scorpiox/browser`)).toHaveLength(1);
    },
  );

  browserTest("[pages.browser] nothing of it is left after kill -9 of the server", async () => {
    const unended = two.start("tools/call", {
      name: "PlainPage",
      arguments: { url: `${site.origin}/never/2`, browser: true },
    });
    await eventually("it is asked for", () => site.hits.has("/never/2"));
    expect(browsersOf(two)).toHaveLength(1);
    two.signal("SIGKILL");
    await two.exited;
    await allGone(home.path);
    expect(two.messages.some(({ id }) => id === unended)).toBe(false);
  });
});
