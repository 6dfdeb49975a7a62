import type { NetworkGuard } from "../guard/network-guard.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import type { BrowserProcess, DevTools, Protocol } from "./browser-process.ts";
import { removeProfile } from "./profile-folder.ts";
import { Tab } from "./tab.ts";

export interface RunningBrowserParts {
  readonly process: BrowserProcess;
  readonly root: DevTools;
  readonly profileDir: string;
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
  /** Notes for readers of its pages: that it runs without its sandbox. */
  readonly notes: readonly string[];
}

/** A browser that runs: makes tabs, and ends with nothing left behind. */
export class RunningBrowser {
  readonly notes: readonly string[];
  /** Resolves when the process has ended and its profile is removed; never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: RunningBrowserParts;
  readonly #userAgent: UserAgent;
  readonly #openTabs = new Set<Tab>();
  #tabsMade = 0;
  #isRetired = false;
  #closing: Promise<void> | undefined;

  private constructor(parts: RunningBrowserParts, userAgent: UserAgent) {
    this.#parts = parts;
    this.#userAgent = userAgent;
    this.notes = parts.notes;
    this.ended = parts.process.ended.then(() => this.#cleanUp());
    parts.root.on("Target.targetCreated", ({ targetInfo }) => this.#closePopup(targetInfo));
  }

  static async create(parts: RunningBrowserParts): Promise<RunningBrowser> {
    const userAgent = await readUserAgent(parts.root);
    const running = new RunningBrowser(parts, userAgent);
    await parts.root.send("Target.setDiscoverTargets", { discover: true });
    return running;
  }

  get isAlive(): boolean {
    return this.#closing === undefined && this.#parts.process.isAlive;
  }

  get isWorn(): boolean {
    return this.#tabsMade >= this.#parts.bounds.pagesPerBrowserMax;
  }

  /** @throws {TabLost} when the browser is gone */
  async openTab(): Promise<Tab> {
    this.#tabsMade++;
    const { root, guard, bounds } = this.#parts;
    const tab = await Tab.open({ root, guard, bounds, userAgent: this.#userAgent });
    this.#openTabs.add(tab);
    void this.ended.then(() => tab.lose("browser-gone"));
    return tab;
  }

  /** Closes a tab; a retired browser ends with its last one. */
  async closeTab(tab: Tab): Promise<void> {
    await tab.close();
    this.#openTabs.delete(tab);
    if (this.#isRetired && this.#openTabs.size === 0) await this.close();
  }

  /** Takes no new tabs, and ends when the open ones are closed. */
  retire(): void {
    this.#isRetired = true;
    if (this.#openTabs.size === 0) void this.close();
  }

  /** Asks it to end, forces it when it does not, and removes its profile. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { process, root, bounds } = this.#parts;
    for (const tab of this.#openTabs) tab.lose("browser-gone");
    root.send("Browser.close").catch(() => undefined);
    await process.end(bounds.closeMsMax);
    await this.ended;
  }

  async #cleanUp(): Promise<void> {
    const { process, profileDir } = this.#parts;
    process.transport.close();
    for (const tab of this.#openTabs) tab.lose("browser-gone");
    await removeProfile(profileDir);
  }

  #closePopup(target: { targetId: string; type: string; openerId?: string }): void {
    if (target.type !== "page" || target.openerId === undefined) return;
    const { root } = this.#parts;
    root.send("Target.closeTarget", { targetId: target.targetId }).catch(() => undefined);
  }
}

/** How pages see the browser: by header and by client hints, which have to agree. */
export interface UserAgent {
  readonly userAgent: string;
  readonly userAgentMetadata: Protocol.Emulation.UserAgentMetadata;
}

/** Its own, without the word that many networks refuse (docs/browser.md#how-it-runs). */
async function readUserAgent(root: DevTools): Promise<UserAgent> {
  const { userAgent } = await root.send("Browser.getVersion");
  return describeUserAgent(userAgent, process.platform, process.arch);
}

export function describeUserAgent(
  ownUserAgent: string,
  platform: NodeJS.Platform,
  architecture: string,
): UserAgent {
  const userAgent = ownUserAgent.replace("HeadlessChrome/", "Chrome/");
  const version = /Chrome\/([\d.]+)/.exec(userAgent)?.[1] ?? "";
  const major = version.split(".")[0] ?? "";
  return {
    userAgent,
    userAgentMetadata: {
      brands: brandsOf(major, "99"),
      fullVersionList: brandsOf(version, "99.0.0.0"),
      platform: platformName(platform),
      platformVersion: "",
      architecture: architecture === "arm64" ? "arm" : "x86",
      bitness: "64",
      model: "",
      mobile: false,
    },
  };
}

function brandsOf(
  version: string,
  otherVersion: string,
): Protocol.Emulation.UserAgentBrandVersion[] {
  return [
    { brand: "Chromium", version },
    { brand: "Not?A_Brand", version: otherVersion },
  ];
}

function platformName(platform: NodeJS.Platform): string {
  if (platform === "win32") return "Windows";
  return platform === "darwin" ? "macOS" : "Linux";
}
