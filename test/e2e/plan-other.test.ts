import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { textOf } from "./harness/messages.ts";
import { isWindows, posixTest, testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { Tmux } from "./harness/tmux.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const terminalTest = Bun.which("tmux") === null ? test.skip : posixTest;
const pageTest = isWindows ? test.skip : test;

const words = "test the login first";
const answer = `The user did not approve the plan and says: ${words}\n Plan mode is still active.`;

/** Plan mode with a plan, and the call that wants to leave it. */
async function exiting(
  server: Server,
  capabilities: Readonly<Record<string, unknown>> = {},
): Promise<string | number> {
  await server.initialize("2025-11-25", "e2e", capabilities);
  return exit(server);
}

async function exit(server: Server): Promise<string | number> {
  const entered = textOf(await server.call("PlanMode", { action: "enter", goal: "Tidy up" }));
  writeFileSync(/^Plan file: (.+)$/m.exec(entered)?.[1] ?? "", "1. First\n");
  return server.start("tools/call", { name: "PlanMode", arguments: { action: "exit" } });
}

test("[plan.other] a form has a field for words, and what holds without a choice is to go on planning", async () => {
  await using server = new Server();
  const id = await exiting(server, { elicitation: { form: {} } });
  const asked = await server.message("a question", ({ method }) => method === "elicitation/create");
  const { requestedSchema } = asked.params as unknown as {
    requestedSchema: { properties: Record<string, { default?: string }>; required?: string[] };
  };
  expect(Object.keys(requestedSchema.properties)).toEqual(["answer1", "other1"]);
  expect(requestedSchema.properties["answer1"]?.default).toBe("Keep planning");
  expect(requestedSchema.required).toBeUndefined();
  // Clients send along what they show as chosen.
  const content = { answer1: "Approve", other1: words };
  server.send({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content } });
  expect(textOf(await server.reply(id))).toBe(answer);
});

terminalTest(
  "[plan.other] a terminal has a row for words below the one that it begins at",
  async () => {
    using home = new TempFolder();
    await using server = new Server({ home });
    using terminal = new Tmux(home);
    const run = home.at(".scorpiox/run");
    await server.initialize();
    await eventually("its socket", () => {
      return existsSync(run) && readdirSync(run).some((name) => name.endsWith(".json"));
    });
    await terminal.attach("Servers 1");
    const id = await exit(server);
    await terminal.shows("Keep planning");
    // A question that has just come takes no keys.
    await Bun.sleep(550);
    terminal.type("Down", "Enter", words, "Enter");
    expect(textOf(await server.reply(id))).toBe(answer);
  },
);

pageTest("[plan.other] a page has it too", async () => {
  using home = new TempFolder();
  const browser = home.write("browser.sh", `#!/bin/sh\necho "$1" >>"$HOME/urls"\n`, 0o755);
  await using server = new Server({ home, env: { SCORPIOX_ASK_BROWSER: browser } });
  const id = await exiting(server);
  const urls = home.at("urls");
  const url = await eventually("the page", () => {
    const [first, end] = existsSync(urls) ? readFileSync(urls, "utf8").split("\n") : [];
    return end === undefined ? undefined : first;
  });
  const page = await fetch(url);
  const text = await page.text();
  for (const shown of ["1. First", "Approve", "Keep planning", "Other, in your own words"]) {
    expect(text).toContain(shown);
  }
  const cookie = page.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const body = new URLSearchParams({ action: "answer", answer1: "other", words1: words });
  const headers = { Cookie: cookie, Origin: new URL(url).origin };
  expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
  expect(textOf(await server.reply(id))).toBe(answer);
});
