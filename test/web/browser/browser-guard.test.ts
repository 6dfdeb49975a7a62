import { afterAll, beforeAll, describe, expect } from "bun:test";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { once } from "node:events";

import {
  BrowserHarness,
  browserTest,
  browserTestMs,
  failureOf,
  textOf,
} from "./browser-harness.ts";
import { article, html, LocalSite } from "./local-site.ts";

/** Stands at an address that no page may reach, and counts whoever comes, by TCP or UDP. */
class Canary implements AsyncDisposable {
  readonly touched: string[] = [];
  readonly #server: Server = createServer((socket) => {
    this.touched.push("tcp");
    socket.on("error", () => undefined);
    socket.end(
      "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nAccess-Control-Allow-Origin: *\r\n\r\nSECRET",
    );
  });
  #udp: Bun.udp.Socket<"buffer"> | undefined;

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.2");
    await once(this.#server, "listening");
    const data = (): void => void this.touched.push("udp");
    const { port } = this;
    this.#udp = await Bun.udpSocket({ hostname: "127.0.0.2", port, socket: { data } });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#udp?.close();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Does `attempts` in one page, and says when each is over; `C` is the canary's host and port. */
const pageOf = (rows: readonly (readonly [name: string, attempt: string])[]): string => {
  const scripts = rows.map(
    ([name, attempt]) => `<script>{
    const over = (word) => document.body.append("OVER ${name}: " + word + "; ");
    const shut = (error) => over("failed " + error.name);
    try { ${attempt} } catch (error) { shut(error); }
  }</script>`,
  );
  return article() + scripts.join("");
};

const attempts: [name: string, attempt: string][] = [
  ["fetch", `fetch("http://C/").then(() => over("got"), shut)`],
  [
    "fetch of an address in another spelling",
    `fetch("http://2130706434:PORT/").then(() => over("got"), shut)`,
  ],
  ["a redirect of a fetch", `fetch("/to-canary").then(() => over("got"), shut)`],
  ["WebSocket", `new WebSocket("ws://C/").onerror = () => over("error")`],
  ["EventSource", `new EventSource("http://C/").onerror = () => over("error")`],
  [
    "a frame",
    `document.body.append(Object.assign(document.createElement("iframe"), { src: "http://C/", onload: () => over("loaded") }))`,
  ],
  [
    "a script",
    `document.body.append(Object.assign(document.createElement("script"), { src: "http://C/", onerror: () => over("error") }))`,
  ],
  ["a beacon", `over(navigator.sendBeacon("http://C/", "x"))`],
  [
    "hints",
    `document.head.insertAdjacentHTML("beforeend", '<link rel=preconnect href="http://C"><link rel=dns-prefetch href="http://C"><link rel=prefetch href="http://C/"><link rel=preload as=fetch href="http://C/">'); over("said")`,
  ],
  ["a popup", `over(window.open("http://C/"))`],
  [
    "a Worker",
    `new Worker(URL.createObjectURL(new Blob(['fetch("http://C/").then(() => postMessage("got"), () => postMessage("failed"))']))).onmessage = (event) => over(event.data)`,
  ],
  [
    "a service worker",
    `navigator.serviceWorker.register("/service.js").then(() => over("registered"), shut)`,
  ],
  [
    "WebRTC",
    `const peer = new RTCPeerConnection({ iceServers: [{ urls: ["stun:C", "turn:C?transport=tcp"], username: "a", credential: "b" }] }); peer.createDataChannel("x"); peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && over("gathered"); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
  ],
  [
    "WebTransport",
    `new WebTransport("https://C/", { serverCertificateHashes: [{ algorithm: "sha-256", value: new Uint8Array(32) }] }).ready.then(() => over("got"), shut)`,
  ],
];

let harness: BrowserHarness;

beforeAll(() => void (harness = new BrowserHarness()));
afterAll(() => harness[Symbol.asyncDispose]());

describe("a page cannot reach a private address by", () => {
  browserTest(
    "any of the ways that pages have",
    async () => {
      await using canary = new Canary();
      await canary.open();
      const named = (text: string): string =>
        text
          .replaceAll("C/", `127.0.0.2:${canary.port}/`)
          .replaceAll("PORT", String(canary.port))
          .replaceAll(/\/\/C\b|:C\b/g, (start) => start.replace("C", `127.0.0.2:${canary.port}`));
      await using site = new LocalSite({
        "/": named(pageOf(attempts)),
        "/to-canary": () => Response.redirect(`http://127.0.0.2:${canary.port}/`, 302),
        "/service.js": () =>
          new Response(`fetch("http://127.0.0.2:${canary.port}/")`, {
            headers: { "Content-Type": "text/javascript" },
          }),
      });
      const text = await toItsEnd(site.url("/"));
      // Every attempt was made to its end, and none arrived.
      expect({
        unfinished: unfinishedIn(text),
        touched: canary.touched,
        leaked: text.includes("SECRET"),
      }).toEqual({ unfinished: [], touched: [], leaked: false });
    },
    browserTestMs,
  );
});

const unfinishedIn = (text: string): string[] =>
  attempts.map(([name]) => name).filter((name) => !text.includes(`OVER ${name}: `));

/** The text of a page whose attempts are over; a busy machine needs longer for some than a page is waited for. */
async function toItsEnd(url: string): Promise<string> {
  let text = "";
  for (const waitMs of [0, 1_000, 4_000]) {
    const signal = AbortSignal.timeout(browserTestMs);
    text = textOf(await harness.browser.render({ url, waitMs }, signal));
    if (unfinishedIn(text).length === 0) break;
  }
  return text;
}

describe("render() refuses", () => {
  browserTest.each([
    ["a private address", "/", "127.0.0.2"],
    ["a redirect to one", "/redirect", "127.0.0.1"],
    ["a script that goes to one", "/script", "127.0.0.1"],
    ["a refresh to one", "/refresh", "127.0.0.1"],
    ["a form that is sent to one", "/form", "127.0.0.1"],
  ])(
    "%s, and says why",
    async (_name, path, host) => {
      await using canary = new Canary();
      await canary.open();
      const target = `http://127.0.0.2:${canary.port}/`;
      await using site = new LocalSite({
        "/redirect": () => Response.redirect(target, 302),
        "/script": `<script>location.href = "${target}"</script>`,
        "/refresh": `<meta http-equiv=refresh content="0;url=${target}">`,
        "/form": `<form action="${target}" method=post></form><script>document.forms[0].submit()</script>`,
      });
      const url = host === "127.0.0.2" ? target : site.url(path);
      const failure = await failureOf(harness.render(url));
      expect({ code: failure.code, touched: canary.touched }).toEqual({
        code: "refused",
        touched: [],
      });
      expect(failure.text).toContain('Refused to connect to "127.0.0.2"');
    },
    browserTestMs,
  );
});

browserTest(
  "the browser calls nobody by itself",
  async () => {
    await using site = new LocalSite({ "/": () => html(article()) });
    const page = await harness.render(site.url("/"));
    expect({
      hits: site.hits,
      notes: page.notes.filter((note) => note.includes("asked for")),
    }).toEqual({
      hits: ["/"],
      notes: [],
    });
  },
  browserTestMs,
);
