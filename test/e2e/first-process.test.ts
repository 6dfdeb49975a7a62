import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";

import { productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { isAlive, parentOf, processesWith, uniqueSeconds } from "./harness/processes.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const enter = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"];
const canEnter =
  Bun.which("unshare") !== null &&
  Bun.spawnSync([...enter, "--mount-proc", "true"], { stderr: "ignore" }).success;

/** The program as first process of a namespace, beside a neighbour that has not been started by it. */
function asFirstProcess(home: TempFolder, neighbour: string): string {
  const run = `(${neighbour}) & exec ${productBinary} "$@"`;
  return home.write(
    "first-process",
    `#!/bin/sh\nexec ${enter.join(" ")} --mount-proc sh -c '${run}' first "$@"\n`,
    0o755,
  );
}

/** The process id in its own namespace. */
function lastIdOf(pid: number): string | undefined {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return /^NSpid:.*\s(\d+)$/m.exec(status)?.[1];
}

function zombiesOf(parent: number): readonly string[] {
  const ids = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ");
  return ids.filter((pid) => stateOf(pid) === "Z");
}

function stateOf(pid: string): string | undefined {
  try {
    return /^State:\s(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

test.skipIf(!canEnter)(
  "[team.first-process] as pid 1 it reaps orphans that it has not started, and ends none that lives",
  async () => {
    using home = new TempFolder();
    const lasting = uniqueSeconds();
    const go = `${home.path}/go`;
    const neighbour = `until [ -e ${go} ]; do sleep 0.05; done; (sleep 0.2 &) ; (sleep ${lasting} &)`;
    const binary = asFirstProcess(home, neighbour);
    await using server = await HttpServer.start({ home, binary });
    await server.modern("tools/call", { name: "ListBgTasks", arguments: {} });
    await Bun.write(go, "");
    const orphan = await eventually("the orphan that stays", () =>
      processesWith(`sleep ${lasting}`).find(({ command }) => command.startsWith("sleep")),
    );
    const first = await eventually("its new parent", () => {
      const parent = parentOf(orphan.pid);
      return lastIdOf(parent) === "1" ? parent : undefined;
    });
    await eventually("no zombies", () => zombiesOf(first).length === 0);
    const answer = await server.modern("tools/call", {
      name: "Bash",
      arguments: { command: "echo $PPID" },
    });
    expect({ answer: textOf(onlyMessage(answer)), isAlive: isAlive(orphan.pid) }).toEqual({
      answer: "1\n",
      isAlive: true,
    });
  },
);
