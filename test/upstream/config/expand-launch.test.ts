import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";

import { expandedTextCharsMax, expansionDepthMax } from "../../../src/base/upstream-limits.ts";
import { expandLaunch } from "../../../src/upstream/config/expand-launch.ts";
import { mergeEntries } from "../../../src/upstream/config/load-upstream-config.ts";
import { readEntry } from "../../../src/upstream/config/read-entry.ts";
import type { ConfiguredServer } from "../../../src/upstream/config/server-entry.ts";
import type { ExpansionContext } from "../../../src/upstream/config/text-expander.ts";

const secrets = new Map([
  ["k", "kept-secret"],
  ["input/n", "typed-secret"],
  ["locked", "throws"],
]);

const context: ExpansionContext = {
  env: {
    A: "1",
    EMPTY: "",
    BLANKS: " /bin/run\n",
    SPACED: "a b; $(id) ${A}",
    API_TOKEN: "token-value",
    SCORPIOX_TOKEN: "ours",
    scorpiox_token: "ours",
    LONG: "x".repeat(1000),
    "ProgramFiles(x86)": "C:\\P",
    LINES: "a\r\nb",
  },
  homeDir: "/home/me",
  projectDir: "/work/p",
  secrets: {
    get: (name) =>
      name === "locked"
        ? Promise.reject(new Error("the keychain is locked"))
        : Promise.resolve(secrets.get(name)),
  },
  runCommand: (command) =>
    command === "fail"
      ? Promise.reject(new Error("exit 1"))
      : Promise.resolve(`out of ${command}\n`),
};

function server(value: object, trust: "user" | "project" = "user"): ConfiguredServer {
  const origin = { rank: trust === "user" ? 1 : 4, trust, scope: "global" } as const;
  const entry = readEntry({ name: "s", value }, origin, { warn: () => {} });
  const [only] = mergeEntries([entry], () => {}).values();
  if (only === undefined) throw new Error("no server");
  return only;
}

/** What an argument becomes, or which variable is missing. */
async function expandedArg(text: string, trust?: "user" | "project"): Promise<string> {
  const expanded = await expandLaunch(server({ command: "x", args: [text] }, trust), context);
  if (expanded.kind === "needs_config") return `needs ${expanded.variable}`;
  return expanded.launch.transport === "stdio" ? (expanded.launch.args[0] ?? "") : "";
}

const nested = (depth: number): string => (depth === 0 ? "end" : `\${UNSET:-${nested(depth - 1)}}`);

describe("expandLaunch()", () => {
  test.each([
    ["plain", "plain"],
    ["", ""],
    ["${A}", "1"],
    ["a${A}b${A}c", "a1b1c"],
    ["$A $ $$ $} {", "$A $ $$ $} {"],
    ["$${A} $$${A}", "${A} $${A}"],
    ["${env:A}", "1"],
    ["${EMPTY}", ""],
    ["${EMPTY:-d}", "d"],
    ["${UNSET:-d}", "d"],
    ["${UNSET:-}", ""],
    ["${UNSET:-a:-b}", "a:-b"],
    ["${UNSET:-${A}}", "1"],
    ['${UNSET:-{"a":{}}}', '{"a":{}}'],
    ["${env:UNSET:-x}", "x"],
    ["${SPACED}", "a b; $(id) ${A}"],
    ["${ProgramFiles(x86)}", "C:\\P"],
    ["${workspaceFolder}/x", "/work/p/x"],
    ["${userHome}", "/home/me"],
    ["${CLAUDE_PROJECT_DIR:-.}", "/work/p"],
    ["${keyring:k}", "kept-secret"],
    ["${input:n}", "typed-secret"],
    ["${cmd:pass show {x}}", "out of pass show {x}"],
    [nested(expansionDepthMax), "end"],
    ["~/x", "~/x"],
    // Never the literal text.
    ["${UNSET}", "needs UNSET"],
    ["${toString}", "needs toString"],
    ["${UNSET:-${ALSO}}", "needs ALSO"],
    ["${keyring:none}", "needs keyring:none"],
    ["${keyring:locked}", "needs keyring:locked"],
    ["${input:none}", "needs input:none"],
    ["${cmd:fail}", "needs cmd:fail"],
    ["${cmd:}", "needs ${cmd:}"],
    ["${}", "needs ${}"],
    ["${A", "needs ${A"],
    ["${A:-", "needs ${A:-"],
    ["${a-b}", "needs ${a-b}"],
    ["${unknown:x}", "needs ${unknown:x}"],
    ["${keyring:a\nb}", "needs ${keyring:a\nb}"],
    [nested(expansionDepthMax + 1), "needs UNSET"],
    ["${LONG}".repeat(expandedTextCharsMax / 1000 + 1), "needs LONG"],
  ])("%.60j is %.60j", async (text, result) => {
    expect(await expandedArg(text)).toBe(result);
  });

  test.each([
    ["${A}", "1"],
    ["${API_TOKEN}", "token-value"],
    ["${SCORPIOX_TOKEN}", "needs SCORPIOX_TOKEN"],
    ["${scorpiox_token}", "needs scorpiox_token"],
    ["${keyring:k}", "needs keyring:k"],
    ["${cmd:x}", "needs cmd:x"],
    // What was typed for another launch is not this one's.
    ["${input:n}", "needs input:n"],
  ])("for a project %s is %s", async (text, result) => {
    expect(await expandedArg(text, "project")).toBe(result);
  });

  test("stdio: a command is trimmed when it is filled in, arguments are not", async () => {
    const expanded = await expandLaunch(
      server({ command: "${BLANKS}", args: ["${BLANKS}"] }),
      context,
    );
    expect(expanded).toMatchObject({ launch: { command: "/bin/run", args: [" /bin/run\n"] } });
    const empty = await expandLaunch(server({ command: "${EMPTY} " }), context);
    expect(empty).toMatchObject({ kind: "needs_config", variable: "command" });
  });

  test("stdio: every part, a home in command and cwd, cwd below the project", async () => {
    const written = {
      command: "~/bin/${A}",
      args: ["${A}"],
      env: { LOG: "${A}", MY_KEY: "k-${A}", OTHER: "${API_TOKEN}" },
      cwd: "sub/${A}",
    };
    const expanded = await expandLaunch(server(written), context);
    expect(expanded).toMatchObject({
      kind: "ready",
      launch: {
        transport: "stdio",
        command: "/home/me/bin/1",
        args: ["1"],
        env: { LOG: "1", MY_KEY: "k-1", OTHER: "token-value" },
        cwd: "/work/p/sub/1",
      },
      secrets: ["token-value", "k-1"],
    });
  });

  test.each([
    [{ projectDir: undefined }, undefined, "/home/me"],
    [{}, "~/x", "/home/me/x"],
    [{}, "/abs", "/abs"],
    [{}, undefined, "/work/p"],
  ])("cwd with %j of %p is %s", async (parts, cwd, result) => {
    const written = { command: "x", ...(cwd !== undefined && { cwd }) };
    const expanded = await expandLaunch(server(written), { ...context, ...parts });
    expect(expanded).toMatchObject({ launch: { cwd: result } });
  });

  test("http: headers are secret, with and without their scheme; passwords too", async () => {
    const written = {
      url: "https://u:p%40ss@${UNSET:-h}/mcp?t=${API_TOKEN}",
      headers: { Authorization: "Bearer ${keyring:k}", "X-Id": " ${cmd:id}" },
    };
    const expanded = await expandLaunch(server(written), context);
    expect(expanded).toMatchObject({
      kind: "ready",
      launch: {
        transport: "http",
        url: "https://u:p%40ss@h/mcp?t=token-value",
        headers: { Authorization: "Bearer kept-secret", "X-Id": "out of id" },
      },
      secrets: [
        "token-value",
        "kept-secret",
        "out of id",
        "Bearer kept-secret",
        "p%40ss",
        "p@ss",
        "u:p%40ss",
      ],
    });
  });

  test("what looks like a secret in arguments, addresses and values is one; plain words are none", async () => {
    const of = async (written: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const expanded = await expandLaunch(server(written), context);
      return expanded.kind === "ready" ? expanded.secrets : expanded;
    };
    const token = `pypi-${"x1".repeat(12)}`;
    const args = ["--api-key", "k3y-of-mine", "--auth", "none", "--token='q uoted 1'", token];
    const env = { DSN: "postgres://u:geheim123@h/db", MODE: "plain" };
    expect(await of({ command: "c", args, env })).toEqual([
      "k3y-of-mine",
      "q uoted 1",
      token,
      "u:geheim123",
    ]);
    const url = "https://h.test/s/Zk9xQ2v7TnB4LmW8pR3yHd/mcp?api_key=abcd1234&mode=plain";
    expect(await of({ url })).toEqual(["Zk9xQ2v7TnB4LmW8pR3yHd", "abcd1234"]);
  });

  test.each([
    [{ url: "${A}" }, "url", "It has an invalid url once it is filled in."],
    [
      { url: "${UNSET:-file:}///etc" },
      "url",
      "It has a url with file:; only http: and https: are possible once it is filled in.",
    ],
    [
      { url: "https://h", headers: { A: "${LINES}" } },
      "headers.A",
      "The header A has a line break once it is filled in.",
    ],
    [{ command: "${EMPTY}" }, "command", "Its command is empty once it is filled in."],
  ])("%j needs %s", async (written, variable, text) => {
    expect(await expandLaunch(server(written), context)).toMatchObject({
      kind: "needs_config",
      variable,
      text,
    });
  });

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const service = { grant: "client_credentials", client_id: "id" };

  test.each<[string, object, readonly string[]]>([
    ["a secret", { client_secret: "x-${keyring:k}" }, ["kept-secret", "x-kept-secret"]],
    ["a key", { private_key: pem }, [pem.trim()]],
    ["what it trades", { grant: "workload", workload_token: " ${keyring:k}\n" }, ["kept-secret"]],
    [
      "what a company says",
      {
        grant: "enterprise",
        client_secret: "s",
        idp_issuer: "https://idp.test",
        idp_client_id: "me",
        idp_client_secret: "${cmd:a}",
        id_token: "${keyring:k}",
      },
      ["kept-secret", "out of a", "s"],
    ],
    [
      "nothing, for a person",
      { grant: "authorization_code", client_secret: "${keyring:none}" },
      [],
    ],
  ])("a login that nobody makes has %s in it, which is secret", async (_, oauth, hidden) => {
    const written = { url: "https://h/mcp", oauth: { ...service, ...oauth } };
    const expanded = await expandLaunch(server(written), context);
    expect(expanded).toMatchObject({ kind: "ready", secrets: hidden });
  });

  test.each([
    [{ client_secret: "${keyring:none}" }, "keyring:none", "The secret none is not there"],
    [{ client_secret: "${EMPTY}" }, "client_secret", "Its client_secret is empty."],
    [{ private_key: "${keyring:k}" }, "private_key", "-----BEGIN PRIVATE KEY-----"],
    [{ private_key: pem, algorithm: "RS256" }, "private_key", "cannot do RS256"],
    [{ private_key_file: "id.pem" }, "private_key_file", "needs an absolute path"],
    [{ private_key_file: "~/none.pem" }, "private_key_file", "/home/me/none.pem"],
    [{ grant: "workload", workload_token: "${EMPTY}" }, "workload_token", "is empty"],
    [{ grant: "workload", workload_token_file: "/none" }, "workload_token_file", "is not there"],
  ])("a login that nobody makes, with %j, needs %s", async (oauth, variable, text) => {
    const written = { url: "https://h/mcp", oauth: { ...service, ...oauth } };
    expect(await expandLaunch(server(written), context)).toEqual({
      kind: "needs_config",
      variable,
      text: expect.stringContaining(text),
    });
  });

  test("a command runs once however often it is named", async () => {
    const commands: string[] = [];
    const runCommand = (command: string): Promise<string> => {
      commands.push(command);
      return Promise.resolve("out");
    };
    const written = { command: "x", args: ["${cmd:c}", "${cmd:c}"], env: { A: "${cmd:c}" } };
    await expandLaunch(server(written), { ...context, runCommand });
    expect(commands).toEqual(["c"]);
  });
});
