import { join } from "node:path";

import { startTimer } from "../../base/cancellation.ts";
import { requiredSkillsLookMs, skillListMsMax, skillWatchersMax } from "../../base/limits.ts";
import { skillToolName } from "../../base/tool-kinds.ts";
import { readRequiredSkills } from "../../state/skills/required-names.ts";
import type { CallRequest, ClientContext } from "../call.ts";
import type { GateStage, NoteSource, Refusal, Rest } from "../gate/gate-stage.ts";
import type { ClientSkills } from "./skill-view.ts";

const fileName = "required_skills.txt";

/** The skills that one client has to load, and those that it has loaded. */
interface Client {
  /** Names in the files, as they were when last looked at. */
  required: readonly string[];
  /** Required names without a skill. */
  unknown: ReadonlySet<string>;
  readonly loaded: Set<string>;
  /** The rest of the stage for this client: until the files are looked at again, or the client is forgotten. */
  readonly rest: { until: number };
  looking: Promise<void> | undefined;
}

/** Names the skills that must be loaded, at the end of each result, until this client has loaded them. */
export class RequiredSkills implements GateStage, NoteSource {
  readonly #scorpioxDir: string;
  readonly #find: (client: ClientContext) => Promise<ClientSkills>;
  readonly #clients = new Map<string, Client>();
  /** Ids of the clients for which some skills are required. */
  readonly clients = new Set<string>();

  /** @param find the skills that a client sees; asked only when some are required */
  constructor(scorpioxDir: string, find: (client: ClientContext) => Promise<ClientSkills>) {
    this.#scorpioxDir = scorpioxDir;
    this.#find = find;
  }

  mayObject(): boolean {
    return false;
  }

  /** Never refuses. The first call of a client waits a little for the files to be read; later ones do not. */
  check({ client }: CallRequest): Promise<Refusal | undefined> | undefined {
    if (client.mayUse?.(skillToolName) === false) return undefined;
    const known = this.#clients.get(client.id);
    const state = known ?? this.#begin(client.id);
    if (performance.now() >= state.rest.until) this.#look(client, state);
    return known === undefined ? atMost(skillListMsMax, state.looking) : undefined;
  }

  /** Scopes belong to a token, and a client may have several: a client with scopes is checked each time. */
  restFor({ client }: CallRequest): Rest | undefined {
    if (client.mayUse !== undefined) return undefined;
    return this.#clients.get(client.id)?.rest;
  }

  notesFor({ client }: CallRequest): readonly string[] {
    const state = this.#clients.get(client.id);
    if (state === undefined || state.required.length === 0) return [];
    const missing = state.required.filter((name) => !state.loaded.has(name));
    const there = missing.filter((name) => !state.unknown.has(name));
    if (missing.length === 0) return [];
    const absent = missing.filter((name) => state.unknown.has(name));
    const parts = [
      ...(there.length > 0
        ? [`Required skills not loaded yet: ${there.join(", ")}. Load them with ${skillToolName}.`]
        : []),
      ...(absent.length > 0
        ? [`Required by ${fileName}, but there is no such skill: ${absent.join(", ")}.`]
        : []),
    ];
    return [parts.join(" ")];
  }

  /** A note is repeated until it is heeded. */
  delivered(): void {}

  loaded(clientId: string, skillName: string): void {
    (this.#clients.get(clientId) ?? this.#begin(clientId)).loaded.add(skillName);
  }

  forget(clientId: string): void {
    const state = this.#clients.get(clientId);
    if (state !== undefined) state.rest.until = Number.NEGATIVE_INFINITY;
    this.#clients.delete(clientId);
    this.clients.delete(clientId);
  }

  #begin(clientId: string): Client {
    const state: Client = {
      required: [],
      unknown: new Set(),
      loaded: new Set(),
      rest: { until: -Infinity },
      looking: undefined,
    };
    this.#clients.set(clientId, state);
    // A call that outlived its client brings it back.
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > skillWatchersMax) this.forget(oldest ?? "");
    return state;
  }

  #look(client: ClientContext, state: Client): void {
    state.rest.until = performance.now() + requiredSkillsLookMs;
    state.looking ??= this.#read(client, state).finally(() => (state.looking = undefined));
  }

  /** Never rejects. The skills themselves are looked for only when some are required. */
  async #read(client: ClientContext, state: Client): Promise<void> {
    const isApart = client.ownPlace?.() !== undefined;
    const workspace = isApart ? undefined : await client.workspaceDir().catch(() => undefined);
    const files = [
      join(this.#scorpioxDir, fileName),
      ...(workspace === undefined ? [] : [join(workspace, ".scorpiox", fileName)]),
    ];
    const names = (await Promise.all(files.map(readRequiredSkills))).flat();
    state.required = [...new Set(names)];
    if (this.#clients.get(client.id) === state) {
      if (names.length > 0) this.clients.add(client.id);
      else this.clients.delete(client.id);
    }
    if (names.length === 0) return;
    const { set } = await this.#find(client);
    state.unknown = new Set(names.filter((name) => set.byName.get(name)?.isForModel !== true));
  }
}

async function atMost(limitMs: number, work: Promise<void> | undefined): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = startTimer(limitMs, resolve);
  await Promise.race([work, promise]);
  timer.stop();
  return undefined;
}
