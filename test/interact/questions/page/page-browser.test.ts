import { afterAll, beforeAll, describe, expect } from "bun:test";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

import { PageRung } from "../../../../src/interact/questions/page/page-rung.ts";
import type { ShownEnd } from "../../../../src/interact/questions/terminals.ts";
import { browserPath, browserTest, browserTestMs } from "../../../web/browser/browser-harness.ts";
import { shownOf } from "../fixtures.ts";

let browser: Browser | undefined;
/** That of all visits, one after the other: a new one takes three times as long as to go somewhere with it. */
let page: Page;
beforeAll(async () => {
  if (browserPath === "") return;
  const args = ["--no-sandbox"];
  browser = await puppeteer.launch({ executablePath: browserPath, headless: true, args });
  page = await browser.newPage();
}, browserTestMs);
afterAll(() => browser?.close());

const startViewport = { width: 800, height: 600 };

interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly end: Promise<ShownEnd>;
  /** What the page's own script and the browser complained of. */
  readonly complaints: readonly string[];
  takeBack(): void;
}

/** A person with the page of two questions before them. */
async function visit(hasScript = true): Promise<Visit> {
  const { promise: address, resolve } = Promise.withResolvers<string>();
  const open = (url: string): Promise<boolean> => {
    resolve(url);
    return new Promise(() => {});
  };
  const taken = new AbortController();
  const rung = new PageRung({ canOpen: true, open });
  const end = rung.ask(() => Promise.resolve(shownOf()), taken.signal);
  await page.setJavaScriptEnabled(hasScript);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(await address);
  const dispose = async (): Promise<void> => {
    taken.abort();
    await leave();
  };
  const takeBack = (): void => taken.abort();
  return { page, end, complaints, takeBack, [Symbol.asyncDispose]: dispose };
}

/** An empty page of the same site: a blank one of none costs a new process, as does the way back. */
const nowhere = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response("", { headers: { "Content-Type": "text/html" } }),
});
afterAll(() => nowhere.stop(true));

/** The next visit finds the page and the browser as the first one does; cookies of one are no other's. */
async function leave(): Promise<void> {
  await page.goto(nowhere.url.href);
  page.removeAllListeners("pageerror").removeAllListeners("console");
  const context = page.browserContext();
  await context.deleteCookie(...(await context.cookies()));
  await page.setViewport(startViewport);
  await page.emulateMediaFeatures([]);
}

interface HidingElement {
  readonly hidden: boolean;
}

/** What has the focus: its id, or its text. */
function focus(page: Page): Promise<string> {
  const what = "document.activeElement.id || document.activeElement.textContent";
  return page.evaluate(what) as Promise<string>;
}

const heading = (page: Page): Promise<string> => page.$eval("h1", (each) => each.textContent ?? "");

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key as "Tab");
}

/** Sends the form and waits for what comes back. */
async function send(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForNavigation(), act()]);
}

describe("a page with questions, in a browser", () => {
  browserTest(
    "is answered with the keyboard alone, which gets through it in order",
    async () => {
      await using visited = await visit();
      const { page, end, complaints } = visited;
      const passed: string[] = [];
      for (let step = 0; step < 9; step += 1) {
        await press(page, "Tab");
        passed.push(await focus(page));
      }
      expect(passed).toEqual([
        "answer1-0",
        "words1",
        "answer2-0",
        "answer2-1",
        "answer2-2",
        "answer2-other",
        "words2",
        "Send answer",
        "Decline",
      ]);
      await press(page, "Tab");
      expect(await focus(page)).toBe("Not now");
      await page.focus("#answer1-0");
      await press(page, "ArrowDown", "Tab", "Tab", "Space", "Tab", "Tab", "Tab", "Tab");
      await page.keyboard.type("and XXL");
      await press(page, "Tab");
      expect(complaints).toEqual([]);
      await send(page, () => press(page, "Enter"));
      expect(await heading(page)).toBe("Answer sent");
      expect(await end).toEqual({
        kind: "answered",
        answers: [
          { labels: ["blue"], other: null },
          { labels: ["S"], other: "and XXL" },
        ],
      });
      // The page may hear that its question is over before it has gone; the browser complains of the status.
      expect(complaints.filter((text) => !text.endsWith("status of 410 (Gone)"))).toEqual([]);
    },
    browserTestMs,
  );

  browserTest(
    "stays when a request for its state fails, as in a machine that was asleep",
    async () => {
      await using visited = await visit();
      const { page, end } = visited;
      await page.click("#answer1-0");
      await page.evaluate("stop()");
      await Bun.sleep(100);
      expect(await page.$eval("#over", (over) => (over as unknown as HidingElement).hidden)).toBe(
        true,
      );
      await page.click("#answer2-0");
      await send(page, () => page.click("button[value=answer]"));
      expect((await end).kind).toBe("answered");
    },
    browserTestMs,
  );

  browserTest(
    "has names and roles for all that can be used",
    async () => {
      await using visited = await visit();
      const tree = await visited.page.accessibility.snapshot({ interestingOnly: false });
      const named = (tree?.children ?? []).flatMap(function all(node): string[] {
        const own = [
          "group",
          "radiogroup",
          "radio",
          "checkbox",
          "textbox",
          "button",
          "heading",
        ].includes(node.role)
          ? [`${node.role} ${node.name ?? ""}`]
          : [];
        return [...own, ...(node.children ?? []).flatMap(all)];
      });
      expect(named).toEqual([
        "heading 2 questions for you",
        "group Which color?",
        "radio red",
        "radio blue as the sky",
        "radio Other",
        "textbox Other, in your own words",
        "group Size Which sizes?",
        "checkbox S",
        "checkbox M",
        "checkbox L",
        "checkbox Other",
        "textbox Other, in your own words",
        "button Send answer",
        "button Decline",
        "button Not now",
      ]);
      expect(await visited.page.$eval("html", (html) => html.lang)).toBe("en");
    },
    browserTestMs,
  );

  browserTest.each([true, false])(
    "says what is missing and keeps the rest; with a script: %p",
    async (hasScript) => {
      await using visited = await visit(hasScript);
      const { page, end } = visited;
      await page.click("#answer1-1");
      await send(page, () => page.click("button[value=answer]"));
      const alert = await page.$eval("[role=alert]", (each) => each.textContent ?? "");
      expect(alert).toContain("Question 2: Choose at least one option");
      if (hasScript) {
        expect(await page.evaluate("document.activeElement.role")).toBe("alert");
        expect(await page.evaluate("document.activeElement.className")).toBe("problems");
        expect(await page.evaluate('document.getElementById("answer1-1").checked')).toBe(true);
      }
      await page.type("#words2", "none");
      await send(page, () => page.click("button[value=answer]"));
      expect(await end).toEqual({
        kind: "answered",
        answers: [
          { labels: ["blue"], other: null },
          { labels: [], other: "none" },
        ],
      });
    },
    browserTestMs,
  );

  browserTest.each([
    ["decline", "Declined", "declined"],
    ["cancel", "Not now", "cancelled"],
  ])(
    "takes %s",
    async (value, title, kind) => {
      await using visited = await visit();
      const { page, end } = visited;
      await send(page, () => page.click(`button[value=${value}]`));
      expect(await heading(page)).toBe(title);
      expect(await end).toEqual({ kind } as ShownEnd);
    },
    browserTestMs,
  );

  browserTest(
    "says so when the question is taken back",
    async () => {
      await using visited = await visit();
      await visited.page.focus("#words1");
      visited.takeBack();
      await visited.page.waitForSelector("#over:not([hidden])");
      expect(await focus(visited.page)).toBe("over");
      expect(await visited.page.$eval("#over", (each) => each.textContent)).toContain(
        "This question is no longer open.",
      );
    },
    browserTestMs,
  );

  browserTest(
    "has enough contrast in light and dark, and fits a narrow screen",
    async () => {
      await using visited = await visit();
      const { page } = visited;
      await page.setViewport({ width: 320, height: 800 });
      for (const value of ["light", "dark"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
        expect(await page.evaluate(leastContrast)).toBeGreaterThanOrEqual(4.5);
        const root = "document.documentElement";
        const overhang = await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`);
        expect(overhang).toBe(0);
      }
    },
    browserTestMs,
  );
});

/** The least contrast of a text to what is behind it (WCAG 2.2, 1.4.3). Runs in the page. */
const leastContrast = `(() => {
  const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const part = (channel) =>
    channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([red, green, blue]) =>
    0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  const groundOf = (element) => {
    if (element === null) return [255, 255, 255];
    const ground = channels(getComputedStyle(element).backgroundColor);
    return ground[3] === 0 ? groundOf(element.parentElement) : ground;
  };
  const contrasts = [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && element.innerText?.trim())
    .map((element) => {
      const text = luminance(channels(getComputedStyle(element).color));
      const ground = luminance(groundOf(element));
      return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    });
  return Math.min(...contrasts);
})()`;
