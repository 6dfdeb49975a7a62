import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession } from "puppeteer-core";
import { createGuard } from "../../../../src/web/guard/create-guard.ts";
import { type GuardProxy } from "../../../../src/web/guard/network-guard.ts";

const chromium = Bun.which("chromium") ?? Bun.which("google-chrome-stable");

/** A page that tries what pages try, and puts what came of it into its title. */
const page = `<title>waiting</title><script>
const outcome = (promise) => promise.then((answer) => answer.type === "opaque" ? "sent" : answer.text(), () => "no");
const socket = new Promise((resolve) => {
  const socket = new WebSocket("ws://" + location.host + "/socket");
  socket.onopen = () => socket.send("hello");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = () => resolve("no");
});
Promise.all([
  outcome(fetch("/data")),
  outcome(fetch("/data", { method: "POST", body: "sent" })),
  socket,
]).then((all) => {
  for (const url of ["http://127.0.0.1:" + location.port, "http://other.test:" + location.port, "http://169.254.169.254"]) {
    fetch(url + "/canary", { mode: "no-cors" }).catch(() => 0);
  }
  document.title = all.join();
});
</script>`;

/** Answers the proxy's challenge; only requests of the patterns are asked about, so documents must be one. */
async function answerChallenge(session: CDPSession, proxy: GuardProxy): Promise<void> {
  const { username, password } = proxy;
  session.on("Fetch.authRequired", ({ requestId }) => {
    const authChallengeResponse = { response: "ProvideCredentials", username, password } as const;
    void session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse });
  });
  session.on("Fetch.requestPaused", ({ requestId }) => {
    void session.send("Fetch.continueRequest", { requestId });
  });
  await session.send("Fetch.enable", {
    handleAuthRequests: true,
    patterns: [{ resourceType: "Document" }],
  });
}

async function launch(executablePath: string, userDataDir: string): Promise<Browser> {
  const { launch: start } = await import("puppeteer-core");
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];
  return start({ executablePath, userDataDir, pipe: true, args });
}

describe("U-ssrf: a proxy of the guard", () => {
  test.skipIf(chromium === null)(
    "serves a context of Chromium, whose pages reach their host and nothing private",
    async () => {
      const asked: string[] = [];
      const server = Bun.serve({
        port: 0,
        hostname: "0.0.0.0",
        async fetch(request, self) {
          const { pathname } = new URL(request.url);
          asked.push(pathname);
          if (pathname === "/socket" && self.upgrade(request)) return undefined;
          if (pathname === "/data") return new Response((await request.text()) || "data");
          return new Response(page, { headers: { "Content-Type": "text/html" } });
        },
        websocket: { message: (socket, message) => void socket.send(`echo ${String(message)}`) },
      });
      const url = new URL(`http://page.test:${server.port}/`);
      await using guard = createGuard({
        allowHosts: ["page.test"],
        proxyEnv: {},
        resolve: async () => ["127.0.0.1"],
      });
      const proxy = await guard.openProxy();
      proxy.serve(url);
      const profile = mkdtempSync(join(tmpdir(), "guard-profile-"));
      const browser = await launch(chromium ?? "", profile);
      try {
        const context = await browser.createBrowserContext({
          proxyServer: proxy.url,
          proxyBypassList: ["<-loopback>"],
        });
        const tab = await context.newPage();
        await answerChallenge(await tab.createCDPSession(), proxy);
        await tab.goto(url.href);
        await tab.waitForFunction("document.title !== 'waiting'");
        expect(await tab.title()).toBe("data,sent,echo hello");
        // Chromium itself looks for its maker's host now and then.
        const hosts = (): Set<string> =>
          new Set(
            proxy.refusals.map(({ host }) => host).filter((host) => host !== "www.google.com"),
          );
        while (hosts().size < 3) await Bun.sleep(5);
        expect(hosts()).toEqual(new Set(["127.0.0.1", "other.test", "169.254.169.254"]));
        expect(asked).not.toContain("/canary");
      } finally {
        await browser.close();
        rmSync(profile, { recursive: true, force: true });
        await server.stop(true);
      }
    },
    60_000,
  );
});
