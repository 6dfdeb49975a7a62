import type { ToolRisk } from "../../base/tool-kinds.ts";
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
  const usual = defaultServerOptions;
  const maxResultChars = reader.integer("max_result_chars", [1000, 10_000_000], undefined);
  const limits = {
    timeoutMs: reader.integer("timeout_ms", [1000, dayMs], usual.timeoutMs),
    initTimeoutMs: reader.integer("init_timeout_ms", [100, 600_000], usual.initTimeoutMs),
    idleMs: reader.integer("idle_ms", [1000, dayMs], usual.idleMs),
    ...(maxResultChars !== undefined && { maxResultChars }),
    idleStopS: reader.integer("idle_stop_s", [0, 30 * 86_400], usual.idleStopS),
    pollS: reader.integer("poll_s", [0, 86_400], usual.pollS),
  };
  const allow = reader.list("allow");
  const policy = reader.right("policy", askRights, undefined);
  const risk = readRisk(reader);
  const roots = readRootsRule(reader.entry["roots"]);
  const isolation = reader.right("isolation", isolations, undefined);
  const rights = {
    ...(allow !== undefined && { allow }),
    deny: reader.list("deny") ?? [],
    ...(policy !== undefined && { policy }),
    ...(risk !== undefined && { risk }),
    ...(isolation !== undefined && { isolation }),
    sampling: reader.right("sampling", askRights, usual.sampling),
    elicitation: reader.right("elicitation", askRights, usual.elicitation),
    ...(roots !== undefined && { roots }),
    autoApprove: reader.right("auto_approve", [true, false], usual.autoApprove),
    inheritEnv: reader.list("inherit_env") ?? [],
  };
  const oauth = reader.table("oauth");
  const toolsPrefix = readPrefix(reader);
  return {
    ...limits,
    ...rights,
    ...(toolsPrefix !== undefined && { toolsPrefix }),
    defer: reader.choice("defer", ["auto", true, false], usual.defer),
    alwaysLoad: reader.list("always_load") ?? [],
    era: reader.choice("era", ["auto", "legacy", "modern"], usual.era),
    ...(oauth !== undefined && { oauth: readOauth(new OptionReader(oauth, reader.notes)) }),
    start: reader.choice("start", ["lazy", "eager"], usual.start),
    launcher: reader.choice("launcher", ["direct", "as-is"], usual.launcher),
    restart: reader.boolean("restart", usual.restart),
    handover: reader.boolean("handover", usual.handover),
    promote: reader.boolean("promote", usual.promote),
  };
}

/** @throws EntryFault for anything but lists of strings */
function readRisk(reader: OptionReader): ServerOptions["risk"] {
  const table = reader.table("risk");
  if (table === undefined) return undefined;
  const lists = new OptionReader(table, reader.notes);
  const listOf = (risk: ToolRisk): readonly string[] => lists.list(risk) ?? [];
  return { read: listOf("read"), write: listOf("write"), destructive: listOf("destructive") };
}

function readPrefix({ entry, notes }: OptionReader): string | undefined {
  const prefix = entry["tools_prefix"];
  if (typeof prefix === "string" && /^[\w.-]{1,64}$/.test(prefix)) return prefix;
  if (prefix !== undefined) {
    notes.warn("tools_prefix must be 1 to 64 letters, digits, _ - or .; using the server's name.");
  }
  return undefined;
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
  entry: Pick<ServerEntry, "launch" | "options" | "origin">,
  principals: Principals,
): Isolation {
  const { launch, options, origin } = entry;
  const isPersonal = isPerUser(entry, principals);
  const usual =
    principals === "several" || isPersonal || namesPrincipal(launch) ? "user" : "shared";
  const wanted = options.isolation ?? usual;
  const isLooser = isolations.indexOf(wanted) < isolations.indexOf(usual);
  const kept = (origin.trust === "project" || isPersonal) && isLooser ? usual : wanted;
  // One person has one connection.
  return kept === "user" && principals === undefined ? "shared" : kept;
}

/** Whether each principal has a login of its own there. Without principals there is one user, with one login. */
export function isPerUser(
  { options }: Pick<ServerEntry, "options">,
  principals: Principals,
): boolean {
  return principals !== undefined && options.oauth?.perUser !== undefined;
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
