import { mcpTaskRecordCharsMax, mcpTaskRecordMs } from "../../base/limits.ts";
import { parseOwnJson } from "../../base/values.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { McpTaskView } from "../../protocol/mcp-task.ts";
import type { McpTask } from "../../server/tasks/mcp-task.ts";
import type { McpTaskRecords } from "../../server/tasks/mcp-tasks.ts";
import type { FleetSeal } from "../engine/fleet-secret.ts";
import { Script, type SharedEngine } from "../engine/shared-engine.ts";
import { liveFunction, type Replica } from "../replicas/replica.ts";

/** KEYS: the record. ARGV: ms that it is kept, owner, replica, "1" when it has ended, its number, the task. */
const saveScript = new Script(`
if tonumber(redis.call('HGET', KEYS[1], 'number') or 0) >= tonumber(ARGV[5]) then return 0 end
if redis.call('HGET', KEYS[1], 'over') == '1' then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[2], 'replica', ARGV[3], 'over', ARGV[4], 'number', ARGV[5], 'task', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`);

/** KEYS: replicas, clock, the record. ARGV: the task as it is when its replica is gone. Answers with the task as it is. */
const loseScript = new Script(`${liveFunction}
local over, replica = unpack(redis.call('HMGET', KEYS[3], 'over', 'replica'))
if over == '0' and not live(replica) then
  redis.call('HSET', KEYS[3], 'over', '1', 'task', ARGV[1])
end
return redis.call('HGET', KEYS[3], 'task')
`);

/** MCP tasks in the engine: any replica can show each of them, also those of a replica that is gone (FL3). */
export class EngineMcpTaskRecords implements McpTaskRecords {
  readonly #engine: SharedEngine;
  readonly #replica: Replica;
  readonly #seal: FleetSeal;
  /** Counts what this process writes: of two writes under way the later one stays. */
  #lastNumber = 0;

  /** @param seal what the engine says of a task reaches its client */
  constructor(engine: SharedEngine, replica: Replica, seal: FleetSeal) {
    this.#engine = engine;
    this.#replica = replica;
    this.#seal = seal;
  }

  async save(task: McpTask): Promise<void> {
    this.#lastNumber += 1;
    const { view, ownerId } = task;
    const keptMs = view.ttlMs ?? mcpTaskRecordMs;
    const over = isEnd(view) ? "1" : "0";
    const key = this.#keyOf(task.id);
    const text = this.#seal.sign(textOf(view), purposeOf(key, ownerId));
    const args = [keptMs, ownerId, this.#replica.id, over, this.#lastNumber, text];
    // The client reads it here as long as this replica lives.
    await saveScript.run(this.#engine, [key], args).catch(() => {});
  }

  async find(ownerId: string, taskId: string): Promise<McpTaskView | undefined> {
    if (!/^[\da-f]{32}$/.test(taskId)) return undefined;
    const key = this.#keyOf(taskId);
    const reply = await this.#engine.request("HMGET", key, "owner", "task");
    const [owner, text] = Array.isArray(reply) ? reply : [];
    if (owner !== ownerId) return undefined;
    const purpose = purposeOf(key, ownerId);
    const view = this.#viewIn(text, purpose);
    if (view === undefined || isEnd(view)) return view;
    const keys = [...this.#replica.liveKeys, key];
    const ended = this.#seal.sign(JSON.stringify(lost(view)), purpose);
    return this.#viewIn(await loseScript.run(this.#engine, keys, [ended]), purpose);
  }

  /** Undefined for what no replica has written for this owner. */
  #viewIn(reply: unknown, purpose: string): McpTaskView | undefined {
    const text = typeof reply === "string" ? this.#seal.verified(reply, purpose) : undefined;
    return text === undefined ? undefined : parseOwnJson<McpTaskView>(text);
  }

  #keyOf(taskId: string): string {
    return this.#engine.keys.of("mcp-task", taskId);
  }
}

/** A record is that of one task and one owner. */
function purposeOf(key: string, ownerId: string): string {
  return `${key} ${ownerId}`;
}

function isEnd({ state }: McpTaskView): boolean {
  return state.status !== "working" && state.status !== "input_required";
}

function textOf(view: McpTaskView): string {
  const text = JSON.stringify(view);
  if (text.length <= mcpTaskRecordCharsMax) return text;
  const size = `has ${text.length} characters, of ${mcpTaskRecordCharsMax} at most that other replicas can read`;
  return JSON.stringify(failed(view, `The task ${size}, and the replica that has it is gone.`));
}

function lost(view: McpTaskView): McpTaskView {
  const what = "The replica that ran this task is gone.";
  return failed(
    view,
    `${what} The call may or may not have run to its end: check before you repeat it.`,
  );
}

function failed(view: McpTaskView, message: string): McpTaskView {
  const fault = createFault(errorCodes.internalError, message);
  const lastUpdatedAt = new Date().toISOString();
  return { ...view, state: { status: "failed", fault }, statusMessage: message, lastUpdatedAt };
}
