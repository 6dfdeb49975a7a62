import { existsSync } from "node:fs";

import { forwarding, Lazy } from "../base/lazy.ts";
import type { ClientContext, RequestContext } from "../calls/call.ts";
import type {
  CompletionProvider,
  PromptProvider,
  ResourceProvider,
  ResourceReading,
  SkillProvider,
} from "../calls/features.ts";
import { ownTemplates, readOwnUri } from "../calls/own-uri.ts";
import { isStateUri, stateListings } from "../calls/resources/state-resources.ts";
import { readSkillUri, skillTemplates } from "../calls/skills/skill-uri.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { ResourceListing } from "../protocol/resource-types.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { builtInCards } from "../state/skills/built-in/built-in-cards.ts";
import { skillSources } from "../state/skills/skill.ts";
import type { Skills, SkillsParts } from "./skills.ts";

/** The handshake and the first lists do not share the processor with it. */
const watchAfterMs = 100;

/** Skills, loaded with the first list that needs them. */
export class LazySkills implements Disposable {
  readonly #parts: SkillsParts;
  readonly #skills: Lazy<Skills> = new Lazy(async () => {
    const module = await import("./skills.ts");
    return new module.Skills(this.#parts);
  });
  /** Clients that have a list of built-in features, and are not notified of changes yet. */
  readonly #unwatched = new Set<string>();

  constructor(parts: SkillsParts) {
    this.#parts = parts;
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
   * The tools as they are listed for this client. A client for which there are only built-in skills gets its list before
   * anything is loaded; the code that notifies it of changes is loaded a moment later.
   */
  async toolListings(client: ClientContext): Promise<readonly ToolListing[]> {
    const { start, listings } = this.#parts;
    if (this.#skills.making === undefined && (await hasOnlyBuiltIn(client, start))) {
      this.#unwatched.add(client.id);
      setTimeout(() => void this.#beginWatching(client), watchAfterMs).unref();
      return listings;
    }
    return (await this.load()).toolListings(client);
  }

  async #beginWatching(client: ClientContext): Promise<void> {
    if (this.#skills.isClosed || !this.#unwatched.has(client.id)) return;
    const skills = await this.load();
    // It may have gone meanwhile.
    if (this.#unwatched.delete(client.id)) await skills.watchFor(client);
  }

  load(): Promise<Skills> {
    return this.#skills.get();
  }

  endClient(clientId: string): void {
    this.#unwatched.delete(clientId);
    this.#skills.made?.endClient(clientId);
  }

  [Symbol.dispose](): void {
    this.#skills.close();
    this.#skills.made?.[Symbol.dispose]();
  }
}

/** True when it is known at once that a client sees the skills that are built in and no others. */
async function hasOnlyBuiltIn(client: ClientContext, { dirs, config }: StartUp): Promise<boolean> {
  const { skills } = config.settings;
  if (!builtInCards.every(({ name }) => skills.isEnabled(name))) return false;
  const workspace = await atOnce(client.workspaceDir());
  if (workspace === undefined) return false;
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
