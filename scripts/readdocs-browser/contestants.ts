import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "puppeteer-core";

import { createBrowser } from "../../src/web/browser/create-browser.ts";
import { findBrowser } from "../../src/web/browser/find-browser.ts";
import { readSystemFacts } from "../../src/web/browser/system-facts.ts";
import { createGuard } from "../../src/web/guard/create-guard.ts";

/** Shows pages and gives their HTML. */
export interface Contestant extends AsyncDisposable {
  show(url: string): Promise<string>;
}

const homeDir = Bun.env["HOME"] ?? "/";
const env = { PATH: Bun.env["PATH"] ?? "", HOME: homeDir };

function executablePath(): string {
  const found = findBrowser(readSystemFacts(homeDir, Bun.env), undefined);
  if (found.kind !== "found") throw new Error("No browser is installed.");
  return found.path;
}

/** Ours, with the guard: no start before the first page. */
export function createOwn(): Contestant {
  const guard = createGuard({ allowHosts: ["127.0.0.1"], proxyEnv: {} });
  const profilesDir = mkdtempSync(join(tmpdir(), "scorpiox-bench-"));
  const chosenPath = { path: executablePath(), setting: "bench" };
  const options = { chosenPath, homeDir, env, instanceId: `bench-${process.pid}.0`, profilesDir };
  const browser = createBrowser(options, guard);
  const never = new AbortController().signal;
  return {
    async show(url) {
      const { body } = await browser.render({ url, waitMs: 0 }, never);
      return body.kind === "text" ? body.text : "";
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await guard[Symbol.asyncDispose]();
      rmSync(profilesDir, { recursive: true, force: true });
    },
  };
}

/** When a bare `goto` takes the page for there. */
export type Until = "load" | "networkidle0";

/** What one writes without further thought: a context, a page, `goto`, `content`. No guard, no wait of its own. */
export async function createBare(until: Until): Promise<Contestant> {
  const browser = await launchBare();
  return {
    async show(url) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(url, { waitUntil: until });
      const html = await page.content();
      await context.close();
      return html;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function launchBare(): Promise<Browser> {
  const { default: puppeteer } = await import("puppeteer-core");
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return puppeteer.launch({ executablePath: executablePath(), pipe: true, args });
}
