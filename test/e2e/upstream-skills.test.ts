import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

const skillText = (name: string, body: string, more = ""): string =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${more}---\n${body}\n`;
const uri = "skill://guides/release/SKILL.md";
const files = {
  [uri]: skillText("release", "Tag it, then push.", "allowed-tools: Bash\n"),
  "skill://guides/release/steps.md": "one, two",
  "skill://guides/release/more/inner/SKILL.md": skillText("inner", "Inner text."),
  "skill://guides/write-hook/SKILL.md": skillText("write-hook", "Not ours."),
};
const extension = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };

function homeWith(servers: Readonly<Record<string, object>>): TempFolder {
  const home = new TempFolder();
  const entries = Object.entries(servers).map(([name, script]) => {
    const whole = {
      capabilities: extension,
      tools: ["echo"],
      logFile: home.at(`${name}.log`),
      ...script,
    };
    return [name, upstreamLaunch(whole)];
  });
  home.write(
    ".scorpiox/mcp_servers.json",
    JSON.stringify({ mcpServers: Object.fromEntries(entries) }),
  );
  return home;
}

async function listed(server: Server): Promise<readonly string[]> {
  const { result } = await server.request("skills/list");
  return ((result?.["skills"] ?? []) as readonly { readonly uri: string }[]).map(
    (each) => each.uri,
  );
}

async function start(home: TempFolder, uris: readonly string[]): Promise<Server> {
  const server = new Server({ home });
  await server.initialize();
  await eventually(
    "the skills",
    async () => {
      const all = await listed(server);
      return uris.every((each) => all.includes(each));
    },
    15_000,
  );
  return server;
}

const load = (server: Server, skill_name: string): ReturnType<Server["call"]> =>
  server.call("InvokeSkill", { skill_name });

describe.each(["legacy", "modern"])("skills of a server of the %s era", (era) => {
  test("[skills.foreign] are listed after ours, read when they are wanted, and say whose they are", async () => {
    using home = homeWith({ a: { era, skillFiles: files } });
    await using server = await start(home, ["skill://a/guides/release/SKILL.md"]);
    const all = await listed(server);
    expect(all.findIndex((each) => each.startsWith("skill://a/"))).toBeGreaterThan(
      all.indexOf("skill://write-hook/SKILL.md"),
    );
    expect(readFileSync(home.at("a.log"), "utf8")).not.toContain("resources/read");
    for (const name of ["release", "a:release"]) {
      const text = textOf(await load(server, name));
      expect(text).toStartWith(
        "Skill a:release: text of the MCP server a, which others have written.",
      );
      expect(text).toContain("Tag it, then push.");
      expect(text).toContain("skill://a/guides/release/steps.md");
      // A skill inside of it is one of its own.
      expect(text).not.toContain("inner");
    }
    expect(textOf(await load(server, "a:inner"))).toContain("Inner text.");
    // A name of ours stays ours.
    expect(textOf(await load(server, "write-hook"))).not.toContain("Not ours.");
    expect(textOf(await load(server, "a:write-hook"))).toContain("Not ours.");
    const own = "skill://a/guides/release/SKILL.md";
    const { result } = await server.request("skills/get", { uri: own });
    expect(result?.["skill"]).toMatchObject({ uri: own, frontmatter: { name: "release" } });
    const read = await server.request("resources/read", {
      uri: "skill://a/guides/release/steps.md",
    });
    expect(JSON.stringify(read.result)).toContain("one, two");
  });

  const text = ["another text", { [uri]: files[uri]?.replace("push", "pull") ?? "" }] as const;
  const head = ["other front matter", { [uri]: skillText("release", "Tag it.") }] as const;
  const [first, second] = era === "legacy" ? [text, head] : [head, text];
  test.each([first, ...onlyLong([second])])(
    "[skills.verified] with %s than was listed it is not used",
    async (_what, forgedFiles) => {
      using home = homeWith({ a: { era, skillFiles: files, forgedFiles } });
      await using server = await start(home, ["skill://a/guides/release/SKILL.md"]);
      const reply = await load(server, "release");
      expect([isError(reply), textOf(reply)]).toEqual([
        true,
        expect.stringContaining("is not the one that its skill lists"),
      ]);
      const read = await server.request("resources/read", {
        uri: "skill://a/guides/release/SKILL.md",
      });
      expect(read.result).toBeUndefined();
    },
  );
});

test("[skills.foreign] a name that several servers have is refused with the names of each", async () => {
  using home = homeWith({ a: { skillFiles: files }, b: { skillFiles: files } });
  await using server = await start(home, [
    "skill://a/guides/release/SKILL.md",
    "skill://b/guides/release/SKILL.md",
  ]);
  expect(textOf(await load(server, "release"))).toContain("name one of a:release, b:release");
  expect(textOf(await load(server, "b:release"))).toContain("Skill b:release");
});

test("[skills.pinned] a skill that has changed since it was first seen waits for approval", async () => {
  using home = homeWith({ a: { skillFiles: files } });
  {
    await using _server = await start(home, ["skill://a/guides/release/SKILL.md"]);
    await eventually("its pins", () =>
      readFileSync(home.at(".scorpiox", "trust.json"), "utf8").includes("skill://"),
    );
  }
  // As if another definition had been approved.
  const path = home.at(".scorpiox", "trust.json");
  const pinned = readFileSync(path, "utf8");
  const forged = pinned.replace(
    /("skill:\/\/guides\/release\/SKILL\.md":\s*")[0-9a-f]/,
    (_all, head: string) => `${head}x`,
  );
  expect(forged).not.toBe(pinned);
  home.write(".scorpiox/trust.json", forged, 0o600);
  await using server = new Server({ home });
  await server.initialize();
  await eventually(
    "the other skill",
    async () => (await listed(server)).includes("skill://a/guides/write-hook/SKILL.md"),
    15_000,
  );
  expect(await listed(server)).not.toContain("skill://a/guides/release/SKILL.md");
  expect(isError(await load(server, "a:release"))).toBe(true);
  const read = await server.request("resources/read", { uri: "skill://a/guides/release/steps.md" });
  expect(read.result).toBeUndefined();
  const diff = await runProduct(home, ["mcp", "diff", "a"], { cwd: home.path });
  expect(diff.stdout).toContain("skill://guides/release/SKILL.md");
});
