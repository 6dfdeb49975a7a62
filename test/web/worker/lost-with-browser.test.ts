import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { WebWorkerClient } from "../../../src/web/worker/web-worker-client.ts";
import { allGone, processesWith } from "../../e2e/harness/processes.ts";
import { failureOf } from "../pages/page-harness.ts";
import { plainWebOptions } from "./plain-web-options.ts";

const never = new AbortController().signal;
const browserTest = test.skipIf(Bun.which("chromium") === null);

browserTest(
  "a Worker that hangs takes its browser with it, and the next one has another",
  async () => {
    const profilesDir = mkdtempSync(join(tmpdir(), "scorpiox-hang-"));
    const site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("<p>x", { headers: { "Content-Type": "text/html" } }),
    });
    const options = plainWebOptions("127.0.0.1");
    const warnings: string[] = [];
    await using client = new WebWorkerClient({
      createWorker: () =>
        new Worker(new URL("./fixtures/hanging-web-worker.ts", import.meta.url).href),
      options: {
        ...options,
        browser: {
          ...options.browser,
          env: { PATH: process.env["PATH"] ?? "/usr/bin" },
          profilesDir,
        },
      },
      warn: (message) => warnings.push(message),
      // A browser that starts on a busy machine holds its Worker for more than a moment.
      timing: { lookMs: 100, silentLooksMax: 30 },
    });
    const open = async (path: string): Promise<unknown> => {
      const request = { url: site.url.origin + path, waitMs: 0 };
      return (JSON.parse((await client.renderPage(request, never)).json) as { via: string }).via;
    };
    try {
      expect(await open("/one")).toBe("browser");
      expect(processesWith(profilesDir).length).toBeGreaterThan(0);
      expect(await failureOf(client.search({ query: "hang" }, never))).toMatchObject({
        code: "worker",
      });
      await allGone(profilesDir);
      expect(warnings).toEqual(["The web Worker was lost and is replaced: it hung."]);
      expect(await open("/two")).toBe("browser");
    } finally {
      await client[Symbol.asyncDispose]();
      await allGone(profilesDir);
      await site.stop(true);
      rmSync(profilesDir, { recursive: true, force: true });
    }
  },
  60_000,
);
