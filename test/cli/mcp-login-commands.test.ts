import { expect, test } from "bun:test";

import { run } from "./fake-io.ts";

const toml = `
[mcp.servers.program]
command = "npx"

[mcp.servers.keyed]
url = "https://keyed.test/mcp"
headers = { authorization = "Bearer x" }

[mcp.servers.unset]
url = "https://\${NOT_SET_ANYWHERE}/mcp"

[mcp.servers.plain]
url = "http://plain.test/mcp"
`;
const files = {
  "home/.scorpiox/config.toml": toml,
  "project/.mcp.json": JSON.stringify({ mcpServers: { theirs: { url: "https://theirs.test/" } } }),
};
const env = { SCORPIOX_SECRETS: "file" };

test.each<[string, number, string]>([
  ["mcp login", 2, "an argument is missing"],
  ["mcp login nobody", 3, "There is no server"],
  ["mcp login program", 2, "is a program on this machine"],
  ["mcp login keyed", 2, "has an authorization header of its own"],
  ["mcp login unset", 1, "NOT_SET_ANYWHERE is not set"],
  ["mcp login plain", 1, "The server is not https: http://plain.test/mcp"],
  ["mcp login theirs", 4, "needs approval: scorpiox-code mcp approve theirs"],
  ["mcp login plain --port 0", 2, "is not a port"],
  ["mcp login plain --client-metadata x", 2, "begins with https://"],
  ["mcp logout plain", 3, "There is no login to plain"],
  ["mcp secrets", 2, "an argument is missing"],
  ["mcp secrets set", 2, "Give a name"],
  ["mcp secrets set a=b", 2, "is not a valid name of a secret"],
  ["mcp secrets list x", 2, "takes no name"],
  ["mcp secrets rm x", 3, "No secret named"],
  ["mcp secrets what", 2, "There is no mcp secrets"],
  ["mcp secrets migrate", 1, "no keychain"],
])("%s: %d", async (line, exitCode, text) => {
  const ended = await run(line.split(" "), { files, env, cwd: "project" });
  expect([ended.exitCode, ended.stdout]).toEqual([exitCode, ""]);
  expect(ended.stderr).toContain(text);
});

test.each<[string, string, number]>([
  ["a line", "canary\n", 0],
  ["several", "-----BEGIN\ncanary\n-----END\n", 0],
  ["nothing", "\n", 2],
  ["too much", "canary".repeat(60_000), 1],
])("a secret of %s from stdin is not repeated", async (_, stdin, exitCode) => {
  const ended = await run(["mcp", "secrets", "set", "a b", "--json"], {
    files,
    env,
    stdin: [stdin],
  });
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.stdout + ended.stderr).not.toContain("canary");
  if (exitCode === 0) expect(JSON.parse(ended.stdout)).toEqual({ name: "a b", place: "file" });
});
