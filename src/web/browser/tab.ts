import type { GuardProxy, NetworkGuard } from "../guard/network-guard.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import type { CDPSession, DevTools, Protocol } from "./browser-process.ts";
import { TabTraffic } from "./tab-traffic.ts";

/** The tab, or its whole browser, went away during a call. The call may be tried once more in another one. */
export class TabLost extends Error {
  override readonly name = "TabLost";

  constructor(readonly why: "crashed" | "browser-gone") {
    super(why === "crashed" ? "The page crashed its tab." : "The browser ended.");
  }
}

export interface TabParts {
  readonly root: DevTools;
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
  readonly userAgent: Protocol.Emulation.SetUserAgentOverrideRequest;
}

/**
 * One page in a context of its own: its cookies and storage are nobody else's, and its requests go through
 * a proxy of its own. Shows one page and is closed.
 */
export class Tab {
  readonly session: CDPSession;
  readonly frameId: string;
  readonly proxy: GuardProxy;
  readonly traffic: TabTraffic;
  /** Rejects with `TabLost`; a handler is attached, so that nobody has to be there. */
  readonly lost: Promise<never>;
  readonly #root: DevTools;
  readonly #contextId: string;
  readonly #loss: PromiseWithResolvers<never> = Promise.withResolvers<never>();
  #closing: Promise<void> | undefined;
  #isOver = false;

  private constructor(
    root: DevTools,
    session: CDPSession,
    ids: { readonly contextId: string; readonly targetId: string },
    proxy: GuardProxy,
    bounds: BrowserBounds,
  ) {
    this.#root = root;
    this.#contextId = ids.contextId;
    this.session = session;
    // The main frame has the id of its target.
    this.frameId = ids.targetId;
    this.proxy = proxy;
    this.traffic = new TabTraffic(session, this.frameId, bounds);
    this.lost = this.#loss.promise;
    this.lost.catch(() => undefined);
    session.on("Inspector.targetCrashed", () => this.lose("crashed"));
  }

  /** @throws whatever the browser or the proxy says; nothing is left behind then */
  static async open({ root, guard, bounds, userAgent }: TabParts): Promise<Tab> {
    const proxy = await guard.openProxy();
    let contextId: string | undefined;
    try {
      const context = await root.send("Target.createBrowserContext", {
        disposeOnDetach: true,
        proxyServer: proxy.url,
        proxyBypassList: "<-loopback>",
      });
      contextId = context.browserContextId;
      const denied = denyAll(root, contextId);
      // Should the page fail first, nobody waits for this.
      denied.catch(() => undefined);
      const { targetId, session } = await attachToNewPage(root, contextId);
      const tab = new Tab(root, session, { contextId, targetId }, proxy, bounds);
      await Promise.all([denied, tab.#prepare(userAgent)]);
      return tab;
    } catch (error) {
      if (contextId !== undefined) await disposeContext(root, contextId);
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Has the proxy ask for its credentials now, and the parts of the browser that make requests started: the first
   * request of the page finds all that done. The proxy refuses the request.
   */
  async warm(): Promise<void> {
    await this.session
      .send("Runtime.evaluate", {
        expression: `fetch("${warmUpUrl}", { mode: "no-cors" }).then(() => 0, () => 0)`,
        awaitPromise: true,
      })
      .catch(() => undefined);
  }

  /** Hosts that its page asked for and must not reach. */
  get refusals(): GuardProxy["refusals"] {
    return this.proxy.refusals.filter(({ host }) => host !== "" && host !== warmUpHost);
  }

  /** True when nothing can be asked of it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  lose(why: TabLost["why"]): void {
    this.#isOver = true;
    this.#loss.reject(new TabLost(why));
  }

  /** Closes the page and its context, and ends its connections. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#isOver = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The proxy first: a page that hangs keeps no connection until its process has ended.
    await Promise.allSettled([this.proxy[Symbol.asyncDispose]()]);
    await disposeContext(this.#root, this.#contextId);
  }

  /** Everything that has to be in force before the first request. */
  async #prepare(userAgent: TabParts["userAgent"]): Promise<void> {
    const { session } = this;
    this.#answerRequests();
    session.on("Page.javascriptDialogOpening", () => {
      session.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => undefined);
    });
    await Promise.all([
      session.send("Page.enable"),
      session.send("Inspector.enable"),
      session.send("Network.enable", keptOfAnswers),
      session.send("Network.setBypassServiceWorker", { bypass: true }),
      session.send("Emulation.setUserAgentOverride", userAgent),
      session.send("Fetch.enable", { patterns: pausedRequests, handleAuthRequests: true }),
    ]);
  }

  #answerRequests(): void {
    const { session, traffic } = this;
    session.on("Fetch.requestPaused", ({ requestId, resourceType, frameId, request }) => {
      const isPage = resourceType === "Document" || request.url === warmUpUrl;
      const isWanted = isPage && !(frameId === this.frameId && traffic.isLost);
      const answer = isWanted
        ? session.send("Fetch.continueRequest", { requestId })
        : session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
      answer.catch(() => undefined);
    });
    const answered = new Set<string>();
    session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
      const isOurs = authChallenge.source === "Proxy" && !answered.has(requestId);
      answered.add(requestId);
      const { username, password } = this.proxy;
      const authChallengeResponse = isOurs
        ? ({ response: "ProvideCredentials", username, password } as const)
        : // A page behind a password is shown as the page that says so.
          ({ response: "CancelAuth" } as const);
      session
        .send("Fetch.continueWithAuth", { requestId, authChallengeResponse })
        .catch(() => undefined);
    });
  }
}

/** A name that no server has (RFC 2606). */
const warmUpHost = "ready.invalid";
const warmUpUrl = `http://${warmUpHost}/`;

/** Bytes of answers that the browser keeps to be asked for: a document of usual size is looked at again. */
const keptOfAnswers = {
  maxTotalBufferSize: 4 * 1024 * 1024,
  maxResourceBufferSize: 4 * 1024 * 1024,
  maxPostDataSize: 0,
};

/** Only text is read: the first three are refused. A document is paused for the proxy's credentials. */
const pausedRequests = [
  { resourceType: "Image" as const },
  { resourceType: "Media" as const },
  { resourceType: "Font" as const },
  { resourceType: "Document" as const },
  { urlPattern: "*/favicon.ico" },
  { urlPattern: warmUpUrl },
];

/** Takes longer than creating a page: done in parallel. */
async function denyAll(root: DevTools, browserContextId: string): Promise<void> {
  await Promise.all([
    root.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
    // Permissions that are not granted are denied without a prompt.
    root.send("Browser.grantPermissions", { permissions: [], browserContextId }),
  ]);
}

async function attachToNewPage(
  root: DevTools,
  browserContextId: string,
): Promise<{ readonly targetId: string; readonly session: CDPSession }> {
  const { targetId } = await root.send("Target.createTarget", {
    url: "about:blank",
    browserContextId,
  });
  const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: true });
  const session = root.session(sessionId);
  if (session === null) throw new TabLost("browser-gone");
  return { targetId, session };
}

async function disposeContext(root: DevTools, browserContextId: string): Promise<void> {
  await root.send("Target.disposeBrowserContext", { browserContextId }).catch(() => undefined);
}
