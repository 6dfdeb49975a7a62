import type { ResourceListing, ResourceTemplateListing } from "../../protocol/resource-types.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { ResourceProvider, ResourceReading } from "../features.ts";

/** Several providers as one, each with URIs of its own: the first that knows a URI answers for it. */
export class JoinedResources implements ResourceProvider {
  readonly #providers: readonly ResourceProvider[];

  constructor(providers: readonly ResourceProvider[]) {
    this.#providers = providers;
  }

  async list(client: ClientContext): Promise<readonly ResourceListing[]> {
    return (await Promise.all(this.#providers.map((each) => each.list(client)))).flat();
  }

  async templates(client: ClientContext): Promise<readonly ResourceTemplateListing[]> {
    return (await Promise.all(this.#providers.map((each) => each.templates(client)))).flat();
  }

  async read(uri: string, context: RequestContext): Promise<ResourceReading | undefined> {
    for (const provider of this.#providers) {
      const reading = await provider.read(uri, context);
      if (reading !== undefined) return reading;
    }
    return undefined;
  }

  prepareWatch(uris: readonly string[], client: ClientContext): Promise<void> | undefined {
    const asking = this.#providers.flatMap((each) => each.prepareWatch?.(uris, client) ?? []);
    return asking.length === 0 ? undefined : Promise.all(asking).then(() => {});
  }

  canSubscribe(uri: string, client: ClientContext): boolean {
    return this.#providers.some((each) => each.canSubscribe(uri, client));
  }

  watch(uri: string, client: ClientContext): () => void {
    const ends = this.#providers
      .filter((each) => each.canSubscribe(uri, client))
      .map((each) => each.watch?.(uri, client));
    return () => {
      for (const end of ends) end?.();
    };
  }
}
