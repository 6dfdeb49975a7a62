/** What of `compose.yaml` can be tried without Docker: its form, the files that it names, and its check of health. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isObject } from "../../../src/base/values.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { type Row, run } from "../packages/rehearsal.ts";
import { deployFolder } from "./systemd.ts";

type Keys = Readonly<Record<string, unknown>>;

function at(value: unknown, ...keys: readonly string[]): Keys {
  let found = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  return isObject(found) ? found : {};
}

export async function composeRow(): Promise<Row> {
  const name = "compose.yaml";
  const compose: unknown = Bun.YAML.parse(
    readFileSync(join(deployFolder, "container", name), "utf8"),
  );
  const server = at(compose, "services", "scorpiox");
  const { test } = at(server["healthcheck"]);
  if (!Array.isArray(test)) return [name, "FAIL", "there is no check of health"];
  const faults = [...undeclared(compose), ...(await healthFaults(test.slice(1).map(String)))];
  if (!existsSync(join(deployFolder, "proxy/Caddyfile"))) faults.push("there is no Caddyfile");
  if (faults.length > 0) return [name, "FAIL", faults.join("; ")];
  return [name, "pass", "its form and its check of health; no Docker here"];
}

/** Volumes and secrets that a service uses and nobody declares. */
function undeclared(compose: unknown): string[] {
  const faults: string[] = [];
  for (const [service, value] of Object.entries(at(compose, "services"))) {
    const { volumes = [], secrets = [], configs = [] } = at(value);
    for (const [kind, used] of Object.entries({ volumes, secrets, configs })) {
      const declared = at(compose, kind);
      for (const one of Array.isArray(used) ? used : []) {
        const id = isObject(one) ? String(one["source"]) : String(one).split(":")[0];
        if (id?.startsWith(".") !== true && !(id ?? "" in declared))
          faults.push(`${service}: ${kind} has no ${id}`);
      }
    }
  }
  return faults;
}

/** The check succeeds beside a server, and fails without one. */
async function healthFaults(check: readonly string[]): Promise<string[]> {
  const free = await HttpServer.start();
  const { port } = new URL(free.url);
  const argv = check.map((word) => word.replaceAll("8808", port));
  const beside = run(argv);
  await free[Symbol.asyncDispose]();
  const alone = run(argv);
  return [
    ...(beside.isDone ? [] : [`unhealthy beside a server: ${beside.text}`]),
    ...(alone.isDone ? ["healthy without a server"] : []),
  ];
}
