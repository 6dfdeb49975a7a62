import { expect, setDefaultTimeout, test } from "bun:test";

import { startRedis } from "../support/engines/redis.ts";
import { eventually } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { runProduct } from "./harness/run-product.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const tokens = ["anna anna-0123456789abcdef", "ben ben-0123456789abcdef"];

const fleetKey = Buffer.alloc(32, 7).toString("base64");

function replica(home: TempFolder, sharedUrl: string): Promise<HttpServer> {
  return HttpServer.start({
    home,
    tokens,
    env: { SHARED_URL: sharedUrl, FLEET_KEY: fleetKey },
  });
}

async function call(
  server: HttpServer,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  return textOf(onlyMessage(await server.modern("tools/call", { name, arguments: args })));
}

test("[fleet.places] a background task is listed, read and ended from every replica", async () => {
  await using redis = await startRedis();
  using one = new TempFolder();
  using other = new TempFolder();
  await using first = await replica(one, redis.url);
  await using second = await replica(other, redis.url);
  const seconds = uniqueSeconds();
  const command = `echo begun; pwd; exec sleep ${seconds}`;
  expect(await call(first, "BackgroundBash", { command })).toContain("1");
  await eventually("its output", async () =>
    (await call(second, "ReadBgOutput", { task_id: 1 })).includes("begun"),
  );
  expect(await call(second, "ListBgTasks", {})).toContain(seconds);
  expect(await call(second, "Bash", { command: "echo here" })).toContain("here");
  expect(await call(second, "KillBgTask", { task_id: 1 })).toContain("1");
  await allGone(`sleep ${seconds}`);
});

test("[fleet.lost] when a replica is gone, another one knows its tasks as lost and fires its callbacks", async () => {
  await using redis = await startRedis();
  using one = new TempFolder();
  using other = new TempFolder();
  await using first = await replica(one, redis.url);
  await using second = await replica(other, redis.url);
  const seconds = uniqueSeconds();
  await call(first, "BackgroundBash", { command: `exec sleep ${seconds}` });
  await call(first, "BackgroundBash", { command: "echo over" });
  await eventually("the end of the second", async () =>
    (await call(first, "ListBgTasks", {})).includes("exited"),
  );
  await call(first, "SetCallback", {
    action: "set",
    message: "look again",
    delay_seconds: 1,
    repeat_count: 1,
  });
  first.signal("SIGKILL");
  const left = await eventually("the next holder", async () => {
    const text = await call(second, "ListBgTasks", {});
    return text.includes("lost") && text.includes("look again") ? text : undefined;
  });
  expect(left).toContain(seconds);
  expect(await call(second, "ReadBgOutput", { task_id: 1 })).toContain(
    "The replica that ran this task is gone, and its output with it. It was running",
  );
  expect(await call(second, "ReadBgOutput", { task_id: 2 })).toContain(
    "It had ended before (exited with exit code 0).",
  );
  // Ids are not used again.
  expect(await call(second, "BackgroundBash", { command: "true" })).toContain("3");
  await allGone(`sleep ${seconds}`);
});

test("[fleet.places] a revoked token ends its tasks, also when the replica at which they were asked for is gone", async () => {
  await using redis = await startRedis();
  using home = new TempFolder();
  const added = await runProduct(home, ["token", "add", "carl", "--json"]);
  const { token } = JSON.parse(added.stdout) as { token: string };
  await using first = await replica(home, redis.url);
  await using second = await replica(home, redis.url);
  const params = (command: string) => ({ name: "BackgroundBash", arguments: { command } });
  const seconds = uniqueSeconds();
  await first.client.withToken(token).modern("tools/call", params("true"));
  await second.client.withToken(token).modern("tools/call", params(`exec sleep ${seconds}`));
  await eventually("it runs", () => sleepers(seconds) === 1);
  second.signal("SIGKILL");
  await second.ended();
  await runProduct(home, ["token", "revoke", "carl"]);
  await allGone(`sleep ${seconds}`);
});

test("[principals.growth] a second principal at one replica ends what the first runs at another", async () => {
  await using redis = await startRedis();
  using home = new TempFolder();
  using other = new TempFolder();
  const [anna = "", ben = ""] = tokens;
  const env = { SHARED_URL: redis.url, FLEET_KEY: fleetKey };
  await using first = await HttpServer.start({ home, tokens: [anna], env });
  await using second = await HttpServer.start({ home: other, tokens: [anna], env });
  const seconds = uniqueSeconds();
  await call(first, "BackgroundBash", { command: `exec sleep ${seconds}` });
  await eventually("it runs", () => sleepers(seconds) === 1);
  // The first has not heard of it.
  other.write("tokens.txt", `${anna}\n${ben}\n`, 0o600);
  const bens = second.client.withToken(ben.split(" ")[1] ?? "");
  await eventually("the new token", async () => (await bens.modern("tools/list")).status === 200);
  expect(sleepers(seconds)).toBe(0);
});

test("[fleet.leave] a replica that is told to end hands its users over without an error", async () => {
  await using redis = await startRedis();
  using one = new TempFolder();
  using other = new TempFolder();
  await using first = await replica(one, redis.url);
  await using second = await replica(other, redis.url);
  expect(await call(first, "Bash", { command: "echo at first" })).toContain("at first");
  first.signal("SIGTERM");
  for (let number = 0; number < 20; number++)
    expect(await call(second, "Bash", { command: `echo ${number}` })).toContain(`${number}`);
  expect(await first.ended()).toBe(0);
});

test("[fleet.fence] a replica that cannot renew its lease ends its commands, and knows them as lost afterwards", async () => {
  await using redis = await startRedis();
  using home = new TempFolder();
  await using server = await replica(home, redis.url);
  const seconds = uniqueSeconds();
  await call(server, "BackgroundBash", { command: `exec sleep ${seconds}` });
  await eventually("it runs", () => sleepers(seconds) === 1);
  redis.signal("SIGSTOP");
  await allGone(`sleep ${seconds}`, 20_000);
  const refused = onlyMessage(
    await server.modern("tools/call", { name: "Bash", arguments: { command: "true" } }),
  );
  expect(JSON.stringify(refused)).toContain(redis.url.replace("redis://", ""));
  expect(await call(server, "TaskManager", { action: "list", query: "" })).toContain("No tasks");
  redis.signal("SIGCONT");
  const text = await eventually("it is back", async () => {
    const listed = await call(server, "ListBgTasks", {}).catch(() => "");
    return listed.includes("lost") ? listed : undefined;
  });
  expect(text).toContain(seconds);
  expect(await call(server, "Bash", { command: "echo again" })).toContain("again");
});

test("[fleet.places] a call of a legacy session runs at the holder, with progress and questions through the replica at which it arrived", async () => {
  await using redis = await startRedis();
  using one = new TempFolder();
  using other = new TempFolder();
  await using first = await replica(one, redis.url);
  await using second = await replica(other, redis.url);
  one.write(
    ".scorpiox/policy.jsonc",
    '{ "rules": [{ "tool": "Bash", "match": "date", "action": "ask" }] }',
    0o600,
  );
  const session = await first.initialize("2025-11-25", { elicitation: {} });
  const there = session.through(second.client);
  // From now on the first one holds Anna.
  expect(await call(first, "Bash", { command: "echo held" })).toContain("held");
  const command = "for n in 1 2 3; do echo $n; sleep 0.3; done";
  const reader = await there.open(
    "tools/call",
    { name: "Bash", arguments: { command }, _meta: { progressToken: "p" } },
    7,
  );
  await reader.message("progress", ({ method }) => method === "notifications/progress");
  expect(textOf(await reader.reply(7))).toStartWith("1\n2\n3\n");

  for (const answering of [there, session]) {
    const asked = await there.open("tools/call", { name: "Bash", arguments: { command: "date" } });
    const { id } = await asked.message(
      "the question",
      ({ method }) => method === "elicitation/create",
    );
    await answering.respond(id, { action: "accept", content: { answer1: "Allow once" } });
    const reply = await asked.message("the reply", ({ result }) => result !== undefined);
    expect(textOf(reply)).toContain("20");
  }
});
