import { existsSync, readdirSync, statSync } from "node:fs";
import { expect, setDefaultTimeout, test } from "bun:test";

import { principalProcessesMax } from "../../src/base/limits.ts";
import { isLongRun } from "../fixtures/long-run.ts";
import { eventually } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { isError, textOf } from "./harness/messages.ts";
import { PageServer } from "./harness/page-server.ts";
import { isRoot, testMsMax } from "./harness/platform.ts";
import { attempts, isFound } from "./harness/separation/attempts.ts";
import { Person, SeparationYard } from "./harness/separation/yard.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const hasBubblewrap =
  process.platform === "linux" &&
  Bun.spawnSync(["bwrap", "--ro-bind", "/", "/", "--unshare-pid", "true"]).success;
const whenApart = test.skipIf(!hasBubblewrap);

const alice = "alice-0123456789abcdef";
const bob = "bob-0123456789abcdefgh";
const nobody = 65_534;
const both = [`alice ${alice}`, `bob ${bob}`];

function personOf(server: HttpServer, token: string): Person {
  return new Person(server.client.withToken(token));
}

async function toolsOf(server: HttpServer, token: string): Promise<readonly string[]> {
  const answer = await server.client.withToken(token).modern("tools/list");
  const { tools } = onlyMessage(answer).result as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

const filing = ["Bash", "ReadImage", "PlanMode", "InvokeSkill", "BackgroundBash"];

whenApart("[team.apart] [U-apart] B finds nothing of A and of the server", async () => {
  await using yard = new SeparationYard();
  await yard.start();
  expect(yard.server.stderr).toBe("");
  const left = await yard.work();
  const found: string[] = [];
  // Those of one kind stand for each other.
  const looks = isLongRun ? attempts : attempts.filter((_attempt, index) => index % 4 === 0);
  for (const attempt of looks) {
    if (await isFound(attempt, yard, left)) found.push(attempt.thing);
  }
  expect(found).toEqual([]);
});

whenApart(
  "[team.workspace] a principal has a workspace and a home, whatever roots it names",
  async () => {
    await using server = await HttpServer.start({ tokens: both });
    const session = await server.initialize("2025-11-25", { roots: {} }, alice);
    const said = textOf(await session.call("Bash", { command: "pwd; echo ~; echo x > kept" }));
    const place = server.home.at(".scorpiox", "workspaces");
    const [name = ""] = readdirSync(place);
    expect(said).toStartWith(`${place}/${name}/work\n${place}/${name}/home\n`);
    expect(name).toMatch(/^token-alice-[0-9a-f]{32}$/);
    expect(statSync(`${place}/${name}/work`).mode & 0o777).toBe(0o700);
    // The same over the other era: it is the principal's, and not the session's.
    expect(await personOf(server, alice).bash("cat kept")).toStartWith("x\n");
    expect(await personOf(server, bob).bash("cat kept")).toContain("No such file");
    // Too long for an argument: its text is in a file, which its sandbox shows.
    const long = `echo ${"x".repeat(200_000)} | wc -c`;
    expect(await personOf(server, bob).bash(long)).toStartWith("200001\n");
  },
);

whenApart("[team.tools] ReadImage, PlanMode and skills keep to what its commands see", async () => {
  using home = new TempFolder();
  home.write(".claude/skills/ours/SKILL.md", "---\ndescription: ours\n---\nWork.");
  await using server = await HttpServer.start({ home, tokens: both });
  const person = personOf(server, bob);
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
  await person.bash(`echo ${png} | base64 -d > a.png; ln -s a.png b.png; ln -s / c; mkfifo d`);
  expect(await person.call("ReadImage", { file_path: "b.png" })).toContain("PNG image, 1 × 1 px");
  const refused: Record<string, string> = {};
  for (const path of ["d", "c/etc/shadow", "/proc/1/environ", "c"]) {
    refused[path] = await person.call("ReadImage", { file_path: path });
  }
  expect(refused["d"]).toContain("is not a regular file");
  expect(refused["c/etc/shadow"]).toContain("does not exist in your workspace");
  expect(refused["/proc/1/environ"]).toContain("is not a readable image");
  expect(refused["c"]).toContain("is not a regular file");
  const planned = await person.call("PlanMode", { action: "enter", goal: "look" });
  expect(planned).toContain("Plan mode activated");
  expect(
    await person.bash("echo x > new; for p in ~/../.scorpiox/plans/*; do echo '- do' >> $p; done"),
  ).toContain("Read-only file system");
  expect(await person.call("PlanMode", { action: "exit", plan_file: "c/etc/hostname" })).toContain(
    "is not inside the workspace",
  );
  await person.call("PlanMode", { action: "reset" });
  await person.bash("mkdir -p .claude/skills/mine && echo x > .claude/skills/mine/SKILL.md");
  expect(await person.call("InvokeSkill", { skill_name: "ours" })).toContain("Work.");
  expect(await person.call("InvokeSkill", { skill_name: "mine" })).toContain("mine");
});

test("[team.withheld] where commands cannot be kept apart they are not offered, and the start says why", async () => {
  using home = new TempFolder();
  // Not in the view of commands, so that nothing can be started in it.
  const shell = home.write("bin/bash", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
  await using server = await HttpServer.start({
    home,
    tokens: both,
    env: { SCORPIOX_SHELL_PATH: shell },
  });
  expect(server.stderr).toContain("their commands cannot be kept apart (");
  expect(server.stderr).toContain("--commands trusted");
  expect((await toolsOf(server, alice)).filter((name) => filing.includes(name))).toEqual([]);
  for (const name of filing) {
    const args = { command: "echo ran", file_path: "/etc/hostname", action: "status" };
    expect(await personOf(server, bob).call(name, args)).toMatch(/may not use|Unknown tool/);
  }
});

test("[team.withheld] [team.growth] a session that is open when they are withheld does not have them either", async () => {
  using home = new TempFolder();
  const shell = home.write("bin/bash", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
  const env = { SCORPIOX_SHELL_PATH: shell };
  await using server = await HttpServer.start({ home, tokens: [`alice ${alice}`], env });
  const session = await server.initialize("2025-11-25", {}, alice);
  expect(textOf(await session.call("Bash", { command: "echo ran" }))).toBe("ran\n");
  home.write("tokens.txt", `${both.join("\n")}\n`, 0o600);
  await eventually(
    "the new token",
    async () => (await server.client.withToken(bob).modern("server/discover")).status === 200,
    10_000,
  );
  const { tools } = (await session.request("tools/list")).result as { tools: { name: string }[] };
  expect(tools.filter(({ name }) => filing.includes(name))).toEqual([]);
  expect((await session.call("Bash", { command: "echo ran" })).error?.message).toContain(
    "Unknown tool: Bash",
  );
  const discovered = onlyMessage(await server.client.withToken(bob).modern("server/discover"));
  expect(JSON.stringify(discovered.result)).not.toContain("Bash is for commands");
});

test("[team.trusted] commands = trusted offers them as ever, and the start says what it means", async () => {
  await using server = await HttpServer.start({ tokens: both, args: ["--commands", "trusted"] });
  expect(server.stderr).toContain(
    "every user of this server is the same person to the operating system",
  );
  expect(await toolsOf(server, bob)).toEqual(expect.arrayContaining(filing));
  expect(await personOf(server, alice).bash("echo x > kept; pwd")).toBe(`${server.home.path}\n`);
  expect(await personOf(server, bob).bash("cat kept")).toBe("x\n");
});

test("[team.one] one principal works where it names, without a sandbox", async () => {
  await using server = await HttpServer.start({ tokens: [`alice ${alice}`] });
  expect(server.stderr).toBe("");
  expect(await personOf(server, alice).bash("pwd")).toBe(`${server.home.path}\n`);
  expect(existsSync(server.home.at(".scorpiox/workspaces"))).toBe(false);
});

whenApart(
  "[team.growth] the second principal comes when what the first runs has ended",
  async () => {
    using home = new TempFolder();
    await using server = await HttpServer.start({ home, tokens: [`alice ${alice}`] });
    const first = personOf(server, alice);
    await first.call("BackgroundBash", { command: "echo up; sleep 3000" });
    home.write("tokens.txt", `${both.join("\n")}\n`, 0o600);
    const second = server.client.withToken(bob);
    await eventually(
      "the new token",
      async () => (await second.modern("server/discover")).status === 200,
      10_000,
    );
    expect(await first.call("ListBgTasks")).not.toContain("running");
    expect(await first.bash("pwd")).toContain("/.scorpiox/workspaces/token-alice-");
    expect(await personOf(server, bob).bash("pwd; ls -A")).toMatch(
      /^\S+\/workspaces\/token-bob-[0-9a-f]{32}\/work\nsandbox:/,
    );
  },
);

test.each([
  ["are cached for each principal", [], 2],
  ["that need no password are shared with share_cache", ["--share-cache"], 1],
])("[team.cache] pages %s", async (_what, args, hits) => {
  await using pages = new PageServer();
  // A cache is that of one process.
  await using server = await HttpServer.start({
    isAlone: true,
    tokens: both,
    args,
    env: pages.env,
  });
  for (const token of [alice, alice, bob, bob]) {
    const answer = await server.client
      .withToken(token)
      .modern("tools/call", { name: "ReadDocs", arguments: { url: `${pages.origin}/page.txt` } });
    expect(isError(onlyMessage(answer))).toBe(false);
  }
  expect(pages.hits.get("/page.txt")).toBe(hits);
});

whenApart.each([
  ["no network", [], ""],
  ["the network with commands_network, which the start says", ["--commands-network"], "HTTP/1.1"],
])("[team.network] commands have %s", async (_what, args, answer) => {
  await using pages = new PageServer();
  await using server = await HttpServer.start({ tokens: both, args });
  const { port } = new URL(pages.origin);
  const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\nHost: here\\r\\n\\r\\n' >&3 && head -c 8 <&3`;
  const said = await personOf(server, bob).bash(`{ ${ask}; } 2>/dev/null; true`);
  expect(said).toStartWith(`${answer}${answer === "" ? "" : "\n"}sandbox: `);
  expect(server.stderr.includes("reach what listens on this machine")).toBe(answer !== "");
});

whenApart("[team.limits] a fork bomb of one principal leaves the others room", async () => {
  // Processes of root are not counted.
  await using yard = new SeparationYard(isRoot ? { uid: nobody } : {});
  await yard.start();
  expect(Number.parseInt(await yard.b.bash("ulimit -u"))).toBeLessThanOrEqual(
    principalProcessesMax,
  );
  const bomb = yard.b.bash(
    // They wait to open a pipe: a program in each would cost twice as much, and does not count.
    "mkfifo pipe; for i in $(seq 3000); do : < pipe & done 2>/dev/null; echo over",
    4_000,
  );
  expect(await yard.a.bash("echo there")).toStartWith("there\n");
  expect(await bomb).toContain("timed out");
  expect(await yard.b.bash("echo again")).toStartWith("again\n");
});
