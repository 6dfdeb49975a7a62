import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { envelope, isError, metaKeys, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { contentsText, isUpdateOf } from "./harness/resources.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

/** A server with a project of its own as the workspace. */
class PlanServer extends Server {
  readonly project: string;

  constructor(home: TempFolder, args: readonly string[] = []) {
    const project = join(home.path, "project");
    mkdirSync(project, { recursive: true });
    super({ home, cwd: project, args });
    this.project = project;
  }

  plan(action: string, more: Readonly<Record<string, unknown>> = {}): Promise<ServerMessage> {
    return this.call("PlanMode", { action, ...more });
  }

  /** Enters, writes a plan, and returns the plan's file. */
  async planned(text = "1. First\n"): Promise<string> {
    const entered = textOf(await this.plan("enter", { goal: "Tidy up" }));
    const planFile = /^Plan file: (.*)$/m.exec(entered)?.[1] ?? "";
    writeFileSync(planFile, text);
    return planFile;
  }
}

async function stateOf(server: PlanServer): Promise<Record<string, unknown>> {
  return JSON.parse(textOf(await server.plan("json"))) as Record<string, unknown>;
}

async function isActive(server: PlanServer): Promise<unknown> {
  return (await stateOf(server))["active"];
}

/** The form that the client is asked to fill in, and what it is asked for. */
interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, unknown>> };
}

function formOf(asked: ServerMessage): Form {
  return asked.params as unknown as Form;
}

/** An answer that chooses `label` in the first field. */
function choose({ requestedSchema }: Form, label: string): object {
  const [field = ""] = Object.keys(requestedSchema.properties);
  return { action: "accept", content: { [field]: label } };
}

const isQuestion = ({ method }: ServerMessage): boolean => method === "elicitation/create";
const elicitation = { elicitation: { form: {} } };

/** Asks for the end of plan mode; the client is asked about it. */
async function askToExit(
  server: Server,
): Promise<{ readonly id: string | number; readonly question: ServerMessage }> {
  const questions = (): readonly ServerMessage[] => server.messages.filter(isQuestion);
  const before = questions().length;
  const id = server.start("tools/call", { name: "PlanMode", arguments: { action: "exit" } });
  await server.message("a question", () => questions().length > before);
  return { id, question: questions()[before] as ServerMessage };
}

describe("PlanMode", () => {
  const home = new TempFolder();
  /** Of a client that cannot be asked, and of one that can, in the same workspace. */
  let plain: PlanServer;
  let asking: PlanServer;
  beforeAll(async () => {
    plain = new PlanServer(home);
    asking = new PlanServer(home);
    await plain.initialize();
    await asking.initialize("2025-11-25", "e2e", elicitation);
  });
  // Whatever a test has left.
  beforeEach(() => plain.plan("reset"));
  afterAll(async () => {
    for (const server of [plain, asking]) await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  test("[plan.enter] makes a file with the goal", async () => {
    using empty = new TempFolder();
    await using server = new PlanServer(empty);
    await server.initialize();
    const reply = await server.plan("enter", { goal: "Tidy up" });
    expect(textOf(reply)).toStartWith("Plan mode activated\n");
    const plans = join(server.project, ".scorpiox/plans");
    const [name = "", ...others] = readdirSync(plans);
    expect([name.replace(/^\d{4}-\d\d-\d\d/, "date"), others]).toEqual(["date-tidy-up.md", []]);
    expect(readFileSync(join(plans, name), "utf8")).toStartWith("# Plan: Tidy up\n");
    expect(isError(await server.plan("enter", { goal: "More" }))).toBe(true);
  });

  test("[plan.approve] a client that cannot be asked gets the plan at once", async () => {
    await plain.planned();
    const text = textOf(await plain.plan("exit"));
    expect(text).toStartWith("Plan mode ended. Nobody could be asked.");
    expect(text).toEndWith("\n\n1. First\n");
    expect(await isActive(plain)).toBe(false);
  });

  test.each([
    ["[plan.approve] approved", "Approve", "Plan mode ended. The user approved.", false],
    ["[plan.refused] refused", "Keep planning", "The user wants more work on the plan.", true],
  ])("in a session: %s", async (_name, label, text, active) => {
    await asking.planned();
    const { id, question } = await askToExit(asking);
    const form = formOf(question);
    expect(form.message).toContain("1. First");
    asking.send({ jsonrpc: "2.0", id: question.id, result: choose(form, label) });
    expect(textOf(await asking.reply(id))).toStartWith(text);
    expect(await isActive(asking)).toBe(active);
  });

  test.each([
    ["[plan.approve] approved", "Approve", "Plan mode ended. The user approved.", false],
    ["[plan.refused] refused", "Keep planning", "The user wants more work on the plan.", true],
  ])("without a session: %s", async (_name, label, text, active) => {
    const _meta = { ...envelope, [metaKeys.capabilities]: elicitation };
    const call = (more: object): Promise<ServerMessage> =>
      plain.request("tools/call", { name: "PlanMode", _meta, ...more });
    await call({ arguments: { action: "enter", goal: "Tidy up" } });
    const shown = await call({ arguments: { action: "json" } });
    const { plan_file: planFile } = JSON.parse(textOf(shown)) as { plan_file: string };
    writeFileSync(planFile, "1. First\n");
    const round = await call({ arguments: { action: "exit" } });
    const { inputRequests, requestState } = round.result as unknown as {
      inputRequests: Record<string, { params: Form }>;
      requestState: string;
    };
    const inputResponses = Object.fromEntries(
      Object.entries(inputRequests).map(([key, { params }]) => [key, choose(params, label)]),
    );
    const reply = await call({ arguments: { action: "exit" }, inputResponses, requestState });
    expect(textOf(reply)).toStartWith(text);
    expect(JSON.parse(textOf(await call({ arguments: { action: "json" } })))).toMatchObject({
      active,
    });
  });

  test("[plan.kept] counts for a second server and survives a restart", async () => {
    await using one = new PlanServer(home);
    await one.initialize();
    const planFile = await one.planned();
    expect(await stateOf(plain)).toMatchObject({
      active: true,
      plan_file: planFile,
    });
    one.signal("SIGKILL");
    await one.exited;
    await using three = new PlanServer(home);
    await three.initialize();
    expect(await stateOf(three)).toMatchObject({ goal: "Tidy up" });
    expect(textOf(await three.plan("reset"))).toContain(planFile);
    expect(await isActive(plain)).toBe(false);
    expect(existsSync(planFile)).toBe(true);
  });

  test.each<[string, (server: Server, asked: ServerMessage) => void]>([
    ["goes away", (server) => server.endInput()],
    [
      "fails",
      (server, { id }) =>
        server.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }),
    ],
    [
      "declines at once",
      (server, { id }) => server.send({ jsonrpc: "2.0", id, result: { action: "decline" } }),
    ],
  ])("[plan.refused] a client that %s while it is asked has not approved", async (_name, act) => {
    // Its own server: who has declined so fast may be asked in another way from then on.
    await using one = new PlanServer(home);
    await one.initialize("2025-11-25", "e2e", elicitation);
    await one.planned();
    const { id, question } = await askToExit(one);
    act(one, question);
    await Promise.race([one.reply(id).catch(() => undefined), one.exited]);
    expect(await isActive(plain)).toBe(true);
  });

  test("[plan.approve] what was approved ends no plan mode that began meanwhile", async () => {
    await asking.planned();
    const { id, question } = await askToExit(asking);
    await plain.plan("reset");
    await plain.plan("enter", { goal: "Something else" });
    asking.send({ jsonrpc: "2.0", id: question.id, result: choose(formOf(question), "Approve") });
    expect(textOf(await asking.reply(id))).toContain("Plan mode has been started again");
    expect(await isActive(plain)).toBe(true);
  });

  test("[plan.kept] a name for the workspace keeps it apart from its folder", async () => {
    await using named = new PlanServer(home, ["--workspace", "docs"]);
    await named.initialize();
    await named.planned();
    expect([await isActive(named), await isActive(plain)]).toEqual([true, false]);
  });

  test("[plan.contained] no file outside is read or written", async () => {
    const outside = join(home.path, "outside.md");
    const targets = [outside, "../outside.md", "/etc/passwd", "../../../../etc/passwd", "link.md"];
    symlinkSync("/etc/passwd", join(plain.project, "link.md"));
    for (const plan_file of targets) {
      for (const action of ["enter", "exit"]) {
        const reply = await plain.plan(action, { goal: "Tidy up", plan_file });
        expect([plan_file, action, isError(reply)]).toEqual([plan_file, action, true]);
        expect(textOf(reply)).not.toContain("root:");
      }
    }
    await plain.planned();
    for (const plan_file of targets) {
      expect(isError(await plain.plan("exit", { plan_file }))).toBe(true);
    }
    expect(existsSync(outside)).toBe(false);
  });

  test("[plan.resource] subscribers are told", async () => {
    const uri = "scorpiox://plan";
    await plain.request("resources/subscribe", { uri });
    const planFile = await plain.planned();
    await plain.message("the update", isUpdateOf(uri));
    const text = contentsText(await plain.request("resources/read", { uri }));
    expect(JSON.parse(text)).toMatchObject({ active: true, goal: "Tidy up", plan_file: planFile });
  });
});
