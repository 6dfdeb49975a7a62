import type { Server } from "bun";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";

import { startTimer, type Timer } from "../../../base/cancellation.ts";
import {
  questionPageLingerMs,
  questionPostBytesMax,
  questionStateMs,
  questionVisitMsMax,
} from "../../../base/limits.ts";
import type { Rung, ShownEnd, ShownQuestions } from "../terminals.ts";
import { foreign, gone, QuestionPage } from "./question-page.ts";

/** A page in the user's browser as a rung: `gone` when no browser has come to see it in time. */
export class PageRung implements Rung {
  readonly name = "page";
  readonly #browser: PageBrowser;
  readonly #visitMsMax: number;
  readonly #server = new PageServer();

  /** @param visitMsMax how long a browser may take to come */
  constructor(browser: PageBrowser, visitMsMax: number = questionVisitMsMax) {
    this.#browser = browser;
    this.#visitMsMax = visitMsMax;
  }

  isThere(): boolean {
    return this.#browser.canOpen;
  }

  async ask(describe: () => Promise<ShownQuestions>, signal: AbortSignal): Promise<ShownEnd> {
    const page = new QuestionPage(await describe());
    if (signal.aborted) return { kind: "gone" };
    const url = this.#server.add(page);
    const close = (): void => page.close();
    signal.addEventListener("abort", close, { once: true });
    const timer = startTimer(this.#visitMsMax, close);
    void page.visited.then(() => timer.stop());
    void this.#open(url, page);
    try {
      return await page.ended;
    } finally {
      timer.stop();
      signal.removeEventListener("abort", close);
      this.#server.delete(page);
    }
  }

  /** The opener may fail after the user has opened this page by hand. */
  async #open(url: string, page: QuestionPage): Promise<void> {
    let isVisited = false;
    void page.visited.then(() => (isVisited = true));
    const isOpened = await this.#browser.open(url);
    if (!isOpened && !isVisited) page.close();
  }
}

/** Opens pages in front of the user. */
export interface PageBrowser {
  /** False: there is no screen, no browser, or it was switched off. */
  readonly canOpen: boolean;
  /** Resolves with false when it could not be opened, which may be known at once, late or never. */
  open(url: string): Promise<boolean>;
}

/**
 * Serves the pages of open questions on 127.0.0.1, each under an address of its own. It listens only while there is
 * one, and a moment longer for its last reply, on a port that the system chooses.
 */
class PageServer {
  readonly #pages = new Map<string, QuestionPage>();
  #server: Server<undefined> | undefined;
  #stopping: Timer | undefined;

  /** Serves the page from now on, and returns its address. @throws Error when the system lets nobody listen */
  add(page: QuestionPage): string {
    this.#stopping?.stop();
    this.#server ??= this.#listen();
    this.#pages.set(page.path, page);
    return `${this.#origin}${page.path}`;
  }

  /** Closes the page and notifies its viewers. */
  delete(page: QuestionPage): void {
    page.close();
    this.#pages.delete(page.path);
    if (this.#pages.size > 0) return;
    this.#stopping = startTimer(questionPageLingerMs, () => this.#stop());
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#server?.port ?? 0}`;
  }

  #listen(): Server<undefined> {
    return Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      maxRequestBodySize: questionPostBytesMax,
      fetch: (request, server) => this.#handle(request, server.requestIP(request)?.port ?? 0),
      error: () => new Response(null, { status: 500 }),
    });
  }

  #stop(): void {
    void this.#server?.stop(true);
    this.#server = undefined;
  }

  async #handle(request: Request, visitorPort: number): Promise<Response> {
    const nonce = randomBytes(16).toString("base64url");
    const response = await this.#answer(request, visitorPort, nonce);
    for (const [name, value] of Object.entries(headers(nonce))) response.headers.set(name, value);
    return response;
  }

  /** Another site's page may reach this port: its requests have another Host, Origin or purpose. */
  #answer(request: Request, visitorPort: number, nonce: string): Response | Promise<Response> {
    const host = this.#origin.slice("http://".length);
    if (request.headers.get("Host") !== host) return new Response(null, { status: 421 });
    const { pathname, search } = new URL(request.url);
    const page = this.#pages.get(pathname);
    const cookies = request.headers.get("Cookie") ?? "";
    switch (request.method) {
      case "GET":
        if (page === undefined) return gone(nonce);
        if (search === "?state") return page.state(cookies, questionStateMs);
        return this.#show(page, cookies, visitorPort, nonce);
      case "POST":
        return this.#post(request, page, cookies, visitorPort, nonce);
      default:
        return new Response(null, { status: 405, headers: { Allow: "GET, POST" } });
    }
  }

  /** Another user has no cookie, and gets none. */
  async #show(
    page: QuestionPage,
    cookies: string,
    visitorPort: number,
    nonce: string,
  ): Promise<Response> {
    return (await this.#isForeign(visitorPort)) ? foreign(nonce) : page.show(cookies, nonce);
  }

  async #isForeign(visitorPort: number): Promise<boolean> {
    const serverPort = this.#server?.port ?? 0;
    return (await userOfVisitor({ visitorPort, serverPort })) === "other";
  }

  async #post(
    request: Request,
    page: QuestionPage | undefined,
    cookies: string,
    visitorPort: number,
    nonce: string,
  ): Promise<Response> {
    const { headers: sent } = request;
    const site = sent.get("Sec-Fetch-Site");
    const isOwn = sent.get("Origin") === this.#origin && (site === null || site === "same-origin");
    if (!isOwn) return new Response(null, { status: 403 });
    const type = sent.get("Content-Type")?.split(";")[0]?.trim();
    if (type !== "application/x-www-form-urlencoded") return new Response(null, { status: 415 });
    if (page === undefined) return gone(nonce);
    // Ports do not keep cookies apart: the browser may have sent this one to a page of another user, at another port.
    if (await this.#isForeign(visitorPort)) return foreign(nonce);
    return page.post(cookies, await request.text(), nonce);
  }
}

/** Headers: no other origins, no frames, no cache, no referrer. */
function headers(nonce: string): Readonly<Record<string, string>> {
  return {
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src data:; ` +
      `connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    // Not "no-referrer": browsers leave the origin out of a form that is sent then.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
}

/** A connection to a server on 127.0.0.1, by its two ports. */
interface LocalConnection {
  readonly visitorPort: number;
  readonly serverPort: number;
}

/** `unknown` where the system does not tell. */
export type VisitorUser = "own" | "other" | "unknown";

/** 127.0.0.1 as Linux writes it, also for those who come by an IPv6 socket. */
const local = "(?:0000000000000000FFFF0000)?0100007F";
const establishedState = "01";
const listeningState = "0A";

/**
 * Whether this user has made the connection: the address of a page is in the list of processes for a moment, which everybody on
 * the machine can read. Only known on Linux.
 */
export async function userOfVisitor(connection: LocalConnection): Promise<VisitorUser> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return "unknown";
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) =>
    readFile(path, "latin1").catch(() => ""),
  );
  return userIn((await Promise.all(tables)).join(""), connection, uid);
}

/** @param table the text of `/proc/net/tcp` */
export function userIn(table: string, connection: LocalConnection, uid: number): VisitorUser {
  const visitor = hexOf(connection.visitorPort);
  const server = hexOf(connection.serverPort);
  const listening = new RegExp(`: ${local}:${server} [0-9A-F]+:0000 ${listeningState} `);
  // Some systems have the table and leave it empty.
  if (!listening.test(table)) return "unknown";
  const end = "[0-9A-F:]+ [0-9A-F:]+ [0-9A-F]+ +([0-9]+) ";
  const row = new RegExp(`: ${local}:${visitor} ${local}:${server} ${establishedState} ${end}`);
  const found = row.exec(table)?.[1];
  // Root may do as it likes, and passes connections on. A connection that is closed already has root as its user, or no row.
  return found === String(uid) || found === "0" ? "own" : "other";
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
