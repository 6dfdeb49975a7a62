import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { contentOf, isError, modern, modernVersion, textOf, toolsOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { invoke, listOf, makeSkills, namesIn } from "./harness/skills.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

type Params = Readonly<Record<string, unknown>>;

const home = new TempFolder();
const cwd = makeSkills(home);
afterAll(() => home[Symbol.dispose]());

describe("names and links", () => {
  const names = [
    "../../../../../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "a\u0000b",
    "%2e%2e/%2e%2e/etc/passwd",
    "....//....//etc",
    "lnk",
    "out",
    "",
    "x".repeat(5_000),
    "constructor",
    "__proto__",
  ];

  test("[skills.hostile-names] are errors, and nothing leaks", async () => {
    using home = new TempFolder();
    for (const dir of [".claude/skills", ".scorpiox/skills", "skills"]) {
      mkdirSync(home.at(dir, "lnk"), { recursive: true });
      symlinkSync("/etc/passwd", home.at(dir, "lnk/SKILL.md"));
    }
    home.write("elsewhere/secret/SKILL.md", "---\nname: out\n---\nSECRET");
    mkdirSync(home.at("work/.claude/skills"), { recursive: true });
    symlinkSync(home.at("elsewhere/secret"), home.at("work/.claude/skills/out"));
    await using server = new Server({ home, cwd: home.at("work") });
    await server.initialize();
    for (const name of names) {
      const reply = await server.request("tools/call", invoke(name));
      const text = JSON.stringify(reply);
      expect([name.slice(0, 20), isError(reply)]).toEqual([name.slice(0, 20), true]);
      expect(text).not.toMatch(/root:|SECRET/);
      expect(text.length).toBeLessThan(1_500);
      const uri = `skill://${encodeURIComponent(name)}/SKILL.md`;
      expect((await server.request("resources/read", { uri })).error?.code).toBeLessThan(0);
    }
  });

  test("[skills.unknown] the nearest names", async () => {
    await using server = new Server({ home, cwd });
    await server.initialize();
    const text = textOf(await server.request("tools/call", invoke("reveiw")));
    expect(text).toBe('No skill is named "reveiw". Did you mean review?');
  });
});

test("[skills.as-written] what stands in code stays", async () => {
  using home = new TempFolder();
  const written = "`awk '{print $1}' $ARGUMENTS`, `cut.sh $1`, $1 and \\$1";
  home.write(".claude/skills/columns/SKILL.md", `---\ndescription: Columns.\n---\n${written}\n`);
  await using server = new Server({ home });
  await server.initialize();
  const load = async (args?: string): Promise<string | undefined> =>
    textOf(await server.request("tools/call", invoke("columns", args))).split("\n\n")[1];
  expect([await load(), await load("a b")]).toEqual([
    written,
    "`awk '{print $1}' a b`, `cut.sh $1`, a and \\$1",
  ]);
});

describe("500 skills", () => {
  test("[skills.budget] one list within its budget, the same in every process", async () => {
    using home = new TempFolder();
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    for (const number of numbers.toSorted(
      (a, b) => Bun.hash.crc32(`${a}`) - Bun.hash.crc32(`${b}`),
    )) {
      const text = `---\nname: s-${number}\ndescription: ${"Does a thing. ".repeat(20)}\n---\n`;
      home.write(`.claude/skills/s-${number}/SKILL.md`, text);
    }
    const lists: string[] = [];
    for (const version of ["2025-11-25", modernVersion, "2025-11-25"]) {
      await using server = new Server({ home });
      const isModern = version === modernVersion;
      if (!isModern) await server.initialize(version);
      // A disk that takes longer than a list may wait is told of by the next one.
      const list = await eventually("the skills in the list", async () => {
        const reply = await server.request("tools/list", isModern ? modern() : {});
        return /\n\+4\d\d more;/.test(listOf(reply)) && reply;
      });
      lists.push(listOf(list));
      const shown = toolsOf(list).map((tool) => [
        tool["name"],
        tool["description"],
        tool["inputSchema"],
      ]);
      expect(JSON.stringify(shown).length / 4).toBeLessThan(4_000);
    }
    expect(new Set(lists).size).toBe(1);
  });
});

describe("changes", () => {
  const changed = (kind: string) => (message: ServerMessage) =>
    message.method === `notifications/${kind}/list_changed`;

  test("[skills.changes] a session is told, and lists what is new", async () => {
    using home = new TempFolder();
    await using server = new Server({ home });
    await server.initialize();
    expect(namesIn(listOf(await server.request("tools/list")))).not.toContain("new");
    const uri = "skill://new/SKILL.md";
    expect((await server.request("resources/subscribe", { uri })).result).toEqual({});
    home.write(".claude/skills/new/SKILL.md", "---\nname: new\ndescription: First.\n---\n");
    for (const kind of ["tools", "prompts", "resources"]) {
      await server.message(`a change of ${kind}`, changed(kind));
    }
    expect(namesIn(listOf(await server.request("tools/list")))).toContain("new");
    await server.message("an update", ({ params }) => params?.["uri"] === uri);
  });

  test("[skills.changes] a subscription is told", async () => {
    using home = new TempFolder();
    await using server = new Server({ home });
    await server.request("tools/list", modern());
    const id = server.start(
      "subscriptions/listen",
      modern({ notifications: { toolsListChanged: true } }),
    );
    await server.message(
      "an acknowledgement",
      ({ method }) => method?.endsWith("acknowledged") === true,
    );
    home.write(".claude/skills/new/SKILL.md", "---\nname: new\ndescription: First.\n---\n");
    const change = await server.message("a change", changed("tools"));
    expect(JSON.stringify(change.params)).toContain(JSON.stringify(id));
  });

  test("[skills.found] the workspace is the client's first root; a client that does not answer waits little", async () => {
    await using server = new Server({ home });
    await server.initialize("2025-11-25", "e2e", { roots: {} });
    const first = server.start("tools/list");
    const asked = await server.message("a question", ({ method }) => method === "roots/list");
    const early = namesIn(listOf(await server.reply(first)));
    expect([early.includes("own"), early.includes("review")]).toEqual([true, false]);
    server.send({ jsonrpc: "2.0", id: asked.id, result: { roots: [{ uri: `file://${cwd}` }] } });
    await server.message("a change", changed("tools"));
    expect(namesIn(listOf(await server.request("tools/list")))).toContain("review");
  });
});

test("[skills.switch] a hidden skill is nowhere, and without the tool there are none", async () => {
  const capabilities = async (env: Record<string, string>, version = modernVersion) => {
    await using server = new Server({ home, cwd, env });
    const ask = (method: string) => server.request(method, modern());
    const offered = (await server.request("server/discover", modern())).result?.["capabilities"];
    expect(version).toBe(modernVersion);
    const resources = (await ask("resources/list")).result?.["resources"] as { uri: string }[];
    return {
      offered: JSON.stringify(offered).includes("/skills"),
      prompts: (await ask("prompts/list")).result?.["prompts"] as { name: string }[],
      resources: resources.filter(({ uri }) => uri.startsWith("skill:")).map(({ uri }) => uri),
    };
  };
  const hidden = await capabilities({ SKILL_REVIEW: "0" });
  expect(hidden.offered).toBe(true);
  expect(hidden.prompts.map(({ name }) => name)).not.toContain("review");
  expect(hidden.resources).not.toContain("skill://review/SKILL.md");
  const off = await capabilities({ TOOL_INVOKESKILL: "0" });
  expect(off).toMatchObject({ offered: false, resources: [] });
  expect(off.prompts.map(({ name }) => name)).toEqual(["plan", "tasks"]);
});

test("[skills.required] results name what must be loaded, until it is", async () => {
  using home = new TempFolder();
  const cwd = makeSkills(home);
  home.write(".scorpiox/required_skills.txt", "# first of all\nown\n");
  home.write("work/.scorpiox/required_skills.txt", "review # always\r\n../x\n");
  await using server = new Server({ home, cwd });
  await server.initialize();
  const notes = async (params: Params): Promise<(string | undefined)[]> =>
    contentOf(await server.request("tools/call", params))
      .slice(1)
      .map(({ text }) => text?.trimStart());
  const bash = { name: "Bash", arguments: { command: "true" } };
  const missing = (names: string): string =>
    `Required skills not loaded yet: ${names}. Load them with InvokeSkill.`;
  expect(await notes(bash)).toEqual([missing("own, review")]);
  expect(await notes(invoke("own"))).toEqual([missing("review")]);
  await server.request("prompts/get", { name: "review" });
  expect(await notes(bash)).toEqual([]);
  writeFileSync(home.at("work/.scorpiox/required_skills.txt"), "nowhere\n");
  await eventually("the other file", async () => {
    const [note] = await notes(bash);
    return note === "Required by required_skills.txt, but there is no such skill: nowhere.";
  });
});
