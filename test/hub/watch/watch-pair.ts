import type { HubLink, HubLinkHandlers } from "../../../src/hub/link/hub-link.ts";
import type { HubStatus } from "../../../src/hub/watch/hub-status.ts";
import { HubWatch } from "../../../src/hub/watch/hub-watch.ts";
import { serveWatch, type WatchSources } from "../../../src/hub/watch/serve-watch.ts";

export const status: HubStatus = {
  pid: 4242,
  startedAt: 1_750_000_000_000,
  version: "1.2.3",
  build: "b1",
  log: "/home/you/.scorpiox/run/hub-b1.log",
  clients: [
    { pid: 10, name: "cursor", workspace: "/w/one", sinceMs: 1_750_000_000_500, servers: 2 },
    { pid: 11, sinceMs: 1_750_000_000_600, servers: 1 },
  ],
  servers: [
    {
      name: "docs",
      pid: 20,
      state: "ready",
      users: [10, 11],
      isolation: "workspace",
      workspace: "/w/one",
    },
    { name: "far", state: "starting", users: [10], isolation: "session", residentBytes: 5 },
  ],
  kept: [
    {
      id: 1001,
      workspace: "/w/one",
      command: "make watch",
      state: "running",
      startedAt: 1_750_000_001_000,
      outputBytes: 12,
      pid: 30,
    },
  ],
  hints: ['docs could be shared over workspaces: isolation = "shared".'],
};

/** Two ends of a link in one process. Texts arrive later and in order, as from a socket. */
export class LinkPair {
  readonly sent: string[] = [];
  #isClosed = false;
  #hubSide: HubLinkHandlers | undefined;
  #watcherSide: HubLinkHandlers | undefined;
  waitingBytes = 0;

  /** The hub's end: what it sends, the watcher gets. */
  readonly hubLink: HubLink = this.#end(
    () => this.#watcherSide,
    (text) => this.sent.push(text),
  );
  readonly watcherLink: HubLink = this.#end(
    () => this.#hubSide,
    () => {},
  );

  serve(sources: WatchSources): void {
    this.#hubSide = serveWatch(this.hubLink, sources);
  }

  serveBy(handlers: HubLinkHandlers): void {
    this.#hubSide = handlers;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async open(): Promise<HubWatch> {
    const watch = await HubWatch.open((handlers) => {
      this.#watcherSide = handlers;
      return Promise.resolve(this.watcherLink);
    });
    if (watch === undefined) throw new Error("not opened");
    return watch;
  }

  #end(other: () => HubLinkHandlers | undefined, note: (text: string) => void): HubLink {
    const waiting = (): number => this.waitingBytes;
    return {
      send: (text) => {
        if (this.#isClosed) return;
        note(text);
        setImmediate(() => {
          if (!this.#isClosed) other()?.onText(text);
        });
      },
      get waitingBytes() {
        return waiting();
      },
      close: () => this.#close(),
    };
  }

  #close(): void {
    if (this.#isClosed) return;
    setImmediate(() => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#hubSide?.onClosed("closed");
      this.#watcherSide?.onClosed("closed");
    });
  }
}
