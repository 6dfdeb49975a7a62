import type { Abortable } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { ownValue } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import { readForeignUri } from "../../upstream/results/clean-result.ts";
import type { ServerInfo } from "../../upstream/server-state.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type {
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  ControlReplyTo,
  UpstreamControl,
  UpstreamEvent,
  UpstreamReply,
  Upstreams,
} from "../../upstream/upstreams.ts";

/** The upstream servers that a client may use, as if there were no others (TM4). */
export class ReachableUpstreams implements Upstreams {
  readonly #all: Upstreams;
  readonly #servers: ReadonlySet<string>;
  #last: { readonly of: UpstreamSnapshot; readonly part: UpstreamSnapshot } | undefined;

  constructor(all: Upstreams, servers: ReadonlySet<string>) {
    this.#all = all;
    this.#servers = servers;
  }

  get snapshot(): UpstreamSnapshot | undefined {
    const { snapshot } = this.#all;
    return snapshot === undefined ? undefined : this.#partOf(snapshot);
  }

  async settled(
    waitMs: number,
    isEnough?: (snapshot: UpstreamSnapshot) => boolean,
  ): Promise<UpstreamSnapshot> {
    return this.#partOf(await this.#all.settled(waitMs, isEnough));
  }

  call(call: UpstreamCall, events: UpstreamCallEvents, signal: Abortable): Promise<UpstreamReply> {
    if (this.#servers.has(call.server)) return this.#all.call(call, events, signal);
    const text = `There is no MCP server ${call.server} for this token.`;
    return Promise.resolve({ kind: "failed", text, reason: "blocked" });
  }

  checkArguments(
    server: string,
    tool: string,
    args: unknown,
    signal: Abortable,
  ): Promise<string | undefined> {
    if (this.#servers.has(server)) return this.#all.checkArguments(server, tool, args, signal);
    return Promise.resolve(`there is no MCP server ${server} for this token`);
  }

  search(query: SearchQuery, signal: Abortable): Promise<JsonText> {
    return this.#all.search({ ...query, servers: [...this.#servers] }, signal);
  }

  async control<Asked extends UpstreamControl>(
    control: Asked,
    signal?: Abortable,
  ): Promise<ControlReplyTo<Asked>> {
    if (control.kind === "tools" && control.server === undefined) {
      const tools = await this.#all.control({ kind: "tools" }, signal);
      return ownValue(tools.filter(({ server }) => this.#servers.has(server)));
    }
    const server = "server" in control ? control.server : undefined;
    if (typeof server === "string" && !this.#servers.has(server)) {
      throw new AppError("not_found", `There is no MCP server ${server} for this token.`);
    }
    return this.#all.control(control, signal);
  }

  async infoList(): Promise<readonly ServerInfo[]> {
    return (await this.#all.infoList()).filter(({ name }) => this.#servers.has(name));
  }

  async subscribe(uri: string, clientId: string): Promise<boolean> {
    return this.#isReachable(uri) && this.#all.subscribe(uri, clientId);
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#all.unsubscribe(uri, clientId);
  }

  /** The whole gets the same call. */
  endClient(): void {}

  listen(listener: (event: UpstreamEvent) => void): () => void {
    return this.#all.listen(listener);
  }

  /** The servers are those of others too. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #isReachable(uri: string): boolean {
    const server = readForeignUri(uri)?.server;
    return server !== undefined && this.#servers.has(server);
  }

  #partOf(snapshot: UpstreamSnapshot): UpstreamSnapshot {
    if (this.#last?.of === snapshot) return this.#last.part;
    const isOurs = ({ server }: { readonly server: string }): boolean => this.#servers.has(server);
    const isNamed = ({ name }: { readonly name: string }): boolean => this.#servers.has(name);
    const { indexFile: _, skills, ...rest } = snapshot;
    const part: UpstreamSnapshot = {
      ...rest,
      servers: snapshot.servers.filter(isNamed),
      rights: snapshot.rights.filter(isNamed),
      tools: snapshot.tools.filter(isOurs),
      blocked: snapshot.blocked.filter(isOurs),
      prompts: snapshot.prompts.filter(isOurs),
      resources: snapshot.resources.filter(({ uri }) => this.#isReachable(uri)),
      templates: snapshot.templates.filter(({ uriTemplate }) => this.#isReachable(uriTemplate)),
      introductions: snapshot.introductions.filter(isOurs),
      ...(skills !== undefined && { skills: skills.filter(isOurs) }),
      // The list of one client is not that of another.
      isPrivate: true,
    };
    this.#last = { of: snapshot, part };
    return part;
  }
}
