import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { hasPostgres, Postgres } from "../support/engines/postgres.ts";
import { faultyBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { envelope, isError, metaKeys, structuredOf, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { newDatabase } from "./harness/test-fleet.ts";

setDefaultTimeout(testMsMax);

const fleet = ["--workspace", "fleet"];

async function task(server: HttpServer, args: object): Promise<ServerMessage> {
  const params = { name: "TaskManager", arguments: { query: "", ...args } };
  return onlyMessage(await server.modern("tools/call", params));
}

describe.skipIf(!hasPostgres)("replicas with one PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.start();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("[fleet.store] tasks and plan mode are the same for all", async () => {
    const env = { STORE_URL: await newDatabase(postgres, "tasks") };
    using shared = new TempFolder();
    // The plan itself is a file: on a volume that both have.
    await using one = await HttpServer.start({ args: fleet, env, home: shared });
    await using other = await HttpServer.start({ args: fleet, env, home: shared });
    await task(one, { action: "create", text: "write parser" });
    expect(structuredOf(await task(other, { action: "list" }))).toMatchObject({
      tasks: [{ taskId: 1, text: "write parser" }],
    });
    // A person at a terminal is nobody's principal, on whichever machine.
    const homes = [new TempFolder(), new TempFolder()] as const;
    const stdin = new Blob(['[{"text":"of the command line"}]']);
    await runProduct(homes[0], ["tasks", "import", "-", ...fleet], { env, stdin });
    const listed = await runProduct(homes[1], ["tasks", "list", ...fleet], { env });
    expect(listed.stdout).toBe("[ ] 1. of the command line\n");
    for (const home of homes) home[Symbol.dispose]();
    const plan = { name: "PlanMode", arguments: { action: "enter", goal: "a plan" } };
    expect(isError(onlyMessage(await one.modern("tools/call", plan)))).toBe(false);
    const status = { name: "PlanMode", arguments: { action: "status" } };
    expect(textOf(onlyMessage(await other.modern("tools/call", status)))).toContain("a plan");
  });

  test("[fleet.store] a URL that is not understood", async () => {
    const ended = await HttpServer.run({
      env: { STORE_URL: "postgres://user:secret@host/db?sslmod=require" },
    });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain("STORE_URL cannot be used: the parameter sslmod is not known");
    expect(ended.stderr).not.toContain("secret");
  });

  test("[fleet.tokens] made and revoked on the command line", async () => {
    using home = new TempFolder();
    const env = { STORE_URL: await newDatabase(postgres, "tokens") };
    const added = await runProduct(home, ["token", "add", "ada", "--json"], { env });
    const { token } = JSON.parse(added.stdout) as { token: string };
    await using one = await HttpServer.start({ args: fleet, env });
    await using other = await HttpServer.start({ args: fleet, env });
    const clients = [one.client.withToken(token), other.client.withToken(token)];
    const statuses = (): Promise<number[]> =>
      Promise.all(clients.map(async (client) => (await client.modern("tools/list")).status));
    expect(await statuses()).toEqual([200, 200]);
    expect((await one.client.modern("tools/list")).status).toBe(401);
    await runProduct(home, ["token", "revoke", "ada"], { env });
    await eventually("the end of the token", async () => (await statuses()).join() === "401,401");
  });

  test("[fleet.store-away] [team.ready] and back", async () => {
    const env = { STORE_URL: postgres.url };
    await using server = await HttpServer.start({ args: fleet, env });
    const ready = async (): Promise<string> =>
      (await (await fetch(new URL("/readyz", server.url))).text()).trim();
    await eventually("ready", async () => (await ready()) === "ready");
    await task(server, { action: "create", text: "a" });
    await postgres.kill();
    const refused = await task(server, { action: "create", text: "b" });
    expect(isError(refused)).toBe(true);
    expect(textOf(refused)).toMatch(/PostgreSQL at .* cannot be used: .* Nothing was changed\./);
    const bash = { name: "Bash", arguments: { command: "echo works" } };
    expect(textOf(onlyMessage(await server.modern("tools/call", bash)))).toContain("works");
    await eventually("degraded", async () => (await ready()) === "degraded");
    await postgres.start();
    const isBack = async (): Promise<boolean> =>
      !isError(await task(server, { action: "create", text: "c" }));
    await eventually("the store", isBack);
    await eventually("ready", async () => (await ready()) === "ready");
    expect(structuredOf(await task(server, { action: "list" }))).toMatchObject({ total: 2 });
  });

  test("[fleet.answer-once] over two replicas, at the same moment", async () => {
    using home = new TempFolder();
    const env = { STORE_URL: postgres.url };
    const start = (): Server => new Server({ binary: faultyBinary, home, env });
    await using one = start();
    await using other = start();
    await answerTwice(one, other);
  });
});

describe("[fleet.answer-once] processes of one user", () => {
  test("one after the other, and at the same moment", async () => {
    using home = new TempFolder();
    await using one = new Server({ binary: faultyBinary, home });
    await using other = new Server({ binary: faultyBinary, home });
    await answerTwice(one, other);
  });
});

const capabilities = { elicitation: { form: {} } };

function greet(server: Server, more: object = {}): Promise<ServerMessage> {
  const _meta = { ...envelope, [metaKeys.capabilities]: capabilities };
  return server.request("tools/call", { name: "AskingGreet", arguments: {}, ...more, _meta });
}

async function answerTwice(one: Server, other: Server): Promise<void> {
  const { result } = await greet(one);
  const answered = {
    inputResponses: { reply: { action: "accept", content: { name: "Ada" } } },
    requestState: result?.["requestState"],
  };
  const replies = await Promise.all([greet(one, answered), greet(other, answered)]);
  const said = replies.map(
    ({ error, ...reply }) => error?.message ?? textOf(reply as ServerMessage),
  );
  const refusal = "Invalid params: requestState was used before; make the call again without";
  expect(said.toSorted()).toEqual(["Hello, Ada", refusal]);
  expect((await greet(other, answered)).error?.message).toBe(refusal);
}
