import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { browserBounds, type BrowserBounds } from "../../../src/web/browser/browser-bounds.ts";
import { createBrowser } from "../../../src/web/browser/create-browser.ts";
import { chosenBrowser } from "../../../src/web/browser/chosen-browser.ts";
import { findBrowser } from "../../../src/web/browser/find-browser.ts";
import { readSystemFacts } from "../../../src/web/browser/system-facts.ts";
import { createGuard } from "../../../src/web/guard/create-guard.ts";
import { type NetworkGuard } from "../../../src/web/guard/network-guard.ts";
import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import type { PageRenderer } from "../../../src/web/pages/page-cache.ts";
import type { BrowserOptions } from "../../../src/web/browser/create-browser.ts";
import {
  allGone,
  parentOf,
  type ProcessInfo,
  processesWith,
  topProcessesWith,
} from "../../e2e/harness/processes.ts";
import { isLongRun, longTest } from "../../fixtures/long-run.ts";

const homeDir = Bun.env["HOME"] ?? "/";
const env = { PATH: Bun.env["PATH"] ?? "", HOME: homeDir };
const found = findBrowser(readSystemFacts(homeDir, Bun.env), chosenBrowser(Bun.env, undefined));

/** The executable of this machine's browser; empty when there is none. */
export const browserPath = found.kind === "found" ? found.path : "";

if (browserPath === "") {
  console.warn("No Chrome, Chromium or Edge is installed: tests that need one are skipped.");
}

/** A test that needs a real browser. */
export const browserTest = test.skipIf(browserPath === "");

/** One that the suite leaves to the long run. */
export const longBrowserTest = isLongRun ? browserTest : longTest;

/** Seconds pass where eight processes share a core with other tests. */
export const browserTestMs = 60_000;

export const paragraph = "<p>A paragraph with enough words in it to count as some text.</p>";
export const never = new AbortController().signal;

/** A browser with the real guard, a folder for its profiles, and what it leaves behind. */
export class BrowserHarness implements AsyncDisposable {
  readonly profilesDir = mkdtempSync(join(tmpdir(), "scorpiox-browser-"));
  readonly instanceId = `test-${crypto.randomUUID()}.0`;
  readonly guard: NetworkGuard = createGuard({ allowHosts: ["127.0.0.1"], proxyEnv: {} });
  readonly browser: PageRenderer;

  constructor(bounds: Partial<BrowserBounds> = {}, options: Partial<BrowserOptions> = {}) {
    this.browser = createBrowser({ ...this.options(), ...options }, this.guard, {
      ...browserBounds,
      ...bounds,
    });
  }

  options(): BrowserOptions {
    const { instanceId, profilesDir } = this;
    return {
      chosenPath: { path: browserPath, setting: "TEST" },
      homeDir,
      env,
      instanceId,
      profilesDir,
    };
  }

  render(url: string, signal: AbortSignal = never, waitMs = 0): Promise<LoadedPage> {
    return this.browser.render({ url, waitMs }, signal);
  }

  /** The browsers that run: their main processes. */
  mainProcesses(): ProcessInfo[] {
    return topProcessesWith(this.profilesDir);
  }

  /** The processes of its pages. */
  pageProcesses(): ProcessInfo[] {
    const mains = this.mainProcesses().map(({ pid }) => pid);
    return processesWith("--type=renderer").filter(({ pid }) => isBelow(pid, mains));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser[Symbol.asyncDispose]();
    await allGone(this.profilesDir);
    await this.guard[Symbol.asyncDispose]();
    rmSync(this.profilesDir, { recursive: true, force: true });
  }
}

function isBelow(pid: number, ancestors: readonly number[]): boolean {
  const parent = parentOf(pid);
  return parent > 1 && (ancestors.includes(parent) || isBelow(parent, ancestors));
}

export function textOf(page: LoadedPage): string {
  return page.body.kind === "text" ? page.body.text : `(${page.body.kind})`;
}

/** What is between the tags, with single blanks. */
export function wordsOf(page: LoadedPage): string {
  return textOf(page)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** What `work` rejects with, as its code and message. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; text: string }> {
  try {
    await work;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "none";
    return { code, text: error instanceof Error ? error.message : String(error) };
  }
  throw new Error("It did not fail.");
}
