import { AppError } from "../../base/errors.ts";

/** Where the shared engine is. */
export interface SharedUrl {
  /** For the client; may hold a password. */
  readonly url: string;
  /** For messages: the kind of the engine and its address, never a user or password. */
  readonly label: string;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["redis:", "Redis"],
  ["rediss:", "Redis"],
  ["valkey:", "Valkey"],
]);

const examples = "write it like redis://USER:PASSWORD@HOST:6379, rediss://… for TLS, or valkey://…";

/**
 * Reads `SHARED_URL`.
 * @throws AppError "config"; the message never repeats the value, which may hold a password
 */
export function parseSharedUrl(text: string): SharedUrl {
  const fail = (what: string): never => {
    throw new AppError("config", `SHARED_URL ${what}: ${examples}.`);
  };
  const url = URL.parse(text.trim());
  if (url === null) {
    const isSeveral = /^\w+:\/\/[^/]*,/.test(text);
    return fail(isSeveral ? "must have one address, not several" : "is not a URL");
  }
  const kind = kinds.get(url.protocol);
  if (kind === undefined) return fail(`has the scheme ${url.protocol.slice(0, 20)}`);
  if (url.hostname === "") return fail("has no host");
  if (url.hostname.includes(",")) return fail("must have one address, not several");
  if (!/^(?:\/\d{0,4})?$/.test(url.pathname))
    return fail("has a path that is not a database number");
  if (url.search !== "" || url.hash !== "")
    return fail("has more than a host and a database number");
  return { url: text.trim(), label: `${kind} at ${url.hostname}:${url.port || "6379"}` };
}

/**
 * Reads `FLEET_NAME`: replicas with the same name are one fleet.
 * @throws AppError "config"
 */
export function parseFleetName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,39}$/.test(text)) return text;
  throw new AppError(
    "config",
    `FLEET_NAME ${JSON.stringify(text.slice(0, 60))} is not a name: use at most 40 lower-case letters, digits and hyphens.`,
  );
}

/** Raised when the layout of the keys changes: two versions of the program then do not read each other's keys. */
const layoutVersion = 1;

/** The names of keys and channels of one fleet: all of them begin with one prefix, which an ACL can name. */
export class FleetKeys {
  readonly prefix: string;

  /** @param fleetName of `parseFleetName` */
  constructor(fleetName: string) {
    this.prefix = `scorpiox:${fleetName}:${layoutVersion}:`;
  }

  /** @param parts words and ids made by the fleet; none has a colon */
  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(":");
  }
}
