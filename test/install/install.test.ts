import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { setEntry } from "../../src/install/edit/entry-text.ts";
import { editableClients } from "../../src/install/find-client.ts";
import { entryName, launchWords } from "../../src/install/install-targets.ts";
import { parseForeignText } from "../../src/upstream/import/read-foreign-file.ts";
import { runIn } from "../cli/fake-io.ts";
import { TempTree } from "../config/temp-tree.ts";
import { isLongRun } from "../fixtures/long-run.ts";
import { brokenText, statesOf, usualFile } from "./client-states.ts";
import { withQuickFiles } from "./killed.ts";

const program = "/home/you/.scorpiox/scorpiox-code";

interface Place {
  readonly tree: TempTree;
  /** What the file holds now; undefined when there is none. */
  text(): string | undefined;
  write(text: string | undefined): void;
  run(...words: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

/** A home in which the client is, with this file. */
function placeFor(id: string, text: string | undefined): Place & Disposable {
  const client = editableClients.find((one) => one.id === id);
  if (client === undefined) throw new Error(id);
  const tree = new TempTree();
  const file = tree.path(usualFile(client));
  const isOfProject = usualFile(client).startsWith("project");
  mkdirSync(dirname(file), { recursive: true });
  if (id === "claude-code") mkdirSync(tree.path("home/.claude"), { recursive: true });
  const place: Place = {
    tree,
    text: () => (existsSync(file) ? readFileSync(file, "utf8") : undefined),
    write(next) {
      if (next !== undefined) writeFileSync(file, next);
    },
    async run(command = "", ...words) {
      const scope = isOfProject && command !== "undo" ? ["--scope", "project"] : [];
      // No program of a client is on this PATH.
      return runIn(tree, [command, id, ...scope, ...words], { env: { PATH: "/nowhere" } });
    },
  };
  place.write(text);
  return { ...place, [Symbol.dispose]: () => tree[Symbol.dispose]() };
}

const allCases = editableClients.flatMap((client) =>
  statesOf(client).map((state) => [client.id, state.name, client, state.text] as const),
);
const usualStates = new Set(["no file", "json", "toml", "yamlMap", "yamlList"]);
/** Other files than usual, for the first client that has such: one code edits the files of all of them. */
const cases = isLongRun
  ? allCases
  : allCases.filter(
      ([, name], index) =>
        usualStates.has(name) || index === allCases.findIndex(([, other]) => other === name),
    );

describe("[IN3] [IN6] a client's file gets the entry, and every byte back", () => {
  test.each(cases)("%s, %s", (id, _name, client, text) =>
    withQuickFiles(async () => {
      using place = placeFor(id, text);
      const installed = await place.run("install", "--yes");
      expect(installed).toMatchObject({ exitCode: 0 });
      const after = place.text() ?? "";
      const parsed = parseForeignText(usualFile(client), after.replace(/^\uFEFF/, ""));
      const root = parsed.kind === "value" ? parsed.value : parsed;
      const entry = client.entry(launchWords(client, [program]), entryName);
      const expected =
        client.home.kind === "list"
          ? { [client.home.path[0] ?? ""]: expect.arrayContaining([entry]) }
          : { [client.home.path[0] ?? ""]: expect.objectContaining({ [entryName]: entry }) };
      expect(root).toMatchObject(expected);
      // The lines of the user, in their order.
      const own = (text ?? "").split(/\r?\n/).filter((line) => line.trim().length > 3);
      const kept = after.split(/\r?\n/).map((line) => line.trim());
      const isKept = own.filter((line) => kept.some((one) => one.startsWith(start(line))));
      expect(isKept).toEqual(own);

      expect(await place.run("install", "--yes")).toMatchObject({ exitCode: 0 });
      expect(place.text()).toBe(after);
      expect(await place.run("undo", "--yes")).toMatchObject({ exitCode: 0 });
      expect(place.text()).toBe(text);

      await place.run("install", "--yes");
      expect(await place.run("uninstall", "--yes")).toMatchObject({ exitCode: 0 });
      expect(place.text()).toBe(text);
      expect(await place.run("undo", "--yes")).toMatchObject({ exitCode: 0 });
      expect(place.text()).toBe(after);
    }),
  );
});

/** A line up to where a comma, a brace or the new entry may follow it. */
function start(line: string): string {
  return line
    .trim()
    .replace(/^\uFEFF/, "")
    .replace(/(?:\}+| *\{\}|,\s*"a":1\})$/, "")
    .slice(0, 24);
}

describe("[IN4] a broken file is left alone, and the entry to add by hand is printed", () => {
  test.each(editableClients.map((client) => [client.id, client] as const))(
    "%s",
    async (id, client) => {
      const text = brokenText(client);
      using place = placeFor(id, text);
      const { exitCode, stdout, stderr } = await place.run("install", "--yes");
      expect({ exitCode, text: place.text() }).toEqual({ exitCode: 1, text });
      expect(stderr).toMatch(/cannot be read: .*; it was not changed\./);
      const entry = client.entry(launchWords(client, [program]), entryName);
      expect(stdout).toBe(setEntry(usualFile(client), "", client.home, entryName, entry));
      expect(stderr).toContain("To connect it by hand, add:");
    },
  );
});

describe("[IN5] [IN6] a file that the client has written meanwhile", () => {
  const clients = editableClients.map(({ id }) => id);

  test.each(clients)("%s: undo takes out only the entry, and shows it", async (id) => {
    using place = placeFor(id, undefined);
    await place.run("install", "--yes");
    const file = usualFile(editableClients.find((client) => client.id === id)!);
    const isJson = /\.jsonc?$/.test(file);
    const before = place.text() ?? "";
    place.write(
      isJson
        ? before.replace("{", '{\n  "theme": "dark",')
        : `theme${file.endsWith("toml") ? " =" : ":"} "dark"\n${before}`,
    );
    const { exitCode, stdout, stderr } = await place.run("undo", "--yes");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("was changed since: only the entry scorpiox-code is changed back.");
    expect(stdout).toMatch(/^-.*scorpiox-code/m);
    expect(place.text()).toContain("dark");
    expect(place.text()).not.toContain(program);
  });

  test("undo of an uninstallation puts the entry back into the newer file", async () => {
    using place = placeFor("cursor", undefined);
    await place.run("install", "--yes");
    await place.run("uninstall", "--yes");
    place.write('{ "mcpServers": { "other": { "command": "x" } } }\n');
    expect(await place.run("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(place.text() ?? "")).toMatchObject({
      mcpServers: { other: { command: "x" }, "scorpiox-code": { command: program } },
    });
  });

  test("an answer that comes after the client's write changes nothing", async () => {
    using place = placeFor("cursor", '{ "mcpServers": {} }\n');
    const written = '{ "mcpServers": { "other": { "command": "x" } } }\n';
    async function* answer(): AsyncGenerator<string> {
      place.write(written);
      yield "y\n";
    }
    const { exitCode, stderr } = await runIn(place.tree, ["install", "cursor"], {
      terminals: ["stdin"],
      stdin: answer(),
    });
    expect({ exitCode, text: place.text() }).toEqual({ exitCode: 1, text: written });
    expect(stderr).toContain("was changed meanwhile; nothing was written. Try again.");
  });
});

describe("[IN2] the file that the client really reads", () => {
  test.each([
    [
      "opencode",
      ["home/.config/opencode/opencode.json", "home/.config/opencode/opencode.jsonc"],
      1,
    ],
    ["opencode", ["home/.config/opencode/opencode.json"], 0],
    ["lmstudio", ["home/.cache/lm-studio/mcp.json", "home/.lmstudio/mcp.json"], 1],
    ["lmstudio", ["home/.cache/lm-studio/mcp.json"], 0],
  ])("%s with %j", async (id, files, index) => {
    using tree = new TempTree(Object.fromEntries(files.map((file) => [file, "{}\n"])));
    const { stdout } = await runIn(tree, ["install", id, "--dry-run"]);
    expect(stdout).toContain(`+++ ${files[index]}\n`);
  });

  test.each([
    ["codex", "CODEX_HOME", "config.toml"],
    ["claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"],
  ])("%s in the folder of %s", async (id, variable, file) => {
    using tree = new TempTree({
      "elsewhere/x": "",
      "home/.codex/config.toml": "",
      "home/.claude.json": "{}",
    });
    const env = { PATH: "/nowhere", [variable]: tree.path("elsewhere") };
    const { stdout } = await runIn(tree, ["install", id, "--create", "--dry-run"], { env });
    expect(stdout).toContain(`+++ elsewhere/${file}\n`);
  });
});

describe("install", () => {
  test("without a name: every client that is here, and no other", async () => {
    using tree = new TempTree({ "home/.cursor/x": "", "home/.kiro/settings/mcp.json": "{}" });
    const { exitCode, stdout } = await runIn(tree, ["install", "--dry-run", "--json"], {
      env: { PATH: "/nowhere" },
    });
    const { dryRun, clients } = JSON.parse(stdout);
    expect({
      exitCode,
      dryRun,
      ids: clients.map(({ client }: { client: string }) => client),
    }).toEqual({
      exitCode: 0,
      dryRun: true,
      ids: ["cursor", "kiro"],
    });
    expect(existsSync(tree.path("home/.cursor/mcp.json"))).toBe(false);
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ["no client here", [], 3, /No client was found\. Name one, with --create: claude-desktop, /],
    [
      "an unknown client",
      ["cursr"],
      3,
      /cursr is not a known client\. Did you mean cursor\? Clients: /,
    ],
    [
      "a client that is not here",
      ["zed"],
      3,
      /There is no sign of Zed here\. .* add --create\. Searched:\n {2}home/,
    ],
    ["no file of the user", ["roo"], 2, /Roo Code has no file of the user\. Use --scope project\./],
    [
      "no file of a project",
      ["windsurf", "--scope", "project"],
      2,
      /Windsurf has no file of the project\./,
    ],
  ])("%s", async (_name, words, exitCode, message) => {
    using tree = new TempTree();
    const run = await runIn(tree, ["install", ...words], { env: { PATH: "/nowhere" } });
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).toMatch(message);
  });

  test("without a terminal it wants --yes, and a no changes nothing", async () => {
    using tree = new TempTree({ "home/.cursor/mcp.json": "{}\n" });
    const silent = await runIn(tree, ["install", "cursor"]);
    expect(silent).toMatchObject({ exitCode: 2 });
    expect(silent.stderr).toContain("To confirm without a terminal, add --yes.");
    const refused = await runIn(tree, ["install", "cursor"], {
      terminals: ["stdin"],
      stdin: ["n\n"],
    });
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(readFileSync(tree.path("home/.cursor/mcp.json"), "utf8")).toBe("{}\n");
  });

  test("a link stays a link, and a file keeps its mode", async () => {
    using tree = new TempTree({
      "home/dotfiles/mcp.json": "{}\n",
      "home/.cursor/mcp.json": { link: "home/dotfiles/mcp.json" },
    });
    expect(await runIn(tree, ["install", "cursor", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path("home/dotfiles/mcp.json"), "utf8")).toContain(program);
  });

  test("a project's file that leads out of the project is not written", async () => {
    using tree = new TempTree({
      "home/secret.json": "{}\n",
      "project/.cursor/mcp.json": { link: "home/secret.json" },
    });
    const { exitCode, stderr } = await runIn(tree, [
      "install",
      "cursor",
      "--scope",
      "project",
      "--yes",
    ]);
    expect({ exitCode, text: readFileSync(tree.path("home/secret.json"), "utf8") }).toEqual({
      exitCode: 1,
      text: "{}\n",
    });
    expect(stderr).toContain("leads out of the project");
  });

  test("tokens beside the entry are not printed", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    using tree = new TempTree({
      "home/.cursor/mcp.json": `{\n  "mcpServers": {\n    "git": { "env": { "GITHUB_TOKEN": "${token}" } }\n  }\n}\n`,
    });
    const { stdout } = await runIn(tree, ["install", "cursor", "--yes"]);
    expect(stdout).not.toContain(token);
    expect(readFileSync(tree.path("home/.cursor/mcp.json"), "utf8")).toContain(token);
  });

  test("the copies from before are the user's alone", async () => {
    using tree = new TempTree({ "home/.cursor/mcp.json": "{}\n" });
    await runIn(tree, ["install", "cursor", "--yes"]);
    const { stdout } = await runIn(tree, ["undo", "--list"]);
    expect(stdout).toMatch(/^\S+Z {2}install {2}cursor {2}home\/\.cursor\/mcp\.json\n$/);
    const glob = new Bun.Glob("**/*");
    const { statSync } = await import("node:fs");
    const folder = tree.path("home/.scorpiox/installs");
    const modes = [...glob.scanSync({ cwd: folder, dot: true })].map(
      (name) => statSync(`${folder}/${name}`).mode & 0o077,
    );
    expect(modes.every((mode) => mode === 0)).toBe(true);
  });
});

describe("[IN8] install --move", () => {
  const servers = {
    memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
    git: { command: "git-mcp", env: { GITHUB_TOKEN: "t0p", HOST: "example.test" } },
    "has blanks": { url: "https://example.test/mcp", headers: { Authorization: "Bearer x" } },
    broken: { neither: true },
  };

  test("takes the servers, keeps their secrets, and undo gives all of it back", async () => {
    const text = `${JSON.stringify({ mcpServers: servers, theme: "dark" }, undefined, 2)}\n`;
    using tree = new TempTree({ "home/.cursor/mcp.json": text });
    const moved = await runIn(tree, ["install", "cursor", "--move", "--yes"]);
    expect(moved).toMatchObject({ exitCode: 0 });
    expect(moved.stdout).toContain(
      "# Moved to home/.scorpiox/config.toml: memory, git, has-blanks",
    );
    expect(moved.stdout).toContain("# Kept as secrets: git/GITHUB_TOKEN, has-blanks/Authorization");
    expect(moved.stderr).toContain(
      "server broken is not moved: it has neither a command nor a url",
    );
    expect(moved.stderr).toContain("server has blanks is renamed to has-blanks");
    const own = readFileSync(tree.path("home/.scorpiox/config.toml"), "utf8");
    expect(own).not.toContain("t0p");
    expect(own).toContain("${keyring:git/GITHUB_TOKEN}");
    expect(JSON.parse(readFileSync(tree.path("home/.cursor/mcp.json"), "utf8"))).toEqual({
      mcpServers: {
        broken: { neither: true },
        "scorpiox-code": { command: program, args: ["--client", "cursor", "--defer", "off"] },
      },
      theme: "dark",
    });
    const secrets = await runIn(tree, ["mcp", "secrets", "list"]);
    expect(secrets.stdout).toBe("git/GITHUB_TOKEN  file\nhas-blanks/Authorization  file\n");

    expect(await runIn(tree, ["undo", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path("home/.cursor/mcp.json"), "utf8")).toBe(text);
    expect(existsSync(tree.path("home/.scorpiox/config.toml"))).toBe(false);
    expect(await runIn(tree, ["mcp", "secrets", "list"])).toMatchObject({ stdout: "" });
  });

  test.each([
    [
      "zed",
      "home/.config/zed/settings.json",
      '{ "context_servers": { "m": { "source": "custom", "command": "m", "args": [] } } }\n',
      '"enabled":false',
    ],
    [
      "goose",
      "home/.config/goose/config.yaml",
      'extensions:\n  m:\n    type: stdio\n    cmd: "m"\n    enabled: true\n',
      "enabled: false",
    ],
    ["codex", "home/.codex/config.toml", '[mcp_servers.m]\ncommand = "m"\n', "enabled = false"],
    [
      "cline",
      "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      '{ "mcpServers": { "m": { "command": "m" } } }\n',
      '"disabled":true',
    ],
  ])("%s: a server is switched off where the client has a switch", async (id, file, text, off) => {
    using tree = new TempTree({ [file]: text });
    expect(await runIn(tree, ["install", id, "--move", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8").replaceAll('": ', '":')).toContain(off);
    expect(readFileSync(tree.path("home/.scorpiox/config.toml"), "utf8")).toContain(
      'command = "m"',
    );
    expect(await runIn(tree, ["undo", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(tree.path(file), "utf8")).toBe(text);
  });
});

describe("[IN7] Claude Code, whose file is rewritten while it runs", () => {
  /** A stand-in for its command, which writes the file as the real one does. */
  function claude(tree: TempTree, ran: string[][], exitCode = 0) {
    return async (words: readonly string[]) => {
      ran.push([...words]);
      const file = tree.path("home/.claude.json");
      const root = JSON.parse(readFileSync(file, "utf8"));
      const [, , action, , , name = "", json = ""] = words;
      if (exitCode === 0 && action === "add-json")
        root.mcpServers = { ...root.mcpServers, [name]: { ...JSON.parse(json), env: {} } };
      if (exitCode === 0 && action === "remove") delete root.mcpServers[name];
      writeFileSync(file, JSON.stringify({ ...root, numStartups: root.numStartups + 1 }));
      return { exitCode, output: exitCode === 0 ? "" : "it went wrong" };
    };
  }

  const files = { "home/.claude.json": '{"numStartups":1}', "home/bin/claude": "#!/bin/sh\n" };

  test("its own command adds the entry, and undo has it remove it", async () => {
    using tree = new TempTree(files);
    chmodSync(tree.path("home/bin/claude"), 0o755);
    const ran: string[][] = [];
    const input = {
      env: { PATH: tree.path("home/bin") },
      services: { runProgram: claude(tree, ran) },
    };
    const preview = await runIn(tree, ["install", "claude-code", "--dry-run"], input);
    const json = `{"type":"stdio","command":"${program}","args":["--client","claude-code","--defer","off"]}`;
    expect(preview.stdout).toBe(
      `# Claude Code\nclaude mcp add-json --scope user scorpiox-code '${json}'\n`,
    );
    expect(ran).toEqual([]);
    expect(await runIn(tree, ["install", "claude-code", "--yes"], input)).toMatchObject({
      exitCode: 0,
    });
    expect(await runIn(tree, ["undo", "--yes"], input)).toMatchObject({ exitCode: 0 });
    expect(ran).toEqual([
      ["claude", "mcp", "add-json", "--scope", "user", "scorpiox-code", json],
      ["claude", "mcp", "remove", "--scope", "user", "scorpiox-code"],
    ]);
    expect(JSON.parse(readFileSync(tree.path("home/.claude.json"), "utf8"))).toEqual({
      mcpServers: {},
      numStartups: 3,
    });
  });

  test("a command that fails is reported, with its words", async () => {
    using tree = new TempTree(files);
    chmodSync(tree.path("home/bin/claude"), 0o755);
    const input = {
      env: { PATH: tree.path("home/bin") },
      services: { runProgram: claude(tree, [], 1) },
    };
    const { exitCode, stderr } = await runIn(tree, ["install", "claude-code", "--yes"], input);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /Claude Code did not take the change: home\/\.claude\.json lacks it\. claude mcp add-json .* ended with 1: it went wrong/,
    );
  });
});

describe("[IN3] install over an entry that is there", () => {
  test.each([
    [
      "cursor",
      "home/.cursor/mcp.json",
      { mcpServers: "scorpiox-code" },
      { autoApprove: ["Bash"], env: { A: "1" } },
    ],
    [
      "zed",
      "home/.config/zed/settings.json",
      { context_servers: "scorpiox-code" },
      { env: { A: "1" } },
    ],
  ])("%s: what the user or the client has added stays", async (id, file, home, added) => {
    const [key = ""] = Object.keys(home);
    const old = { command: "/old", args: [], ...added };
    using tree = new TempTree({ [file]: JSON.stringify({ [key]: { "scorpiox-code": old } }) });
    expect(await runIn(tree, ["install", id, "--yes"])).toMatchObject({ exitCode: 0 });
    const { [key]: servers } = JSON.parse(readFileSync(tree.path(file), "utf8"));
    expect(servers["scorpiox-code"]).toMatchObject({ ...added, command: program });
    const again = await runIn(tree, ["install", id, "--yes"]);
    expect(again.stderr).toContain("nothing to change");
  });

  test("an entry that connects to an address is replaced as a whole", async () => {
    const file = "home/.cursor/mcp.json";
    using tree = new TempTree({
      [file]: '{ "mcpServers": { "scorpiox-code": { "url": "http://127.0.0.1:1/mcp" } } }',
    });
    await runIn(tree, ["install", "cursor", "--yes"]);
    expect(JSON.parse(readFileSync(tree.path(file), "utf8")).mcpServers["scorpiox-code"]).toEqual({
      command: program,
      args: ["--client", "cursor", "--defer", "off"],
    });
  });
});
