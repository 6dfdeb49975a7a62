import { isolations } from "./isolation.ts";
import { OptionReader } from "./option-reader.ts";
import { readRootsRule } from "./roots-rule.ts";
import {
  type AskRight,
  EntryFault,
  type OauthOptions,
  type ServerOptions,
} from "./server-entry.ts";
import {
  type IdpOptions,
  keyAlgorithms,
  type KeyOptions,
  type ServiceGrant,
  serviceGrants,
  type ServiceOptions,
  type WrittenSecret,
} from "./service-options.ts";

/**
 * Reads the table `oauth` of an entry. Clients write these names in snake case or in camel case.
 * @throws EntryFault for a login without a person that lacks a required key
 */
function readOauth(reader: OptionReader): OauthOptions {
  const clientId = text(reader, "client_id", "clientId");
  const clientSecret = text(reader, "client_secret", "clientSecret");
  const scopes = reader.list("scopes");
  const issuer = text(reader, "issuer");
  const ports = { min: 1, max: 65_535 };
  const redirectPort =
    reader.integer("redirect_port", ports, undefined) ??
    reader.integer("callbackPort", ports, undefined);
  const options: OauthOptions = {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes !== undefined && { scopes }),
    ...(redirectPort !== undefined && { redirectPort }),
    ...(issuer !== undefined && { issuer }),
  };
  const grants = ["authorization_code", ...serviceGrants] as const;
  const grant = reader.right("grant", grants, undefined);
  if (grant === undefined || grant === "authorization_code") return options;
  return { ...options, service: readService(reader, grant, options) };
}

/** @throws EntryFault */
function readService(
  reader: OptionReader,
  grant: ServiceGrant,
  { clientId, clientSecret }: OauthOptions,
): ServiceOptions {
  if (clientId === undefined) throw lacks(grant, "client_id");
  const key = readKey(reader);
  const proofs = [clientSecret, key?.text, key?.file].filter((proof) => proof !== undefined);
  // A program that its platform vouches for needs no proof of its own.
  if (proofs.length > 1 || (proofs.length === 0 && grant !== "workload")) {
    throw lacks(grant, "one of client_secret, private_key and private_key_file");
  }
  return { grant, ...(key !== undefined && { key }), ...readVoucher(reader, grant) };
}

/**
 * The identity provider or the platform's token, for grants that need one.
 * @throws EntryFault
 */
function readVoucher(
  reader: OptionReader,
  grant: ServiceGrant,
): Pick<ServiceOptions, "idp" | "workload"> {
  switch (grant) {
    case "client_credentials":
      return {};
    case "enterprise": {
      const idp = readIdp(reader);
      if (idp === undefined) throw lacks(grant, "idp_issuer, idp_client_id and id_token");
      return { idp };
    }
    case "workload": {
      const workload = written(reader, "workload_token");
      if (workload === undefined) throw lacks(grant, "workload_token or workload_token_file");
      return { workload };
    }
  }
}

function lacks(grant: ServiceGrant, what: string): EntryFault {
  return new EntryFault(`has oauth.grant ${grant}, which needs ${what}`);
}

function readKey(reader: OptionReader): KeyOptions | undefined {
  const key = written(reader, "private_key");
  if (key === undefined) return undefined;
  const algorithm = reader.right("algorithm", keyAlgorithms, undefined);
  const id = text(reader, "kid");
  return {
    ...key,
    ...(algorithm !== undefined && { algorithm }),
    ...(id !== undefined && { id }),
  };
}

/** Undefined when a required key is missing. */
function readIdp(reader: OptionReader): IdpOptions | undefined {
  const issuer = text(reader, "idp_issuer");
  const clientId = text(reader, "idp_client_id");
  const clientSecret = text(reader, "idp_client_secret");
  const idToken = text(reader, "id_token");
  if (issuer === undefined || clientId === undefined || idToken === undefined) return undefined;
  return { issuer, clientId, idToken, ...(clientSecret !== undefined && { clientSecret }) };
}

/** A secret written in the entry, or in a file that the entry names. */
function written(reader: OptionReader, key: string): WrittenSecret | undefined {
  const inEntry = text(reader, key);
  const file = text(reader, `${key}_file`);
  if (inEntry === undefined && file === undefined) return undefined;
  return { ...(inEntry !== undefined && { text: inEntry }), ...(file !== undefined && { file }) };
}

/** The first of `keys` that is present, if it is a non-empty string. */
function text({ entry }: OptionReader, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => entry[key]).find((found) => found !== undefined);
  return typeof value === "string" && value !== "" ? value : undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
const askRights: readonly AskRight[] = ["deny", "ask", "allow"];

/** The options of an entry without optional keys. */
export const defaultServerOptions: ServerOptions = {
  deny: [],
  timeoutMs: 600_000,
  initTimeoutMs: 30_000,
  idleMs: 300_000,
  defer: "auto",
  alwaysLoad: [],
  idleStopS: 0,
  sampling: "deny",
  elicitation: "ask",
  autoApprove: false,
  era: "auto",
  inheritEnv: [],
  start: "lazy",
  launcher: "direct",
  restart: true,
  handover: true,
  promote: false,
  pollS: 0,
};

/**
 * Reads the optional keys of an entry.
 * @throws EntryFault for a bad value of a key that gives or takes rights
 */
export function readOptions(reader: OptionReader): ServerOptions {
  return { ...readLimits(reader), ...readRights(reader), ...readConduct(reader) };
}

type Limits = Pick<
  ServerOptions,
  "timeoutMs" | "initTimeoutMs" | "idleMs" | "maxResultChars" | "idleStopS" | "pollS"
>;

function readLimits(reader: OptionReader): Limits {
  const defaults = defaultServerOptions;
  const chars = reader.integer("max_result_chars", { min: 1000, max: 10_000_000 }, undefined);
  return {
    timeoutMs: reader.integer("timeout_ms", { min: 1000, max: dayMs }, defaults.timeoutMs),
    initTimeoutMs: reader.integer(
      "init_timeout_ms",
      { min: 100, max: 600_000 },
      defaults.initTimeoutMs,
    ),
    idleMs: reader.integer("idle_ms", { min: 1000, max: dayMs }, defaults.idleMs),
    ...(chars !== undefined && { maxResultChars: chars }),
    idleStopS: reader.integer("idle_stop_s", { min: 0, max: 30 * 86_400 }, defaults.idleStopS),
    pollS: reader.integer("poll_s", { min: 0, max: 86_400 }, defaults.pollS),
  };
}

type Rights = Pick<
  ServerOptions,
  | "allow"
  | "deny"
  | "policy"
  | "isolation"
  | "sampling"
  | "elicitation"
  | "roots"
  | "autoApprove"
  | "inheritEnv"
>;

function readRights(reader: OptionReader): Rights {
  const defaults = defaultServerOptions;
  const allow = reader.list("allow");
  const policy = reader.right("policy", askRights, undefined);
  const roots = readRootsRule(reader.entry["roots"]);
  const isolation = reader.right("isolation", isolations, undefined);
  return {
    ...(allow !== undefined && { allow }),
    deny: reader.list("deny") ?? [],
    ...(policy !== undefined && { policy }),
    ...(isolation !== undefined && { isolation }),
    sampling: reader.right("sampling", askRights, defaults.sampling),
    elicitation: reader.right("elicitation", askRights, defaults.elicitation),
    ...(roots !== undefined && { roots }),
    autoApprove: reader.right("auto_approve", [true, false], defaults.autoApprove),
    inheritEnv: reader.list("inherit_env") ?? [],
  };
}

type Conduct = Omit<ServerOptions, keyof Limits | keyof Rights>;

function readConduct(reader: OptionReader): Conduct {
  const defaults = defaultServerOptions;
  const prefix = reader.entry["tools_prefix"];
  const oauth = reader.table("oauth");
  const isPrefix = typeof prefix === "string" && /^[\w.-]{1,64}$/.test(prefix);
  if (prefix !== undefined && !isPrefix) {
    reader.notes.warn(
      "tools_prefix must be 1 to 64 letters, digits, _ - or .; using the server's name.",
    );
  }
  return {
    ...(isPrefix && { toolsPrefix: prefix }),
    defer: reader.choice("defer", ["auto", true, false], defaults.defer),
    alwaysLoad: reader.list("always_load") ?? [],
    era: reader.choice("era", ["auto", "legacy", "modern"], defaults.era),
    ...(oauth !== undefined && { oauth: readOauth(new OptionReader(oauth, reader.notes)) }),
    start: reader.choice("start", ["lazy", "eager"], defaults.start),
    launcher: reader.choice("launcher", ["direct", "as-is"], defaults.launcher),
    restart: reader.boolean("restart", defaults.restart),
    handover: reader.boolean("handover", defaults.handover),
    promote: reader.boolean("promote", defaults.promote),
  };
}
