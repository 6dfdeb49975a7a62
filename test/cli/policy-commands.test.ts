import { expect, test } from "bun:test";

import { run } from "./fake-io.ts";

const rules = JSON.stringify({
  rules: [
    { tool: "Bash", match: "git push", action: "ask" },
    { tool: "Bash", match: "terraform", action: "deny", reason: "Only the pipeline does this." },
  ],
});
const files = { "home/.scorpiox/policy.jsonc": rules };
const rule = (number: number): string => `rule ${number} of home/.scorpiox/policy.jsonc`;

test("policy list has the files, also those that are not there, and the rules", async () => {
  const { exitCode, stdout } = await run(["policy", "list"], { files });
  const shown = stdout.split("\n").filter((line) => !line.startsWith("# managed"));
  expect([exitCode, shown]).toEqual([
    0,
    [
      "# user: home/.scorpiox/policy.jsonc",
      "# project: project/.scorpiox/policy.jsonc (none)",
      `ask  Bash  {"program":["git"],"args":["push"]}  # ${rule(1)}`,
      `deny  Bash  {"program":["terraform"]}  # ${rule(2)}: Only the pipeline does this.`,
      "# built-in cautions: on",
      "",
    ],
  ]);
});

test.each([
  ["git status", 0, "allow"],
  ["ls; git push", 4, `ask: ${rule(1)}: it is about "git"`],
  ["$x push", 4, `ask: ${rule(1)}: it may be about "…", which is known only when it runs`],
  ["terraform apply", 1, `deny: ${rule(2)}: Only the pipeline does this.`],
])("policy check %s", async (command, exitCode, text) => {
  const checked = await run(["policy", "check", command], { files });
  expect([checked.exitCode, checked.stdout.split("\n")[0]]).toEqual([exitCode, text]);
});

test.each<[string, number, string]>([
  ["bash", 3, "There is no tool bash. Did you mean Bash"],
  ["ReadDoc", 3, "Did you mean ReadDocs?"],
  ["mcp__fils__read", 3, "There is no tool mcp__fils__read."],
  ["no such thing at all", 3, "There are: Bash,"],
  ["mcp__files__read", 0, ""],
  ["tool_call", 0, ""],
])("policy check --tool %s", async (tool, exitCode, said) => {
  const servers = { "home/.scorpiox/config.toml": '[mcp.servers.files]\ncommand = "c"\n' };
  const checked = await run(["policy", "check", "{}", "--tool", tool], { files: servers });
  expect([checked.exitCode, checked.stderr]).toEqual([exitCode, expect.stringContaining(said)]);
  expect(checked.stdout).toBe(exitCode === 0 ? "allow\n" : "");
});

test.each<[flags: string, exitCode: number, text: string]>([
  ["", 0, "allow"],
  ["--owner ada", 1, `deny: ${rule(1)}`],
  ["--owner token:ada", 1, `deny: ${rule(1)}`],
  ["--owner ben", 0, "allow"],
  ["--owner ben --group ops", 4, `ask: ${rule(2)}`],
  ["--owner jwt:https://id.example.com|alice", 1, `deny: ${rule(3)}`],
  ["--owner auth0|alice", 2, ""],
])("policy check by person, %s", async (flags, exitCode, text) => {
  const people = JSON.stringify({
    rules: [
      { server: "files", owner: "ada", action: "deny" },
      { server: "files", tool: "read*", group: "ops", action: "ask" },
      { tool: "mcp__files", owner: "https://id.example.com|alice", action: "deny" },
    ],
  });
  const all = {
    "home/.scorpiox/policy.jsonc": people,
    "home/.scorpiox/config.toml": '[mcp.servers.files]\ncommand = "c"\n',
  };
  const words = ["policy", "check", "{}", "--tool", "mcp__files__read_file"];
  const checked = await run([...words, ...flags.split(" ").filter(Boolean)], { files: all });
  expect([checked.exitCode, checked.stdout.split("\n")[0]]).toEqual([exitCode, text]);
});

test("policy list says whose calls a rule is about", async () => {
  const people = JSON.stringify({
    rules: [{ server: "files", owner: ["ada", "ci-*"], group: "ops", action: "deny" }],
  });
  const all = { "home/.scorpiox/policy.jsonc": people };
  const { stdout } = await run(["policy", "list"], { files: all });
  expect(stdout).toContain(
    `deny  *  server files  owner ada, ci-*  group ops  every call  # ${rule(1)}\n`,
  );
  const { stdout: json } = await run(["policy", "list", "--json"], { files: all });
  expect(JSON.parse(json)).toMatchObject({
    rules: [{ tools: ["*"], servers: ["files"], owners: ["ada", "ci-*"], groups: ["ops"] }],
  });
});
