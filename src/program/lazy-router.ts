import type { CallOutcome, CallRequest, Router } from "../gateway/call.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";
import type { ToolServices } from "./tool-services.ts";

/** Lists tools at once; makes the services behind them when they are first needed. */
export class LazyRouter implements Router {
  readonly #parts: ProgramParts;
  readonly #options: ToolServicesOptions;
  readonly #listings: readonly ToolListing[];
  #loading: Promise<ToolServices> | undefined;
  #services: ToolServices | undefined;

  constructor(parts: ProgramParts, options: ToolServicesOptions) {
    this.#parts = parts;
    this.#options = options;
    const { settings } = options.start.config;
    this.#listings = parts.cards
      .map((card) => card.listing)
      .filter((listing) => settings.isToolEnabled(listing.name));
  }

  list(): readonly ToolListing[] {
    return this.#listings;
  }

  call(request: CallRequest): Promise<CallOutcome> {
    const router = this.#services?.router;
    return router?.call(request) ?? this.#load().then((services) => services.router.call(request));
  }

  /** Gets ready for the first call. */
  async warm(): Promise<void> {
    const services = await this.#load();
    services.warm();
  }

  /** Ends what calls have started. */
  async close(): Promise<void> {
    const services = await this.#loading;
    await services?.close();
  }

  #load(): Promise<ToolServices> {
    this.#loading ??= this.#makeServices();
    return this.#loading;
  }

  async #makeServices(): Promise<ToolServices> {
    await this.#options.beforeServices?.();
    const module = await import("./tool-services.ts");
    this.#services = new module.ToolServices(this.#parts, this.#options);
    return this.#services;
  }
}
