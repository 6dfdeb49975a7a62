import { afterAll, beforeAll, describe, expect } from "bun:test";

import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { article, endless, html, LocalSite } from "./local-site.ts";
import {
  BrowserHarness,
  browserPath,
  browserTest,
  browserTestMs,
  failureOf,
  longBrowserTest,
  never,
  paragraph,
  textOf,
  wordsOf,
} from "./browser-harness.ts";
import { onlyLong } from "../../fixtures/long-run.ts";

const spa = `<div id=root></div><script>
  setTimeout(async () => {
    const text = await (await fetch("/data")).text();
    root.innerHTML = "<h1>Rendered</h1>" + text;
  }, 300);
</script>`;

/** A script adds to it after so many milliseconds. */
const late = (ms: number): string =>
  `<p id=p>Waiting.</p><script>setTimeout(() => p.after("ARRIVED"), ${ms})</script>`;
const chatty = `${article()}<script>
  setInterval(() => fetch("/poll"), 100);
  new EventSource("/events").onmessage = () => {};
  setTimeout(() => document.body.append("filled in"), 200);
</script>`;

const images = Array.from({ length: 30 }, (_, index) => `<img src="/image?${index}">`).join("");
const heavy = `<style>@font-face{font-family:f;src:url(/font)} body{font-family:f}</style>
  ${images}<video src="/video"></video>`;

const hidden = `<style>.none{display:none} .zero{font-size:0} .line{display:contents}</style>
  <p class=none>NONE <b>INSIDE</b></p><p class=zero>ZERO <b style="font-size:9px">SIZED</b></p><p class=line>LINE</p>
  <details><summary>More</summary><p>FOLDED</p></details>
  <form><input name=children><input name=attributes><p class=none>FORM</p></form>
  <script type="application/ld+json">{"kept": true}</script><script>let dropped</script>`;

/** Some ten thousand times a second: as quickly as it can would only keep the other processors busy too. */
const growing = `${article()}<script>for (;;) {
  document.body.append("more ");
  for (const end = performance.now() + 0.1; performance.now() < end;);
}</script>`;

const shadows = `<outer-part><b>SLOTTED</b></outer-part><script>
  customElements.define("inner-part", class extends HTMLElement {
    connectedCallback() {
      this.attachShadow({ mode: "open" }).innerHTML = "<i>INNER &lt;1&gt;</i><style>i{}</style>";
    }
  });
  customElements.define("outer-part", class extends HTMLElement {
    connectedCallback() {
      setTimeout(() => {
        this.attachShadow({ mode: "open" }).innerHTML =
          "<h2>SHADOW</h2><slot></slot><slot name=no>OTHERWISE</slot><inner-part></inner-part>";
      }, 250);
    }
  });
</script>`;

const framed = `<title>Manual</title><p>Menu</p><iframe src="/framed/inner"></iframe><iframe src="/framed/advert"></iframe>`;

const loud = `<script>
  alert(1); const answer = confirm(2); const text = prompt(3);
  const other = window.open("/popup");
  Notification.requestPermission().then((state) => document.body.append("permission: " + state));
  document.body.append(["answer: ", answer, text, "popup: " + other].join(" "));
</script>`;

/** A tab takes far longer to open than a page to show, so that one has all that does not disturb the rest. */
const various = (request: Request): Response => {
  const agent = [request.headers.get("user-agent"), request.headers.get("sec-ch-ua")].join(" ");
  return html(
    `<!DOCTYPE html><title>Various</title>${heavy}${hidden}${shadows}<p>${agent}</p>${spa}${loud}`,
  );
};

const bytes = (type: string, name: string): Response =>
  new Response("%PDF-1.4 nothing", { headers: { "Content-Type": type, "X-Name": name } });

/** A page of so many bytes, made as it is read. */
function large(bytes: number): Response {
  const chunk = new TextEncoder().encode(paragraph.repeat(1000));
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      if (sent >= bytes) controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/html" } });
}

const htmlCharsMax = 256 * 1024;
const pagesOpenMax = 2;
let harness: BrowserHarness;
let site: LocalSite;
let remembered = 0;

beforeAll(() => {
  if (browserPath === "") return;
  harness = new BrowserHarness({
    settleMsMax: 3_000,
    navigationMsMax: 6_000,
    answerMsMax: 1_000,
    navigationsMax: 5,
    pagesOpenMax,
    htmlCharsMax,
    documentBytesMax: 1.2 * htmlCharsMax,
  });
  site = new LocalSite({
    "/static": article(100),
    "/various": various,
    "/data": async () => {
      await Bun.sleep(200);
      return html(paragraph.repeat(5));
    },
    "/chatty": chatty,
    "/poll": () => html("."),
    "/events": () => endless("text/event-stream"),
    "/framed": framed,
    "/frameset": `<frameset cols="1,9"><frame src="/framed/advert"><frame src="/framed/inner"></frameset>`,
    "/slow-app": async () => {
      await Bun.sleep(1_600);
      return html(spa);
    },
    "/framed/inner": `<a href="next">Next</a>${article()}`,
    "/framed/advert": "<p>Buy this",
    "/short": "<p>Short.<script>1</script>",
    "/late": late(1_800),
    "/meta": `<meta http-equiv=refresh content="0;url=/script-redirect">moved`,
    "/script-redirect": `<script>location.replace("/static#part")</script>`,
    "/push": `${article()}<script>history.pushState(0, "", "/pushed?x=1" + location.hash)</script>`,
    "/redirect": () => Response.redirect("/push", 302),
    "/loop": (_, url) => Response.redirect(`/loop?${url.search.length}`, 302),
    "/script-loop": `<script>location = "/script-loop?" + Math.random()</script>`,
    "/missing": () => html(article(), 404),
    "/missing-bare": () => new Response(null, { status: 404 }),
    "/no-content": () => new Response(null, { status: 204 }),
    "/password": () => html(article(), 401, { "WWW-Authenticate": "Basic" }),
    "/json": () => Response.json({ a: [1, 2] }),
    "/text": () => new Response("a < b\n", { headers: { "Content-Type": "text/plain" } }),
    "/pdf": () => bytes("application/pdf", "a.pdf"),
    "/download": () =>
      new Response("x", {
        headers: {
          "Content-Type": "application/octet-stream",
          "Content-Disposition": 'attachment; filename="a.bin"',
        },
      }),
    "/busy": `${article()}<p>before</p><script>for (;;);</script><p>after</p>`,
    "/growing": growing,
    // Later than a page is done where processors are busy.
    "/half": () => endless("text/html", `${article()}${late(20_000)}`),
    "/large": () => large(4 * htmlCharsMax),
    "/silent": () => new Promise<Response>(() => undefined),
    "/cookie": (request) => {
      const sent = request.headers.get("cookie") ?? "none";
      return html(
        `${article()}<p>cookie: ${sent};</p><script>
        document.write("stored: " + localStorage.getItem("k"));
        localStorage.setItem("k", "v");
      </script>`,
        200,
        { "Set-Cookie": "id=1; Path=/" },
      );
    },
    "/clobber": `<form name=body></form><img name=documentElement><img name=querySelector>
      <img name=readyState><form name=URL></form>${article()}<script>1</script>`,
    "/many": async () => {
      remembered++;
      await Bun.sleep(20);
      return html(article());
    },
  });
});

afterAll(async () => {
  if (browserPath === "") return;
  await harness[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const rooted = process.getuid?.() === 0;
/** What is said besides that the super-user's browser has no sandbox. */
const ownNotes = (notes: readonly string[]): readonly string[] => notes.slice(rooted ? 1 : 0);

const cappedAfter = (seconds: number): string =>
  `The page was still changing or loading after ${seconds} s and was read in that state.`;
/** On a busy machine that may be said of any page. */
const notesAtAnyLoad = (notes: readonly string[]): readonly string[] =>
  ownNotes(notes).filter((note) => note !== cappedAfter(3));

describe("render() shows", () => {
  type Row = readonly [name: string, has: readonly string[], hasNot: readonly string[]];
  let shown: Promise<LoadedPage>;
  beforeAll(() => {
    if (browserPath !== "") shown = harness.render(site.url("/various"));
  });

  const expectShown = (page: LoadedPage, has: Row[1], hasNot: Row[2]): void => {
    const text = textOf(page);
    expect({
      missing: has.filter((part) => !text.includes(part)),
      unwanted: hasNot.filter((part) => text.includes(part)),
      status: page.status,
      contentType: page.contentType,
      notes: notesAtAnyLoad(page.notes),
    }).toEqual({ missing: [], unwanted: [], status: 200, contentType: "text/html", notes: [] });
  };

  browserTest.each<Row>([
    ["what a script fetches", ["<h1>Rendered</h1>", "enough words"], ["<script>"]],
    [
      "open shadow trees and slots as they are seen",
      ["<h2>SHADOW</h2><b>SLOTTED</b>OTHERWISE", "<i>INNER &lt;1&gt;</i>"],
      ["<slot", "i{}"],
    ],
    [
      "what is hidden as hidden",
      [
        '<p class="none" hidden="">NONE',
        '<p class="zero"><b style="font-size:9px">SIZED</b>',
        '<p class="line">LINE',
        "<p>FOLDED",
        '<p class="none" hidden="">FORM',
        '{"kept": true}',
      ],
      ["dropped", "<style", "ZERO"],
    ],
    [
      "a page whose dialogs nobody answers",
      ["answer:  false", "popup: null", "permission: denied"],
      [],
    ],
    ["itself as other browsers do", [" Chrome/", "Chromium"], ["Headless"]],
    ["where images are", ["/image?29"], []],
  ])("%s", async (_name, has, hasNot) => expectShown(await shown, has, hasNot), browserTestMs);

  browserTest(
    "no images, fonts or videos: they are not loaded",
    async () => {
      await shown;
      expect(site.hits).toEqual(["/various", "/data"]);
    },
    browserTestMs,
  );

  browserTest.each<readonly [path: string, ...Row]>([
    ["/chatty", "a page that polls and streams", ["filled in"], []],
    ["/framed", "the frame that holds the content", ["enough words", "/framed/next"], ["Buy this"]],
    ...onlyLong<readonly [path: string, ...Row]>([
      [
        "/frameset",
        "the frame of a frameset that holds the content",
        ["enough words", "/framed/next"],
        ["Buy this"],
      ],
      [
        "/slow-app",
        "what a script fetches after a slow server gave the page",
        ["<h1>Rendered</h1>"],
        [],
      ],
      ["/short", "a short page", ["Short."], []],
      ["/clobber", "a page with elements named like the document's members", ["enough words"], []],
    ]),
  ])(
    "%s: %s",
    async (path, _name, has, hasNot) =>
      expectShown(await harness.render(site.url(path)), has, hasNot),
    browserTestMs,
  );
});

describe("render() follows", () => {
  browserTest.each([
    [
      "a redirect with the fragment that was asked for, and a changed history",
      "/redirect#here",
      "/pushed?x=1#here",
    ],
    ["a refresh, and a script", "/meta", "/static#part"],
  ] as const)(
    "%s",
    async (_name, path, finalPath) => {
      const page = await harness.render(site.url(path));
      expect({ url: page.url, finalUrl: page.finalUrl, status: page.status }).toEqual({
        url: site.url(path),
        finalUrl: site.url(finalPath),
        status: 200,
      });
      expect(textOf(page)).toContain("<h1>Article</h1>");
      expect(wordsOf(page)).toContain("enough words");
      expect(notesAtAnyLoad(page.notes)).toEqual([]);
    },
    browserTestMs,
  );
});

describe("render() says what came instead of a page:", () => {
  const none = { kind: "none", bytes: null } as const;
  const download = "The browser does not show this as a page: it is a download, or empty.";
  browserTest.each([
    ["an error of the server", "/missing", 404, "text/html", undefined, []],
    [
      "an error without a body",
      "/missing-bare",
      404,
      "text/plain",
      none,
      ["The response has a status but no body."],
    ],
    ["JSON", "/json", 200, "application/json", { kind: "text", text: '{"a":[1,2]}' }, []],
    ["PDF", "/pdf", 200, "application/pdf", none, undefined],
    ["a download", "/download", 200, "application/octet-stream", none, [download]],
    ...onlyLong([
      ["no content", "/no-content", 204, "text/plain", none, [download]],
      ["a page behind a password", "/password", 401, "text/html", undefined, []],
      ["text", "/text", 200, "text/plain", { kind: "text", text: "a < b\n" }, []],
    ] as const),
  ] as const)(
    "%s",
    async (_name, path, status, contentType, body, notes) => {
      const page = await harness.render(site.url(path));
      expect({ status: page.status, contentType: page.contentType, via: page.via }).toEqual({
        status,
        contentType,
        via: "browser",
      });
      if (body === undefined) expect(textOf(page)).toContain("enough words");
      else expect(page.body).toEqual(body);
      if (notes !== undefined) expect(notesAtAnyLoad(page.notes)).toEqual([...notes]);
    },
    browserTestMs,
  );
});

describe("render() of a page that is never done,", () => {
  let hurried: BrowserHarness;
  beforeAll(() => void (hurried = new BrowserHarness({ settleMsMax: 1_000, answerMsMax: 500 })));
  afterAll(() => hurried[Symbol.asyncDispose]());

  browserTest.each([
    ["ends in time with a script that never ends", "/busy", "before"],
    ["ends in time with a document that never ends", "/half", "enough words"],
  ])(
    "%s",
    async (_name, path, has) => {
      const page = await hurried.render(site.url(path));
      expect(wordsOf(page)).toContain(has);
      expect(wordsOf(page)).not.toContain("ARRIVED");
      expect(ownNotes(page.notes)).toEqual([cappedAfter(1)]);
    },
    browserTestMs,
  );

  longBrowserTest(
    "comes to an end with one that grows for ever, and shows the next one",
    async () => {
      const outcome = await hurried.render(site.url("/growing")).then(
        () => "shown",
        (error: unknown) => (error as { code: string }).code,
      );
      expect(["shown", "limit", "system"]).toContain(outcome);
      expect(wordsOf(await hurried.render(site.url("/static")))).toContain("enough words");
    },
    browserTestMs,
  );

  browserTest(
    "waits as long as it is asked to",
    async () => {
      expect(textOf(await hurried.render(site.url("/late"), never, 2_000))).toContain("ARRIVED");
    },
    browserTestMs,
  );
});

browserTest(
  "render() takes the beginning of what is too large, and says so",
  async () => {
    const page = await harness.render(site.url("/large"));
    const { length } = textOf(page);
    expect({
      isPart: length > paragraph.length && length <= htmlCharsMax,
      status: page.status,
    }).toEqual({
      isPart: true,
      status: 200,
    });
    expect(ownNotes(page.notes).join(" ")).toMatch(/too large|still changing or loading/);
  },
  browserTestMs,
);

describe("render() fails for", () => {
  browserTest.each([
    ["redirects endlessly", "/loop", "limit", "redirects endlessly"],
    ...onlyLong([
      ["pages that go on without end", "/script-loop", "limit", "more than 5 pages"] as const,
    ]),
    ["a server that does not answer", "/silent", "limit", "did not answer within 6 s"],
  ] as const)(
    "%s",
    async (_name, path, code, text) => {
      const failure = await failureOf(harness.render(site.url(path)));
      expect({ code: failure.code, says: failure.text.includes(text) || failure.text }).toEqual({
        code,
        says: true,
      });
    },
    browserTestMs,
  );

  browserTest.each([
    ["file:///etc/passwd", "usage"],
    ["data:text/html,x", "usage"],
    ["javascript:1", "usage"],
    ["view-source:http://a.example/", "usage"],
    ["chrome://version", "usage"],
    ["http://a:b@127.0.0.1/", "usage"],
    ["not a url", "usage"],
  ])("%s", async (url, code) => {
    expect(await failureOf(harness.render(url))).toMatchObject({ code });
  });
});

browserTest(
  "render() keeps nothing from one page to the next",
  async () => {
    const pages = [
      await harness.render(site.url("/cookie")),
      await harness.render(site.url("/cookie")),
    ];
    const told = pages.map((page) => /cookie: .*$/.exec(wordsOf(page))?.[0]);
    expect(told).toEqual(Array.from({ length: 2 }, () => "cookie: none; stored: null"));
  },
  browserTestMs,
);

browserTest(
  "render() serves more calls at once than it opens pages, with one browser",
  async () => {
    const count = pagesOpenMax + 1;
    const calls = Array.from({ length: count }, () => harness.render(site.url("/many")));
    const pages = await Promise.all(calls);
    expect({
      good: pages.filter((page) => wordsOf(page).includes("enough words")).length,
      requests: remembered,
      browsers: harness.mainProcesses().length,
    }).toEqual({ good: count, requests: count, browsers: 1 });
  },
  browserTestMs,
);

browserTest(
  "render() gives up at once when it is cancelled, in the queue and before",
  async () => {
    const leaving = new AbortController();
    const calls = Array.from({ length: pagesOpenMax + 1 }, () =>
      harness.render(site.url("/silent"), leaving.signal),
    );
    const failures = Promise.all(calls.map(failureOf));
    leaving.abort();
    expect((await failures).map(({ code }) => code)).toEqual(calls.map(() => "cancelled"));
    expect(await failureOf(harness.render(site.url("/static"), leaving.signal))).toMatchObject({
      code: "cancelled",
    });
    expect(wordsOf(await harness.render(site.url("/static")))).toContain("enough words");
  },
  browserTestMs,
);
