import { readOauth } from "./oauth-options.ts";
import { OptionReader, readRootsRule } from "./option-reader.ts";
import type {
  AskRight,
  ServerOptions,
  ServerEntry,
  Isolation,
  Principals,
  UpstreamConfig,
} from "./server-entry.ts";
import { namesPrincipal } from "./text-expander.ts";

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

/** One effective setting of a server. */
export interface EntryField {
  /** As files write it. */
  readonly key: string;
  readonly value: unknown;
  /** `default`: the entry does not, or may not, set anything else. */
  readonly source: "entry" | "default";
}

/** Every setting of an entry, under the names that files have for them. */
export function entryFields(entry: ServerEntry): readonly EntryField[] {
  const { transport: _transport, ...launch } = entry.launch;
  const launchFields = Object.entries(launch).map(
    ([key, value]: [string, unknown]): EntryField => ({
      key,
      value,
      source: isEmpty(value) ? "default" : "entry",
    }),
  );
  const enabled: EntryField = {
    key: "enabled",
    value: entry.isEnabled,
    source: entry.isEnabled ? "default" : "entry",
  };
  const defaults: Readonly<Record<string, unknown>> = { ...defaultServerOptions };
  const optionFields = Object.entries(entry.options).map(
    ([key, value]: [string, unknown]): EntryField => {
      const usual = defaults[key];
      const isUsual = JSON.stringify(value) === JSON.stringify(usual);
      return { key: snakeCase(key), value, source: isUsual ? "default" : "entry" };
    },
  );
  return [...launchFields, enabled, ...optionFields];
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** From sharing everything to sharing nothing. */
export const isolations: readonly Isolation[] = ["shared", "workspace", "user", "session", "call"];

/**
 * Which principals share a connection to this server. As soon as several principals are served, each has its own unless
 * the user's entry says otherwise: one principal must not read the data that another has stored in a server. A
 * project's file can only make this stricter.
 */
export function isolationOf(
  { launch, options, origin }: Pick<ServerEntry, "launch" | "options" | "origin">,
  principals: Principals,
): Isolation {
  const usual = principals === "several" || namesPrincipal(launch) ? "user" : "shared";
  const wanted = options.isolation ?? usual;
  const isLooser = isolations.indexOf(wanted) < isolations.indexOf(usual);
  const kept = origin.trust === "project" && isLooser ? usual : wanted;
  // One person has one connection.
  return kept === "user" && principals === undefined ? "shared" : kept;
}

/**
 * Notices, for people, about the user's entries that share a connection which each principal would otherwise have for
 * itself.
 */
export function sharedNotices(
  { servers }: Pick<UpstreamConfig, "servers">,
  principals: Principals,
): readonly string[] {
  if (principals !== "several") return [];
  return [...servers.values()].flatMap(({ entry }) => {
    const isolation = isolationOf(entry, "several");
    if (!entry.isEnabled || (isolation !== "shared" && isolation !== "workspace")) return [];
    return [
      `The MCP server ${entry.name} has isolation = "${isolation}": all principals share its connection, and one may read ` +
        `what another has stored there. Take the key out of its entry to give each principal its own.`,
    ];
  });
}
