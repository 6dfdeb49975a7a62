import type { BrowserBounds } from "./browser-bounds.ts";
import type { CDPSession, Protocol } from "./browser-process.ts";

/** Requests whose answers can change what a page shows; event streams, beacons and media are never included. */
const countedTypes: ReadonlySet<string> = new Set([
  "Document",
  "Stylesheet",
  "Script",
  "XHR",
  "Fetch",
]);

/** The answer that the shown document came with. */
export interface DocumentResponse {
  readonly url: string;
  readonly status: number;
  /** In lower case, without parameters. */
  readonly contentType: string;
}

/** The requests under way in one tab, and the progress of its document. Fed by the events of its session. */
export class TabTraffic {
  response: DocumentResponse | undefined;
  /** Why the last document did not come, for instance `net::ERR_NAME_NOT_RESOLVED`. */
  failure: { readonly url: string; readonly errorText: string } | undefined;
  /** When a document was last committed, on the clock of `performance.now()`. */
  committedAt: number | undefined;
  /** The parser has reached its end, or was stopped. */
  isDomReady = false;
  /** Documents that were committed; another number means that earlier facts about the page are void. */
  documents = 0;
  /** The shown document came from its server; it is not the browser's page about a failure. */
  isShown = false;
  /** Loading was stopped because there was too much. */
  isCut = false;
  readonly #bounds: BrowserBounds;
  readonly #session: CDPSession;
  readonly #frameId: string;
  /** Start times of the requests under way, by request. */
  readonly #inflight = new Map<string, number>();
  #lastAt = performance.now();
  #documentRequest: string | undefined;
  #isDocumentUnderWay = false;
  #documentUrl = "";
  #documentBytes = 0;
  #pageBytes = 0;
  #documentRequests = 0;
  #change = Promise.withResolvers<void>();

  constructor(session: CDPSession, frameId: string, bounds: BrowserBounds) {
    this.#session = session;
    this.#frameId = frameId;
    this.#bounds = bounds;
    this.#followRequests();
    this.#followDocuments();
  }

  /** The page sends the browser from document to document without end. */
  get isLost(): boolean {
    return this.#documentRequests > this.#bounds.navigationsMax;
  }

  /** The request of the newest document. */
  get documentRequest(): string | undefined {
    return this.#documentRequest;
  }

  /** The bytes received so far, decompressed. */
  get documentBytes(): number {
    return this.#documentBytes;
  }

  /** A document that shall take the place of the shown one was asked for and is not here yet. */
  get isNavigating(): boolean {
    return this.#isDocumentUnderWay;
  }

  /** Nothing younger than `youngMsMax` is under way, and nothing began or ended in the last `quietMs`. */
  isQuiet(now: number, quietMs: number, youngMsMax: number): boolean {
    if (now - this.#lastAt <= quietMs) return false;
    for (const startedAt of this.#inflight.values()) {
      if (now - startedAt < youngMsMax) return false;
    }
    return true;
  }

  /** Resolves at the next event that concerns the document. */
  get nextChange(): Promise<void> {
    return this.#change.promise;
  }

  #followRequests(): void {
    const session = this.#session;
    session.on("Network.requestWillBeSent", (event) => this.#onRequest(event));
    session.on("Network.responseReceived", (event) => this.#onResponse(event));
    session.on("Network.dataReceived", (event) => this.#onData(event));
    session.on("Network.loadingFinished", ({ requestId }) => this.#onEnd(requestId));
    session.on("Network.loadingFailed", ({ requestId, errorText }) => {
      if (requestId === this.#documentRequest) {
        this.failure = { url: this.#documentUrl, errorText };
        this.#announce();
      }
      this.#onEnd(requestId);
    });
  }

  #followDocuments(): void {
    const session = this.#session;
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.id !== this.#frameId) return;
      this.documents++;
      this.#isDocumentUnderWay = false;
      this.#forgetFormerRequests();
      this.isDomReady = false;
      this.isShown = frame.unreachableUrl === undefined;
      this.committedAt = performance.now();
      this.#announce();
    });
    session.on("Page.domContentEventFired", () => this.#onDomReady());
    session.on("Page.downloadWillBegin", () => (this.#isDocumentUnderWay = false));
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, type, request, frameId } = event;
    if (!countedTypes.has(type ?? "") || !/^https?:/.test(request.url)) return;
    const now = performance.now();
    this.#inflight.set(requestId, now);
    this.#lastAt = now;
    if (type !== "Document" || frameId !== this.#frameId) return;
    // A redirect has the id of the request that it continues.
    if (requestId !== this.#documentRequest) this.#documentRequests++;
    this.#documentRequest = requestId;
    this.#documentUrl = request.url;
    this.failure = undefined;
    this.#isDocumentUnderWay = true;
    this.#documentBytes = 0;
  }

  #onResponse({ requestId, response }: Protocol.Network.ResponseReceivedEvent): void {
    if (requestId !== this.#documentRequest) return;
    const { url, status, mimeType } = response;
    this.response = { url, status, contentType: mimeType.toLowerCase() };
  }

  #onData({ requestId, dataLength }: Protocol.Network.DataReceivedEvent): void {
    this.#pageBytes += dataLength;
    if (requestId === this.#documentRequest) this.#documentBytes += dataLength;
    if (this.isCut) return;
    const { documentBytesMax, pageBytesMax } = this.#bounds;
    this.isCut = this.#documentBytes > documentBytesMax || this.#pageBytes > pageBytesMax;
    if (!this.isCut) return;
    this.#session.send("Page.stopLoading").catch(() => undefined);
    // A document whose loading is stopped is not always announced as parsed.
    this.#onDomReady();
  }

  #onEnd(requestId: string): void {
    // A response that ends without being shown is a download, or has no body.
    if (requestId === this.#documentRequest) this.#isDocumentUnderWay = false;
    if (this.#inflight.delete(requestId)) this.#lastAt = performance.now();
  }

  /** The end of the former document's requests is not always reported. */
  #forgetFormerRequests(): void {
    for (const requestId of this.#inflight.keys()) {
      if (requestId !== this.#documentRequest) this.#inflight.delete(requestId);
    }
  }

  #onDomReady(): void {
    this.isDomReady = true;
    this.#announce();
  }

  #announce(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
