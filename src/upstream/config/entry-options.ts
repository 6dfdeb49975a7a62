import type { AskRight, ServerOptions } from "./server-entry.ts";
import { readOauth } from "./oauth-options.ts";
import { isolations } from "./isolation.ts";
import { OptionReader } from "./option-reader.ts";
import { readRootsRule } from "./roots-rule.ts";

const dayMs = 24 * 60 * 60 * 1000;
const askRights: readonly AskRight[] = ["deny", "ask", "allow"];

/** What holds for an entry without optional keys. */
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
 * The optional keys of an entry.
 * @throws EntryFault for a bad value of a key that is about rights
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
    reader.notes.warn("tools_prefix is not 1 to 64 letters, digits, _ - or .; the name counts.");
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
