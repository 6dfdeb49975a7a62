import { expect, test } from "bun:test";

import { questionTextCharsMax } from "../../src/base/limits.ts";
import type { StartUp } from "../../src/cli/start-up.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import type { StateServices } from "../../src/calls/state-calls.ts";
import { UpstreamConsent } from "../../src/compose/upstream-consent.ts";
import type { UpstreamSnapshot } from "../../src/upstream/snapshot.ts";
import { TrustStore } from "../../src/upstream/trust/trust-store.ts";
import { TempTree } from "../config/temp-tree.ts";
import { eventually } from "../e2e/harness/conditions.ts";

const config = "project/.mcp.json";
const text = (...args: readonly string[]): string =>
  JSON.stringify({ mcpServers: { own: { command: "node", args } } });

/** What was asked and told when a client looks for tools of a server of the project; `answer` is chosen. */
async function asked(
  tree: TempTree,
  answer: string,
  meanwhile: () => void = () => {},
): Promise<{ readonly questions: readonly string[]; readonly warnings: readonly string[] }> {
  const questions: string[] = [];
  const warnings: string[] = [];
  let isDone = false;
  const service = {
    ask: (request: { readonly questions: readonly { readonly question: string }[] }) => {
      questions.push(request.questions[0]?.question ?? "");
      meanwhile();
      const answers = [{ labels: [answer], other: null }];
      return Promise.resolve({ outcome: "answered", rung: "terminal", answers });
    },
  };
  const scorpioxDir = tree.path("home/.scorpiox");
  const dirs = { homeDir: tree.path("home"), scorpioxDir, executableDir: tree.path("bin") };
  const upstream = { configFiles: [], isStrict: false, trustsProject: false };
  const consent = new UpstreamConsent({
    start: () =>
      ({ dirs: { ...dirs, projectDir: tree.path("project") }, upstream }) as unknown as StartUp,
    env: {},
    questions: () => Promise.resolve(service as unknown as StateServices["questions"]),
    warn: (message) => void warnings.push(message),
  });
  const snapshot = { servers: [{ name: "own", state: "untrusted" }] };
  const call = { client: {}, ask: { endsCall: true, can: () => true, mark: () => {} } };
  await consent
    .check(call as unknown as CallRequest, snapshot as unknown as UpstreamSnapshot)
    ?.then(() => (isDone = true));
  await eventually("the end of asking", () => isDone);
  return { questions, warnings };
}

const verdict = async (tree: TempTree): Promise<string | undefined> => {
  const stdout = await identityOf(tree);
  return new TrustStore(tree.path("home/.scorpiox")).launchVerdict(stdout, tree.path("project"));
};

async function identityOf(tree: TempTree): Promise<string> {
  const { launchIdentity } = await import("../../src/upstream/config/entry-launch.ts");
  const { args } = (
    JSON.parse(await Bun.file(tree.path(config)).text()) as {
      mcpServers: { own: { args: string[] } };
    }
  ).mcpServers.own;
  return launchIdentity({ transport: "stdio", command: "node", args, env: {} });
}

test.each([
  ["Approve", "approved"],
  ["Deny", "denied"],
  ["Not now", undefined],
])("[GW-22] %s is recorded as %p", async (answer, expected) => {
  using tree = new TempTree({ [config]: text("a.js") });
  const { questions } = await asked(tree, answer);
  expect(questions[0]).toContain('  argument  "a.js"\n');
  expect(await verdict(tree)).toBe(expected);
});

test("[GW-22] the answer is for what was shown, and not for what the file says by then", async () => {
  using tree = new TempTree({ [config]: text("a.js") });
  await asked(tree, "Approve", () => tree.put(config, text("b.js")));
  expect(await verdict(tree)).toBeUndefined();
  tree.put(config, text("a.js"));
  expect(await verdict(tree)).toBe("approved");
});

test("a command is not asked: it is done before anybody answers", () => {
  const consent = new UpstreamConsent({
    start: () => ({}) as StartUp,
    env: {},
    questions: () => Promise.reject(new Error("asked")),
    warn: (message) => expect(message).toBe(""),
  });
  const snapshot = { servers: [{ name: "own", state: "untrusted" }] };
  const call = { client: {} } as unknown as CallRequest;
  expect(consent.check(call, snapshot as unknown as UpstreamSnapshot)).toBeUndefined();
});

test("[GW-22] a launch that is too long for a question is not asked about", async () => {
  using tree = new TempTree({ [config]: text("x".repeat(questionTextCharsMax), "&& evil") });
  const { questions, warnings } = await asked(tree, "Approve");
  expect(questions).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("scorpiox-code mcp approve own")]);
  expect(await verdict(tree)).toBeUndefined();
});
