import { AppError } from "../../../base/errors.ts";
import { isLoopbackName } from "./allowed-hosts.ts";

/**
 * The values of `Origin` that requests may have. Pages of this machine are allowed; every other page must have been
 * configured (docs/spec/modern.md#endpoint).
 */
export class AllowedOrigins {
  readonly #configured: ReadonlySet<string>;

  /** @throws AppError `config` for an entry that is not an origin, such as `*` */
  constructor(configured: readonly string[]) {
    this.#configured = new Set(configured.map(readConfigured));
  }

  /** True when no page but those of this machine may read our answers. */
  get isEmpty(): boolean {
    return this.#configured.size === 0;
  }

  /** @param origin the header; an absent one needs no permission, because browsers send it with every POST */
  allows(origin: string): boolean {
    return this.isConfigured(origin) || isLoopbackOrigin(origin);
  }

  /** Whether it was named in the configuration, so that its pages may also read our answers. */
  isConfigured(origin: string): boolean {
    return this.#configured.has(origin);
  }
}

/** Browsers write origins in one form only; what comes in another form did not come from one. */
function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return (url.protocol === "http:" || url.protocol === "https:") && isLoopbackName(url.hostname);
}

/** The entry in the form in which browsers write it. */
function readConfigured(entry: string): string {
  const url = URL.parse(entry);
  const isBare = url !== null && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  if (isBare && url.host !== "" && url.username === "") return `${url.protocol}//${url.host}`;
  throw new AppError(
    "config",
    `"${entry}" is not an origin: give scheme, name and port, such as https://app.example or http://10.0.0.5:3000.`,
  );
}
