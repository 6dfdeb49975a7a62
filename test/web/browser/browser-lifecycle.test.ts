import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../../e2e/harness/conditions.ts";
import { allGone, isAlive } from "../../e2e/harness/processes.ts";
import {
  BrowserHarness,
  browserPath,
  browserTest,
  browserTestMs,
  failureOf,
  longBrowserTest,
  textOf,
} from "./browser-harness.ts";
import type { BrowserWorkerTask } from "./fixtures/browser-worker.ts";
import { article, html, LocalSite } from "./local-site.ts";
import { onlyLong } from "../../fixtures/long-run.ts";

const profilesOf = (harness: BrowserHarness): string[] => readdirSync(harness.profilesDir);
const killAll = (processes: readonly { readonly pid: number }[]): void => {
  for (const { pid } of processes) process.kill(pid, "SIGKILL");
};

/** A page that asks for `/hit` when it is shown, which does something to the browser. */
function sabotage(onHit: () => void): LocalSite {
  return new LocalSite({
    "/page": `${article()}<script>fetch("/hit"); setTimeout(() => document.title = "late", 9000)</script>`,
    "/hit": () => {
      onHit();
      return html(".");
    },
  });
}

describe("createBrowser() starts", () => {
  browserTest(
    "nothing before the first page, one browser for several first ones, and a private profile",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness();
      expect(harness.mainProcesses()).toEqual([]);
      const pages = await Promise.all([1, 2].map(() => harness.render(site.url("/"))));
      expect(pages.map(({ status }) => status)).toEqual([200, 200]);
      expect(harness.mainProcesses().length).toBe(1);
      const modes = profilesOf(harness).map(
        (name) => statSync(join(harness.profilesDir, name)).mode & 0o777,
      );
      expect(modes).toEqual([0o700]);
      await harness.browser[Symbol.asyncDispose]();
      expect({ profiles: profilesOf(harness), processes: harness.mainProcesses() }).toEqual({
        profiles: [],
        processes: [],
      });
      expect(await failureOf(harness.render(site.url("/")))).toMatchObject({ code: "cancelled" });
    },
    browserTestMs,
  );

  browserTest(
    "another browser after some pages, and after a while without any",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness({ pagesPerBrowserMax: 1, idleMs: 200 });
      const seen = new Set<number>();
      for (let count = 0; count < 4 && seen.size < 2; count++) {
        await harness.render(site.url("/"));
        for (const { pid } of harness.mainProcesses()) seen.add(pid);
      }
      expect(seen.size).toBeGreaterThan(1);
      await allGone(harness.profilesDir);
      await eventually("no profile", () => profilesOf(harness).length === 0);
      expect((await harness.render(site.url("/"))).status).toBe(200);
    },
    browserTestMs,
  );
});

describe("render() is tried once more when", () => {
  let harness: BrowserHarness;
  beforeAll(() => void (harness = new BrowserHarness()));
  afterAll(() => harness[Symbol.asyncDispose]());

  browserTest.each([
    ["the tab crashes", () => killAll(harness.pageProcesses())],
    // The suite kills one in test/e2e/pages.test.ts.
    ...onlyLong([["the browser is killed", () => killAll(harness.mainProcesses())] as const]),
  ] as const)(
    "%s",
    async (_name, strike) => {
      let hits = 0;
      await using site = sabotage(() => {
        hits++;
        if (hits === 1) strike();
      });
      const page = await harness.render(site.url("/page"));
      expect({ hits, title: textOf(page).includes("<title>Article") }).toEqual({
        hits: 2,
        title: true,
      });
    },
    browserTestMs,
  );

  browserTest(
    "but not twice",
    async () => {
      await using site = sabotage(() => killAll(harness.pageProcesses()));
      expect(await failureOf(harness.render(site.url("/page")))).toEqual({
        code: "system",
        text: `${site.url("/page")} crashed its browser tab twice.`,
      });
      await harness.browser[Symbol.asyncDispose]();
      expect(profilesOf(harness)).toEqual([]);
    },
    browserTestMs,
  );

  longBrowserTest(
    "the browser answers nothing",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness({ launchMsMax: 4_000, navigationMsMax: 1_000 });
      await harness.render(site.url("/"));
      const stopped = harness.mainProcesses();
      for (const { pid } of stopped) process.kill(pid, "SIGSTOP");
      // The tab that was ready is not known to be dead: its call fails, and the next one finds out.
      const calls = [await Promise.allSettled([harness.render(site.url("/"))])];
      calls.push(await Promise.allSettled([harness.render(site.url("/"))]));
      expect(calls.at(-1)?.[0]?.status).toBe("fulfilled");
      await eventually("stopped browser gone", () => !stopped.some(({ pid }) => isAlive(pid)));
    },
    browserTestMs,
  );
});

describe("no browser is left after", () => {
  browserTest(
    "SIGKILL of the program that had it in a Worker",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness();
      const task: BrowserWorkerTask = { url: site.url("/"), options: harness.options() };
      const host = join(import.meta.dir, "fixtures/browser-host.ts");
      await using program = Bun.spawn([process.execPath, host, JSON.stringify(task)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const first = await program.stdout.getReader().read();
      expect(new TextDecoder().decode(first.value)).toBe("shown\n");
      expect(harness.mainProcesses().length).toBe(1);
      const pages = harness.pageProcesses();
      program.kill("SIGKILL");
      await program.exited;
      await allGone(harness.profilesDir);
      await eventually("pages gone", () => pages.every(({ pid }) => !isAlive(pid)));
      // What it left is swept by the next one.
      expect(profilesOf(harness).length).toBe(1);
      await harness.render(site.url("/"));
      await harness.browser[Symbol.asyncDispose]();
      await eventually("swept", () => profilesOf(harness).length === 0);
    },
    browserTestMs,
  );

  browserTest(
    "its Worker was terminated",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness();
      const worker = new Worker(new URL("fixtures/browser-worker.ts", import.meta.url).href);
      const shown = new Promise<unknown>((resolve) => {
        worker.addEventListener("message", ({ data }) => resolve(data));
      });
      worker.postMessage({ url: site.url("/"), options: harness.options() });
      expect(await shown).toBe(200);
      const pages = harness.pageProcesses();
      worker.terminate();
      await allGone(harness.profilesDir);
      await eventually("pages gone", () => pages.every(({ pid }) => !isAlive(pid)));
    },
    browserTestMs,
  );

  browserTest(
    "it was stopped and does not end by itself",
    async () => {
      await using site = new LocalSite({ "/": article() });
      await using harness = new BrowserHarness();
      await harness.render(site.url("/"));
      for (const { pid } of harness.mainProcesses()) process.kill(pid, "SIGSTOP");
      await harness.browser[Symbol.asyncDispose]();
      await allGone(harness.profilesDir);
    },
    browserTestMs,
  );
});

describe("createBrowser() with an executable that is none", () => {
  const program = (harness: BrowserHarness, script: string): string => {
    const path = join(harness.profilesDir, "program");
    mkdirSync(harness.profilesDir, { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const rows: [name: string, script: string, text: string][] = [
    ["that ends at once", "echo first >&2; echo the reason >&2; exit 3", "It said: the reason"],
    ["that never answers", "exec sleep 60", "it did not answer within 0.5 s"],
    ["that talks nonsense", "printf 'nonsense\\0' >&4; exec sleep 60", "did not start"],
  ];
  test.each(rows)("%s", async (_name, script, text) => {
    await using maker = new BrowserHarness();
    const chosenPath = { path: program(maker, script), setting: "CHROME_PATH" };
    await using harness = new BrowserHarness({ launchMsMax: 500 }, { chosenPath });
    const failure = await failureOf(harness.render("http://127.0.0.1:1/"));
    expect({ code: failure.code, says: failure.text.includes(text) || failure.text }).toEqual({
      code: "system",
      says: true,
    });
    expect(profilesOf(harness)).toEqual([]);
  });

  test("that is no program", async () => {
    await using maker = new BrowserHarness();
    const path = program(maker, "");
    writeFileSync(path, "\x7fELF and nothing");
    const chosenPath = { path, setting: "CHROME_PATH" };
    await using harness = new BrowserHarness({}, { chosenPath });
    expect(await failureOf(harness.render("http://127.0.0.1:1/"))).toMatchObject({
      code: "system",
    });
    expect(profilesOf(harness)).toEqual([]);
  });

  test("that does not exist", async () => {
    const chosenPath = { path: "/no/such/browser", setting: "CHROME_PATH" };
    await using harness = new BrowserHarness({}, { chosenPath });
    expect(await failureOf(harness.render("http://127.0.0.1:1/"))).toEqual({
      code: "unsupported",
      text: "CHROME_PATH names /no/such/browser, which is not an executable file. Correct it, or unset it to let scorpiox-code find a browser.",
    });
  });
});

test("the executable under test is there, or its tests were skipped", () => {
  expect(browserPath === "" || existsSync(browserPath)).toBe(true);
});
