import { existsSync } from "node:fs";

import { forwarding, Lazy } from "../base/lazy.ts";
import { skillLookMs } from "../base/limits.ts";
import type { ClientContext, RequestContext } from "../calls/call.ts";
import type {
  CompletionProvider,
  PromptProvider,
  ResourceProvider,
  ResourceReading,
  SkillProvider,
} from "../calls/features.ts";
import { ownTemplates, readOwnUri } from "../calls/own-uri.ts";
import { isStateUri, stateListings } from "../calls/resources/state-listings.ts";
import type { RequiredSkills } from "../calls/skills/required-skills.ts";
import { readSkillUri, skillTemplates } from "../calls/skills/skill-uri.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { ResourceListing } from "../protocol/resource-types.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { builtInCards } from "../state/skills/built-in/built-in-cards.ts";
import { skillSources } from "../state/skills/skill.ts";
import type { Skills, SkillsParts } from "./skills.ts";

/** The handshake and the first lists do not share the processor with it. */
const watchAfterMs = 100;

/** The part of skills that every call of a tool passes, and InvokeSkill. */
export interface CallSkills {
  /** Its note is the last line of results until required skills are loaded. */
  readonly required: RequiredSkills;
  readonly load: StateServices["skills"]["load"];
}

/** Skills, loaded with the first list or call that needs them. */
export class LazySkills implements Disposable {
  readonly #parts: Omit<SkillsParts, "required">;
  readonly #required: Lazy<RequiredSkills> = new Lazy(async () => {
    const module = await import("../calls/skills/required-skills.ts");
    const find: Skills["find"] = async (client) => (await this.load()).find(client);
    return new module.RequiredSkills(this.#parts.start.dirs.scorpioxDir, find);
  });
  readonly #skills: Lazy<Skills> = new Lazy(async () => {
    const [module, required] = await Promise.all([import("./skills.ts"), this.#required.get()]);
    return new module.Skills({ ...this.#parts, required });
  });
  /** Clients that have a list with the built-in skills alone, and are not notified of changes by `#skills` yet. */
  readonly #unwatched = new Map<string, ClientContext>();
  readonly #everyMs: number;
  #look: ReturnType<typeof setTimeout> | undefined;

  /** @param everyMs how often folders are looked at while there are only built-in skills */
  constructor(parts: Omit<SkillsParts, "required">, everyMs: number = skillLookMs) {
    this.#parts = parts;
    this.#everyMs = everyMs;
  }

  readonly prompts: PromptProvider = forwarding(
    async () => (await this.load()).prompts,
    ["list", "get"],
  );

  readonly completion: CompletionProvider = forwarding(
    async () => (await this.load()).completion,
    ["complete"],
  );

  readonly entries: SkillProvider = forwarding(
    async () => (await this.load()).entries,
    ["list", "directory"],
  );

  readonly resources: ResourceProvider = {
    list: async (client) => (await this.load()).resources.list(client),
    templates: () => Promise.resolve(skillTemplates),
    read: async (uri, context) =>
      readSkillUri(uri) === undefined
        ? undefined
        : (await this.load()).resources.read(uri, context),
    canSubscribe: (uri) => (readSkillUri(uri)?.path.length ?? 0) > 0,
    watch: (uri, client) => {
      const ending = this.load().then(({ resources }) => resources.watch(uri, client));
      return () => void ending.then((end) => end());
    },
  };

  /**
   * The tools as they are listed for this client. Where there are only built-in skills it gets its list before anything is
   * loaded, and the code that reports changes is loaded when there are others.
   */
  async toolListings(client: ClientContext): Promise<readonly ToolListing[]> {
    const { start, listings } = this.#parts;
    if (!this.isLoaded && (await hasOnlyBuiltIn(client, start))) {
      this.#unwatched.set(client.id, client);
      this.#lookLater();
      return listings;
    }
    return (await this.load()).toolListings(client);
  }

  async forCalls(): Promise<CallSkills> {
    const load: CallSkills["load"] = async (...asked) => (await this.load()).load(...asked);
    return { required: await this.#required.get(), load };
  }

  /** For one client the folders alone are looked at, which needs no code; for several, skills are loaded and watch each folder once. */
  #lookLater(): void {
    const isAlone = this.#unwatched.size === 1 && !this.isLoaded;
    if (!isAlone) clearTimeout(this.#look);
    else if (this.#look !== undefined) return;
    const look = (): void => void this.#lookNow(isAlone);
    this.#look = setTimeout(look, isAlone ? this.#everyMs : watchAfterMs).unref();
  }

  async #lookNow(isAlone: boolean): Promise<void> {
    this.#look = undefined;
    const { start, changes } = this.#parts;
    const [client] = this.#unwatched.values();
    if (client === undefined || this.#skills.isClosed) return;
    const isWaiting = isAlone && !this.isLoaded;
    if (isWaiting && (!changes.isHeard || (await hasOnlyBuiltIn(client, start)))) {
      this.#lookLater();
    } else {
      await this.#beginWatching();
    }
  }

  async #beginWatching(): Promise<void> {
    const skills = await this.load();
    for (const client of this.#unwatched.values()) {
      // It may have gone meanwhile.
      if (this.#unwatched.delete(client.id)) await skills.watchFor(client);
    }
  }

  /** False while the built-in skills are all there are to know. */
  get isLoaded(): boolean {
    return this.#skills.making !== undefined;
  }

  load(): Promise<Skills> {
    return this.#skills.get();
  }

  endClient(clientId: string): void {
    this.#unwatched.delete(clientId);
    this.#required.made?.forget(clientId);
    this.#skills.made?.endClient(clientId);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#look);
    this.#skills.close();
    this.#skills.made?.[Symbol.dispose]();
  }
}

/** True when it is known at once that a client sees the skills that are built in and no others. */
async function hasOnlyBuiltIn(client: ClientContext, { dirs, config }: StartUp): Promise<boolean> {
  const { skills } = config.settings;
  if (!builtInCards.every(({ name }) => skills.isEnabled(name))) return false;
  const isApart = client.ownPlace?.() !== undefined;
  const workspace = isApart ? undefined : await atOnce(client.workspaceDir());
  if (workspace === undefined && !isApart) return false;
  const { homeDir, scorpioxDir } = dirs;
  const sources = skillSources({ homeDir, scorpioxDir, additional: skills.additional }, workspace);
  // A few microseconds; the first look by way of another thread costs a millisecond.
  return !sources.some(({ dir }) => existsSync(dir));
}

/** Undefined when it has to be waited for: the client is asked for its roots. */
function atOnce(work: Promise<string>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setImmediate(() => resolve(undefined));
  return Promise.race([work.catch(() => undefined), promise]);
}

interface LazyResourcesParts {
  /** The provider; undefined before the first call. */
  readonly made: () => ResourceProvider | undefined;
  /** Makes it. */
  readonly make: () => Promise<ResourceProvider>;
}

/** The product's resources before and after the services behind them are made: looking at lists makes nothing. */
export class LazyResources implements ResourceProvider {
  readonly #parts: LazyResourcesParts;

  constructor(parts: LazyResourcesParts) {
    this.#parts = parts;
  }

  list(client: ClientContext): Promise<readonly ResourceListing[]> {
    return this.#parts.made()?.list(client) ?? Promise.resolve(stateListings);
  }

  templates(): Promise<typeof ownTemplates> {
    return Promise.resolve(ownTemplates);
  }

  /** Outputs were saved by earlier processes too; background tasks are those of this one. */
  async read(uri: string, context: RequestContext): Promise<ResourceReading | undefined> {
    if (isStateUri(uri)) return (await this.#parts.make()).read(uri, context);
    const own = readOwnUri(uri);
    if (own === undefined) return undefined;
    const provider = own.kind === "result" ? await this.#parts.make() : this.#parts.made();
    return provider?.read(uri, context);
  }

  canSubscribe(uri: string, client: ClientContext): boolean {
    return isStateUri(uri) || this.#parts.made()?.canSubscribe(uri, client) === true;
  }

  /** Resources that exist from the start are made to be watched: another process may change them. */
  watch(uri: string, client: ClientContext): () => void {
    let end: (() => void) | undefined;
    let isOver = false;
    const begin = (provider: ResourceProvider): void => {
      if (!isOver) end = provider.watch?.(uri, client);
    };
    const made = this.#parts.made();
    if (made !== undefined) begin(made);
    // The next read reports the error.
    else if (isStateUri(uri)) this.#parts.make().then(begin, () => {});
    return () => {
      isOver = true;
      end?.();
    };
  }
}
