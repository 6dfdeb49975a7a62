import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { envelope, metaKeys, modernVersion, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const rulesFile = ".scorpiox/policy.jsonc";
const rule = (action: string, match: unknown, reason?: string): object => ({
  tool: "Bash",
  action,
  match,
  reason,
});
const rules = (...list: object[]): string => JSON.stringify({ rules: list });

/** A home with rules of the user, and a server in it that has shaken hands. */
async function serverWith(
  home: TempFolder,
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Server> {
  const server = new Server({ home, ...options });
  await server.initialize();
  return server;
}

const bash = async (server: Server, command: string): Promise<string> =>
  textOf(await server.call("Bash", { command }));

/** A call that is decided on and written down as each is, and starts no shell. */
const list = async (server: Server): Promise<string> => textOf(await server.call("ListBgTasks"));
const listed = "No background tasks.";

describe("a user's rules, for a client that cannot ask", () => {
  const home = new TempFolder();
  let server: Server;
  beforeAll(async () => {
    const denied = rule("deny", "touch", "nothing is touched here");
    home.write(rulesFile, rules(denied, rule("ask", "printf")));
    server = await serverWith(home);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  test("[policy.deny] what is denied does not run, however it is written (U-policy)", async () => {
    const target = home.at("touched");
    const ways = [
      `touch ${target}`,
      `true && (touch ${target})`,
      `echo $(touch ${target})`,
      `env A=1 bash -c 'to\\uch ${target}'`,
      `sh <<'E'\ntouch ${target}\nE`,
      `x=touch; $x ${target}`,
    ];
    for (const way of ways)
      expect(await bash(server, way)).toStartWith("Bash was not run: rule 1 of ");
    expect(await bash(server, ways[0] ?? "")).toContain("nothing is touched here");
    expect(textOf(await server.call("BackgroundBash", { command: ways[0] }))).toStartWith(
      "BackgroundBash was not run",
    );
    expect(existsSync(target)).toBe(false);
    expect(await bash(server, "echo touch")).toBe("touch\n");
  });

  test("[policy.nobody] who would be asked cannot be: the client is told what to do", async () => {
    const reply = await server.call("Bash", { command: "printf hi" });
    expect(reply.result?.["isError"]).toBe(true);
    expect(textOf(reply)).toContain(
      "It needs the user's consent, and this client cannot ask the user.",
    );
  });
});

describe("rules", () => {
  test("[policy.change] a new rule counts within a second, and a taken back one too", async () => {
    using home = new TempFolder();
    await using server = await serverWith(home);
    expect(await list(server)).toBe(listed);
    home.write(rulesFile, rules({ tool: "ListBgTasks", action: "deny" }));
    await eventually("the rule", async () => (await list(server)) !== listed);
    home.write(rulesFile, "{}");
    await eventually("no rule", async () => (await list(server)) === listed);
  });

  test("[policy.project] a project tightens and does not loosen", async () => {
    using home = new TempFolder();
    home.write(rulesFile, rules(rule("deny", "echo a")));
    const project = home.folder("project");
    home.write(`project/${rulesFile}`, rules(rule("allow", "echo a"), rule("deny", "echo b")));
    await using server = await serverWith(home, { cwd: project });
    expect(await bash(server, "echo a")).toContain(`rule 1 of ${home.at(rulesFile)}`);
    expect(await bash(server, "echo b")).toContain(`rule 2 of ${home.at("project", rulesFile)}`);
    expect(await bash(server, "echo c")).toBe("c\n");
    await eventually("it on stderr", () =>
      server.stderr.includes("rule 1 of " + home.at("project", rulesFile) + " is ignored"),
    );
  });

  test("[policy.project] the project that the client works in counts, and so does that of the start", async () => {
    using home = new TempFolder();
    home.write(`start/${rulesFile}`, rules(rule("deny", "echo a")));
    home.write(`root/${rulesFile}`, rules(rule("deny", "echo b"), rule("allow", "echo a")));
    await using server = new Server({ home, cwd: home.at("start") });
    await server.initialize("2025-11-25", "e2e", { roots: {} });
    const first = server.start("tools/call", { name: "Bash", arguments: { command: "echo b" } });
    const asked = await server.message("a question", ({ method }) => method === "roots/list");
    const roots = [{ uri: Bun.pathToFileURL(home.folder("root/sub")).href }];
    server.send({ jsonrpc: "2.0", id: asked.id, result: { roots } });
    const refusals = [textOf(await server.reply(first)), await bash(server, "echo a")];
    expect(refusals.map((text) => text.slice(0, text.indexOf(":")))).toEqual([
      "Bash was not run",
      "Bash was not run",
    ]);
    expect(refusals[0]).toContain(`rule 1 of ${home.at("root", rulesFile)}`);
    expect(refusals[1]).toContain(`rule 1 of ${home.at("start", rulesFile)}`);
  });

  test("[policy.broken] a file that cannot be read lets nothing through unasked", async () => {
    using home = new TempFolder();
    home.write(rulesFile, '{"rules": [{"tool": "Bash"');
    await using server = await serverWith(home);
    expect(await bash(server, "echo a")).toStartWith(
      `Bash was not run: broken policy file: a policy file is broken (${home.at(rulesFile)}`,
    );
    await eventually("it on stderr", () =>
      server.stderr.includes("calls that it may be about are asked about"),
    );
  });
});

describe("asking", () => {
  const capabilities = { elicitation: { form: {} } };
  const clientInfo = { name: "e2e", version: "1" };

  interface Asked {
    readonly messages: string[];
    call(command: string): Promise<string>;
    close(): Promise<void>;
  }

  /** A client whose user chooses this option each time. */
  async function connect(kind: string, home: TempFolder, choice: () => string): Promise<Asked> {
    const messages: string[] = [];
    const answer = ({
      params,
    }: {
      params: unknown;
    }): { action: "accept"; content: Record<string, string> } => {
      messages.push((params as { message: string }).message);
      return { action: "accept", content: { answer1: choice() } };
    };
    const parameters = {
      command: productBinary,
      env: testEnvironment(home.path),
      cwd: home.path,
      stderr: "pipe" as const,
    };
    const client =
      kind === "v1"
        ? new Client1(clientInfo, { capabilities })
        : new Client2(clientInfo, {
            capabilities,
            versionNegotiation: { mode: kind === "legacy" ? "legacy" : { pin: modernVersion } },
          });
    if (client instanceof Client1) {
      client.setRequestHandler(ElicitRequestSchema, answer);
      await client.connect(new Stdio1(parameters));
    } else {
      client.setRequestHandler("elicitation/create", answer);
      await client.connect(new Stdio2(parameters));
    }
    return {
      messages,
      async call(command) {
        const { content } = (await client.callTool({ name: "Bash", arguments: { command } })) as {
          content: { text: string }[];
        };
        return content[0]?.text ?? "";
      },
      close: () => client.close(),
    };
  }

  test.each(["v1", "legacy", "modern"])(
    "[policy.ask] SDK %s: once, for the session, no",
    async (kind) => {
      using home = new TempFolder();
      home.write(rulesFile, rules(rule("ask", "echo")));
      let choice = "Allow once";
      const client = await connect(kind, home, () => choice);
      try {
        expect(await client.call("echo  hi | cat")).toBe("hi\n");
        expect(client.messages[0]).toContain(
          "\n\nCommand (1 line, 14 characters):\n│ echo  hi | cat",
        );
        expect(client.messages[0]).toContain(`Folder: ${home.path}\nSandbox: none`);
        choice = "Deny";
        expect(await client.call("echo  hi | cat")).toContain("The user was asked and said no.");
        choice = "Allow for this session";
        expect([await client.call("echo b"), await client.call("echo b")]).toEqual(["b\n", "b\n"]);
        expect(client.messages).toHaveLength(3);
        choice = "Deny";
        expect(await client.call("echo c")).toContain("said no");
        expect(await client.call("pwd")).toBe(`${home.path}\n`);
      } finally {
        await client.close();
      }
    },
  );

  test("[policy.ask] before a call becomes an MCP task", async () => {
    using home = new TempFolder();
    home.write(rulesFile, rules(rule("ask", "echo")));
    await using server = new Server({ home });
    const declared = {
      elicitation: { form: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    };
    const call = async (more: object): Promise<Record<string, unknown>> => {
      const params = { name: "BackgroundBash", arguments: { command: "echo hi" }, ...more };
      const _meta = { ...envelope, [metaKeys.capabilities]: declared };
      return (await server.request("tools/call", { ...params, _meta })).result ?? {};
    };
    const answered = async (choice: string): Promise<Record<string, unknown>> => {
      const { resultType, inputRequests, requestState } = await call({});
      expect(resultType).toBe("input_required");
      const keys = Object.keys(inputRequests as object);
      const answer = { action: "accept", content: { answer1: choice } };
      return call({
        inputResponses: Object.fromEntries(keys.map((key) => [key, answer])),
        requestState,
      });
    };
    expect(await answered("Deny")).toMatchObject({ resultType: "complete", isError: true });
    expect(await answered("Allow once")).toMatchObject({ resultType: "task" });
  });

  test("[policy.cautions] are asked about without any rule, until they are switched off", async () => {
    using home = new TempFolder();
    const push = "git push --force";
    {
      await using server = await serverWith(home);
      expect(await bash(server, push)).toContain("POLICY_CAUTIONS=false");
      expect(await bash(server, "mkdir build && rm -rf build/ && echo gone")).toBe("gone\n");
    }
    await using server = await serverWith(home, { env: { SCORPIOX_POLICY_CAUTIONS: "false" } });
    expect(await bash(server, push)).not.toContain("was not run");
  });
});

describe("the audit log", () => {
  interface Line {
    readonly command?: string;
  }
  const linesOf = (home: TempFolder): Line[] =>
    readFileSync(home.at(".scorpiox/audit/audit.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);

  test("[policy.audit] has a private line for each call, and no command (U-audit)", async () => {
    using home = new TempFolder();
    home.write(rulesFile, rules(rule("deny", "ls")));
    {
      await using server = await serverWith(home, { env: { TOOL_READIMAGE: "0" } });
      await bash(server, "echo hidden-words");
      await bash(server, "ls");
      await server.call("Bash", { command: 5 });
      await server.call("NoSuchTool", {});
      await server.call("ReadImage", { file_path: "/a.png" });
    }
    const common = {
      time: expect.any(String),
      instance: expect.stringMatching(/^[\da-f]{32}$/),
      client: "stdio",
      args: expect.stringMatching(/^sha256:[\da-f]{64}$/),
      durationMs: expect.any(Number),
    };
    expect(linesOf(home)).toEqual([
      { ...common, tool: "Bash", decision: "allowed", outcome: "result" },
      {
        ...common,
        tool: "Bash",
        decision: "denied",
        rule: `rule 1 of ${home.at(rulesFile)}`,
        outcome: "refused",
      },
      { ...common, tool: "Bash", decision: "invalid", outcome: "refused" },
      { ...common, tool: "NoSuchTool", decision: "invalid", outcome: "refused" },
      { ...common, tool: "ReadImage", decision: "invalid", outcome: "refused" },
    ] as unknown as Line[]);
    expect(readFileSync(home.at(".scorpiox/audit/audit.jsonl"), "utf8")).not.toContain(
      "hidden-words",
    );
    const modes = [".scorpiox", ".scorpiox/audit", ".scorpiox/audit/audit.jsonl"]
      .slice(1)
      .map((name) => statSync(home.at(name)).mode & 0o077);
    expect(modes).toEqual([0, 0]);
  });

  test("[policy.audit] has commands in words when that is wanted, without secrets (U-audit)", async () => {
    using home = new TempFolder();
    {
      const env = { SCORPIOX_AUDIT_COMMANDS: "on", MY_TOKEN: "abcdefgh-1234" };
      await using server = await serverWith(home, { env });
      await bash(server, "echo abcdefgh-1234 API_KEY=xyz");
    }
    expect(linesOf(home).map(({ command }) => command)).toEqual([
      "echo [redacted] API_KEY=[redacted]",
    ]);
  });

  test("[policy.audit-off] can be switched off; where it cannot be written calls go on", async () => {
    using home = new TempFolder();
    {
      await using server = await serverWith(home, { env: { SCORPIOX_AUDIT: "off" } });
      expect(await list(server)).toBe(listed);
    }
    expect(existsSync(home.at(".scorpiox/audit"))).toBe(false);
    home.write(".scorpiox/audit", "in the way");
    await using server = await serverWith(home);
    expect(await list(server)).toBe(listed);
    const warnings = (): number =>
      server.stderr.split("The audit log cannot be written").length - 1;
    await eventually("a warning", () => warnings() === 1);
    expect(await list(server)).toBe(listed);
    server.endInput();
    await server.ended();
    expect(warnings()).toBe(1);
  });
});

test("[policy.cli] says what the rules would do", async () => {
  using home = new TempFolder();
  home.write(rulesFile, rules(rule("deny", "rm", "never"), rule("ask", "git push")));
  const run = (...args: string[]): [number, string] => {
    const { exitCode, stdout } = Bun.spawnSync([productBinary, "policy", ...args], {
      cwd: home.path,
      env: testEnvironment(home.path),
    });
    return [exitCode, stdout.toString()];
  };
  const at = `of ${home.at(rulesFile)}`;
  expect(run("check", "ls")).toEqual([0, "allow\n  runs ls\n"]);
  expect(run("check", "ls | xargs rm")).toEqual([
    1,
    `deny: rule 1 ${at}: never\n  runs ls\n  runs xargs rm\n  runs rm …\n`,
  ]);
  expect(run("check", "git push")[0]).toBe(4);
  expect(JSON.parse(run("check", "rm", "--json")[1])).toEqual({
    tool: "Bash",
    args: { command: "rm" },
    action: "deny",
    rule: `rule 1 ${at}`,
    reason: "never",
    programs: ["rm"],
    unknowns: [],
  });
  expect(run("check", "{", "--tool", "WebSearch")[0]).toBe(2);
  const [code, list] = run("list");
  expect([code, list.split("\n").filter((line) => /^(deny|ask)/.test(line))]).toEqual([
    0,
    [
      `deny  Bash  {"program":["rm"]}  # rule 1 ${at}: never`,
      `ask  Bash  {"program":["git"],"args":["push"]}  # rule 2 ${at}`,
    ],
  ]);
  home.write(rulesFile, "[]");
  expect(run("list", "--json")[0]).toBe(1);
});
