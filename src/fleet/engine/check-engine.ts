import { isObject } from "../../base/values.ts";
import { messageOf } from "../../base/errors.ts";

const versionMin = 7;

/** The engine answers, and cannot be used as it is configured. */
class EngineUnfit extends Error {}

/** Whether an error says that the engine is reachable and cannot be used as it is configured. */
export function isUnfit(error: unknown): error is Error {
  return error instanceof EngineUnfit;
}

/** @throws for an engine that is too old, of a kind that cannot be used, read-only or may forget keys */
export async function checkEngine(client: Bun.RedisClient): Promise<void> {
  const hello: unknown = await client.send("HELLO", ["3"]);
  const { version, mode, role } = isObject(hello) ? hello : {};
  checkVersion(version);
  if (mode !== "standalone") throw new EngineUnfit(modeText(mode));
  if (role !== "master")
    throw new EngineUnfit(
      "it is a read-only copy (replicaof): SHARED_URL must lead to the primary",
    );
  const policy = await policyOf(client);
  if (policy !== "noeviction")
    throw new EngineUnfit(
      `its maxmemory-policy is ${policy}, which forgets sessions when memory is short: set maxmemory-policy noeviction`,
    );
}

function checkVersion(version: unknown): void {
  const text = typeof version === "string" ? version.slice(0, 20) : "unknown";
  if (!(Number.parseInt(text, 10) >= versionMin))
    throw new EngineUnfit(`its version is ${text}: version ${versionMin} or newer is needed`);
}

function modeText(mode: unknown): string {
  if (mode === "cluster")
    return "it is a node of a cluster, whose redirections the client does not follow: use one primary, with copies for failover";
  if (mode === "sentinel")
    return "it is a sentinel: give the address of the primary, or of a proxy that follows it";
  return `its mode is ${String(mode).slice(0, 20)}: a standalone server is needed`;
}

async function policyOf(client: Bun.RedisClient): Promise<string> {
  const info: unknown = await client.send("INFO", ["memory"]);
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? "unknown";
}

/** The commands that a user of the engine (ACL) must be allowed, on keys and channels with the prefix of the fleet. */
const neededCommands: readonly (readonly [string, (key: string) => readonly string[]])[] = [
  ["PING", () => []],
  ["SET", (key) => [key, "1", "PX", "1000"]],
  ["GET", (key) => [key]],
  ["DEL", (key) => [key]],
  ["EXISTS", (key) => [key]],
  ["HSET", (key) => [`${key}h`, "a", "1"]],
  ["HGET", (key) => [`${key}h`, "a"]],
  ["HGETALL", (key) => [`${key}h`]],
  ["HDEL", (key) => [`${key}h`, "a"]],
  ["ZADD", (key) => [`${key}z`, "1", "a"]],
  ["ZRANGEBYSCORE", (key) => [`${key}z`, "0", "1"]],
  ["ZREMRANGEBYSCORE", (key) => [`${key}z`, "0", "0"]],
  ["ZSCORE", (key) => [`${key}z`, "a"]],
  ["ZREM", (key) => [`${key}z`, "a"]],
  ["XADD", (key) => [`${key}x`, "*", "a", "1"]],
  ["XRANGE", (key) => [`${key}x`, "-", "+"]],
  ["XREVRANGE", (key) => [`${key}x`, "+", "-", "COUNT", "1"]],
  ["XREAD", (key) => ["COUNT", "1", "STREAMS", `${key}x`, "0"]],
  ["XTRIM", (key) => [`${key}x`, "MAXLEN", "0"]],
  ["XLEN", (key) => [`${key}x`]],
  ["XDEL", (key) => [`${key}x`, "1-1"]],
  ["PEXPIRE", (key) => [`${key}x`, "1"]],
  ["PUBLISH", (key) => [`${key}c`, "1"]],
  ["SCRIPT", () => ["LOAD", "return 1"]],
  ["EVALSHA", () => ["e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"]],
  ["TIME", () => []],
];

/**
 * Tries each command that is needed once.
 * @param key of the fleet, free for this
 * @throws naming the commands that the user of the engine may not use
 */
export async function checkPermissions(client: Bun.RedisClient, key: string): Promise<void> {
  const lacking: string[] = [];
  for (const [command, argumentsFor] of neededCommands) {
    try {
      await client.send(command, [...argumentsFor(key)]);
    } catch (error) {
      if (!messageOf(error).startsWith("NOPERM")) throw error;
      lacking.push(command);
    }
  }
  if (lacking.length === 0) return;
  const prefix = key.slice(0, key.lastIndexOf(":") + 1);
  throw new EngineUnfit(
    `its user may not use ${lacking.join(", ")}: allow these commands on the keys and channels ${prefix}*`,
  );
}
