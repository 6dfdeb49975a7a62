import type { PromptListing, PromptMessage, PromptResult } from "../../protocol/prompt-types.ts";
import type { PromptEntry } from "../../upstream/snapshot.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { PromptProvider } from "../features.ts";
import { askForeign } from "./foreign-requests.ts";
import type { UpstreamProvidersParts } from "./upstream-resources.ts";

/** Our prompts and those of other servers (RP1, RP3). A name of ours is never another server's. */
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
    const checked = messages as PromptMessage[];
    return { messages: checked, ...(typeof description === "string" ? { description } : {}) };
  }

  async #foreign(name: string): Promise<PromptEntry | undefined> {
    const { prompts } = await this.#parts.known();
    return prompts.find(({ listing }) => listing.name === name);
  }
}
