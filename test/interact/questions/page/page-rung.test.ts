import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { questionPostBytesMax } from "../../../../src/base/limits.ts";
import { PageRung } from "../../../../src/interact/questions/page/page-rung.ts";
import type { ShownEnd } from "../../../../src/interact/questions/terminals.ts";
import type { Question } from "../../../../src/tools/state-services.ts";
import { isRoot } from "../../../e2e/harness/platform.ts";
import { shownOf } from "../fixtures.ts";

/** A page that is open, and a browser that is nothing but `fetch`. */
class Opened {
  url = "";
  cookie = "";
  readonly taken = new AbortController();
  readonly end: Promise<ShownEnd>;

  private constructor(questions?: readonly Question[], visitMsMax?: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const open = (url: string): Promise<boolean> => {
      this.url = url;
      resolve();
      return new Promise(() => {});
    };
    const rung = new PageRung({ canOpen: true, open }, visitMsMax);
    this.end = rung.ask(() => Promise.resolve(shownOf(questions)), this.taken.signal);
    this.#opened = promise;
  }

  readonly #opened: Promise<void>;

  static async start(questions?: readonly Question[], visitMsMax?: number): Promise<Opened> {
    const opened = new Opened(questions, visitMsMax);
    await opened.#opened;
    return opened;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  async visit(headers: Record<string, string> = {}): Promise<Response> {
    const reply = await fetch(this.url, { headers: { Cookie: this.cookie, ...headers } });
    const set = reply.headers.get("Set-Cookie");
    if (set !== null) this.cookie = set.split(";")[0] ?? "";
    return reply;
  }

  post(body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: this.origin,
        Cookie: this.cookie,
        ...headers,
      },
    });
  }
}

const complete = "action=answer&answer1=1&answer2=0&answer2=2&words2=and+XXL";
const answered = {
  kind: "answered",
  answers: [
    { labels: ["blue"], other: null },
    { labels: ["S", "L"], other: "and XXL" },
  ],
};

let page: Opened;
beforeAll(async () => {
  page = await Opened.start();
  await page.visit();
});
afterAll(() => page.taken.abort());

describe("the address", () => {
  test("has 128 bits, and opens once", async () => {
    await using _ = closing(await Opened.start());
    const { opened } = _;
    expect(opened.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ask\/[\w-]{22}$/);
    const first = await opened.visit();
    expect([first.status, first.headers.get("Set-Cookie")]).toEqual([
      200,
      expect.stringMatching(/^ask-q1=[\w-]{22}; HttpOnly; SameSite=Strict; Path=\/ask\/[\w-]{22}$/),
    ]);
    expect((await fetch(opened.url)).status).toBe(403);
    const again = await opened.visit();
    expect([again.status, again.headers.get("Set-Cookie")]).toEqual([200, null]);
  });

  const canBeOther = isRoot && Bun.which("setpriv") !== null && Bun.which("curl") !== null;
  (canBeOther ? test : test.skip)("does not open for another user, nor is it used up", async () => {
    await using _ = closing(await Opened.start());
    const { url } = _.opened;
    const other = ["setpriv", "--reuid=65534", "--clear-groups"];
    const curl = Bun.spawn([...other, "curl", "-s", "-w", "%{http_code}", url]);
    const text = await curl.stdout.text();
    expect([text.slice(-3), text.includes("is for another user")]).toEqual(["403", true]);
    expect((await _.opened.visit()).status).toBe(200);
  });

  (canBeOther ? test : test.skip)(
    "takes nothing from another user who has the cookie",
    async () => {
      await using _ = closing(await Opened.start());
      const { opened } = _;
      await opened.visit();
      const form = ["-H", `Cookie: ${opened.cookie}`, "-H", `Origin: ${opened.origin}`];
      const posted = [...form, "-d", complete, "-w", "%{http_code}", opened.url];
      const other = ["setpriv", "--reuid=65534", "--clear-groups", "curl", "-s", ...posted];
      const text = await Bun.spawn(other).stdout.text();
      expect([text.slice(-3), text.includes("is for another user")]).toEqual(["403", true]);
      expect((await opened.post(complete)).status).toBe(200);
    },
  );

  test("is kept nowhere, and lets nothing in from elsewhere", async () => {
    const { headers } = await page.visit();
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Referrer-Policy")).toBe("same-origin");
    const policy = headers.get("Content-Security-Policy")?.replaceAll(/nonce-[\w-]{22}/g, "nonce");
    expect(policy).toBe(
      "default-src 'none'; style-src 'nonce'; script-src 'nonce'; img-src data:; " +
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  test.each([
    ["another address", "GET", "/ask/AAAAAAAAAAAAAAAAAAAAAA", {}, 410],
    ["no address", "GET", "/", {}, 410],
    ["another method", "PUT", undefined, {}, 405],
    ["another host", "GET", undefined, { Host: "evil.example" }, 421],
    ["a name of this machine", "GET", undefined, { Host: "localhost" }, 421],
    ["the state without a cookie", "GET", "?state", { Cookie: "" }, 403],
  ])("of %s: %s %p with %j is %p", async (_what, method, path, headers, status) => {
    const url = path === undefined ? page.url : new URL(path, page.url).href;
    const reply = await fetch(url, { method, headers: { Cookie: page.cookie, ...headers } });
    expect(reply.status).toBe(status);
  });
});

describe("an answer", () => {
  test("is taken once", async () => {
    const opened = await Opened.start();
    await opened.visit();
    const replies = await Promise.all([opened.post(complete), opened.post(complete)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 410]));
    expect(await opened.end).toEqual(answered as ShownEnd);
  });

  test.each([
    ["no Origin", { Origin: "" }, 403],
    ["another Origin", { Origin: "http://127.0.0.1:1" }, 403],
    ["another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["no cookie", { Cookie: "" }, 403],
    ["another cookie", { Cookie: "ask-q1=AAAAAAAAAAAAAAAAAAAAAA" }, 403],
    ["another type", { "Content-Type": "text/plain" }, 415],
  ])("is refused with %s", async (_what, headers, status) => {
    expect((await page.post(complete, headers)).status).toBe(status);
  });

  test("is refused when it is huge", async () => {
    expect((await page.post("a".repeat(questionPostBytesMax + 1))).status).toBe(413);
  });

  test.each([
    ["nothing", "", ["Question 1: Choose an option", "Question 2: Choose at least one option"]],
    ["an option that there is not", "answer1=7&answer2=0", ["Question 1: Choose an option"]],
    ["two of one", "answer1=0&answer1=1&answer2=0", ["Question 1: Choose only one option"]],
    ["Other without words", "answer1=other&answer2=0", ["Question 1: Choose an option"]],
    [
      "too many words",
      `answer1=0&words2=${"x".repeat(4_001)}`,
      ["Question 2: The answer has 4001"],
    ],
  ])("with %s is asked for again", async (_what, body, problems) => {
    const reply = await page.post(`action=answer&${body}`);
    expect(reply.status).toBe(422);
    const text = await reply.text();
    for (const problem of problems) expect(text).toContain(problem);
  });

  test.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ])("may be: %s", async (action, kind) => {
    const opened = await Opened.start();
    await opened.visit();
    expect((await opened.post(`action=${action}`)).status).toBe(200);
    expect(await opened.end).toEqual({ kind } as ShownEnd);
  });
});

test("hostile texts stay texts", async () => {
  const bad = `"'><script>alert(1)</script>&amp;\u202Eabc`;
  const opened = await Opened.start([
    { question: bad, header: bad, options: [{ label: bad, description: bad }], multiSelect: true },
  ]);
  const shown = await (await opened.visit()).text();
  const again = await (
    await opened.post(
      `action=answer&words1=${encodeURIComponent(`</textarea>${bad}`)}&answer1=9&answer1=8`,
    )
  ).text();
  opened.taken.abort();
  expect(shown.match(/<script/g)).toHaveLength(1);
  expect(shown).toContain("&lt;script&gt;alert(1)");
  expect(shown).not.toContain("\u202E");
  expect(again).toContain("Answer sent");
});

describe("the page is over", () => {
  test("when its question is taken back, and says so", async () => {
    const opened = await Opened.start();
    await opened.visit();
    const state = fetch(`${opened.url}?state`, { headers: { Cookie: opened.cookie } });
    await Bun.sleep(20);
    opened.taken.abort();
    expect((await state).status).toBe(410);
    expect(await opened.end).toEqual({ kind: "gone" });
    expect((await opened.visit()).status).toBe(410);
    const { port } = new URL(opened.url);
    const isListening = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    while (await isListening()) await Bun.sleep(20);
  });

  test("when nobody comes in time", async () => {
    expect(await (await Opened.start(undefined, 1)).end).toEqual({ kind: "gone" });
  });

  test("not when somebody came in time", async () => {
    const opened = await Opened.start(undefined, 300);
    await opened.visit();
    await Bun.sleep(350);
    await opened.post(complete);
    expect(await opened.end).toEqual(answered as ShownEnd);
  });

  test.each([
    [false, { kind: "gone" }],
    [true, { kind: "declined" }],
  ])("when no browser could be opened, unless somebody came: %p", async (comes, end) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const address = Promise.withResolvers<string>();
    const open = (url: string): Promise<boolean> => {
      address.resolve(url);
      return promise;
    };
    const rung = new PageRung({ canOpen: true, open });
    const ended = rung.ask(() => Promise.resolve(shownOf()), new AbortController().signal);
    const url = await address.promise;
    const cookie = comes ? ((await fetch(url)).headers.get("Set-Cookie")?.split(";")[0] ?? "") : "";
    resolve(false);
    if (comes) {
      await Bun.sleep(0);
      const { origin } = new URL(url);
      const body = new URLSearchParams({ action: "decline" });
      await fetch(url, { method: "POST", body, headers: { Origin: origin, Cookie: cookie } });
    }
    expect(await ended).toEqual(end as ShownEnd);
  });
});

function closing(opened: Opened): AsyncDisposable & { opened: Opened } {
  const dispose = async (): Promise<void> => {
    opened.taken.abort();
    await opened.end;
  };
  return { opened, [Symbol.asyncDispose]: dispose };
}
