import { AppError } from "../../base/errors.ts";
import { resultCharsMax } from "../../base/limits.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { upstreamCompletionMsMax } from "../../base/upstream-limits.ts";
import { noClientCapabilities } from "../../protocol/client-capabilities.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import type { PromptListing, PromptMessage, PromptResult } from "../../protocol/prompts.ts";
import { readForeignUri } from "../../upstream/results/clean-result.ts";
import type { PromptEntry, UpstreamSnapshot } from "../../upstream/snapshot.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { CompletionProvider, CompletionRequest, PromptProvider } from "../features.ts";
import { askForeign } from "./foreign-requests.ts";
import type { UpstreamProvidersParts } from "./upstream-resources.ts";

/** The own prompts and those of upstream servers (RP1, RP3). An own name is never given to an upstream prompt. */
export class JoinedPrompts implements PromptProvider {
  readonly #own: PromptProvider;
  readonly #parts: UpstreamProvidersParts;

  constructor(own: PromptProvider, parts: UpstreamProvidersParts) {
    this.#own = own;
    this.#parts = parts;
  }

  async list(client: ClientContext): Promise<readonly PromptListing[]> {
    const [own, { prompts }] = await Promise.all([this.#own.list(client), this.#parts.known()]);
    const names = new Set(own.map(({ name }) => name));
    return [
      ...own,
      ...prompts.map(({ listing }) => listing).filter(({ name }) => !names.has(name)),
    ];
  }

  async get(
    name: string,
    args: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<PromptResult> {
    const foreign = await this.#foreign(name);
    const own = foreign === undefined ? [] : await this.#own.list(context.client);
    if (foreign === undefined || own.some((listing) => listing.name === name)) {
      return this.#own.get(name, args, context);
    }
    const { server, prompt } = foreign;
    const params = { name: prompt, arguments: args };
    const request = { server, method: "prompts/get", params } as const;
    const snapshot = await this.#parts.known();
    const { description, messages } = await askForeign(
      await this.#parts.exchange(),
      snapshot,
      request,
      context,
    );
    if (!Array.isArray(messages)) {
      const text = `${server} gave a prompt without messages.`;
      throw new FaultError(createFault(errorCodes.internalError, text));
    }
    // The Worker has checked them.
    const checked = ownValue<PromptMessage[]>(messages);
    return { messages: checked, ...(typeof description === "string" ? { description } : {}) };
  }

  async #foreign(name: string): Promise<PromptEntry | undefined> {
    const { prompts } = await this.#parts.known();
    return prompts.find(({ listing }) => listing.name === name);
  }
}

/** Completes arguments of own prompts and templates, and has upstream servers complete those of their prompts (RP3). */
export class JoinedCompletion implements CompletionProvider {
  readonly #own: CompletionProvider;
  readonly #parts: UpstreamProvidersParts;

  constructor(own: CompletionProvider, parts: UpstreamProvidersParts) {
    this.#own = own;
    this.#parts = parts;
  }

  async complete(
    request: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined> {
    const own = await this.#own.complete(request, client);
    if (own !== undefined) return own;
    const foreign = foreignRef(request, await this.#parts.known());
    return foreign === undefined ? undefined : this.#ask(foreign, request, client);
  }

  /** A server that cannot complete has nothing that fits. */
  async #ask(
    { server, ref }: ForeignRef,
    { argumentName: name, typed: value, others }: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[]> {
    const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } };
    const call = {
      server,
      method: "completion/complete",
      params: { ref, argument: { name, value }, ...context },
      clientId: client.id,
      ...(client.workspaceName === undefined ? {} : { workspace: client.workspaceName }),
      capabilities: noClientCapabilities,
      wantsProgress: false,
      timeoutMs: upstreamCompletionMsMax,
      resultCharsMax,
    } as const;
    const ask = (): Promise<never> =>
      Promise.reject(new AppError("unsupported", "Nobody is asked while somebody types."));
    const signal = AbortSignal.timeout(upstreamCompletionMsMax);
    const reply = await this.#parts.upstreams.call(call, { ask }, signal).catch(() => undefined);
    return reply?.kind === "result" ? valuesOf(JSON.parse(reply.json.json)) : [];
  }
}

interface ForeignRef {
  readonly server: string;
  /** As that server knows it. */
  readonly ref: Params;
}

function foreignRef(
  { ref }: CompletionRequest,
  { prompts, templates }: UpstreamSnapshot,
): ForeignRef | undefined {
  if (ref.kind === "prompt") {
    const entry = prompts.find(({ listing }) => listing.name === ref.name);
    if (entry === undefined) return undefined;
    return { server: entry.server, ref: { type: "ref/prompt", name: entry.prompt } };
  }
  if (!templates.some(({ uriTemplate }) => uriTemplate === ref.uriTemplate)) return undefined;
  const foreign = readForeignUri(ref.uriTemplate);
  if (foreign === undefined) return undefined;
  return { server: foreign.server, ref: { type: "ref/resource", uri: foreign.uri } };
}

function valuesOf(result: unknown): readonly string[] {
  const completion = isObject(result) ? result.completion : undefined;
  const values = isObject(completion) ? completion.values : undefined;
  if (!Array.isArray(values)) return [];
  return values.filter((value) => typeof value === "string");
}
