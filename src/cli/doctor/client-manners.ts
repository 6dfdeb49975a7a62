/** Which variables of the shell a client passes on to its servers. */
type PassesOn =
  /** All of them, but for those with these names. */
  | { readonly kind: "all"; readonly but?: RegExp }
  | { readonly kind: "only"; readonly names: readonly string[] }
  /** A program with windows was started by no shell: it has none of the shell's variables, and a bare PATH. */
  | { readonly kind: "window" };

/**
 * How a client starts servers, and what its model is shown. Rows with `recorded` are compared with the client itself by
 * `bun run verify --only doctor-as`; the others are from its documentation and source.
 */
export interface ClientManner {
  readonly id: string;
  /** `clientInfo.name`. */
  readonly clientName: string;
  readonly revision: string;
  /** The capabilities that it declares. */
  readonly capabilities: Readonly<Record<string, object>>;
  readonly passesOn: PassesOn;
  /** The text before a tool's name, as its model sees it; a namespace ends with `/`. */
  readonly prefix: string;
  /** Characters of a name as the model sees it, without the namespace. */
  readonly nameCharsMax: number;
  /** It shortens longer names to this beginning and a hash, and calls the right tool; absent: it refuses them. */
  readonly longNameCharsKept?: number;
  /** Tools of all servers together; absent: no known bound. */
  readonly toolsMax?: number;
  /** Characters of one description that the model sees; absent: no known bound. */
  readonly descriptionCharsMax?: number;
  /** It shows its model the tools that are marked for that, and lets it search for the others, unless this variable is `false`. */
  readonly searchVariable?: string;
  /** Names of its own tools that hide our tools of the same name. */
  readonly ownNames?: readonly string[];
  readonly recorded?: true;
}

const prefix = "mcp__scorpiox-code__";
const all: PassesOn = { kind: "all" };
const window: PassesOn = { kind: "window" };
const forms = { elicitation: { form: {}, url: {} } };

/** The manner of an unknown client. */
export const usualManner: ClientManner = {
  id: "",
  clientName: "doctor",
  revision: "2025-06-18",
  capabilities: {},
  passesOn: window,
  prefix,
  nameCharsMax: 64,
};

/** The variables that the official SDKs pass on unless the client says otherwise. */
const sdkNames: PassesOn = {
  kind: "only",
  names:
    process.platform === "win32"
      ? [
          "APPDATA",
          "HOMEDRIVE",
          "HOMEPATH",
          "LOCALAPPDATA",
          "PATH",
          "PROCESSOR_ARCHITECTURE",
          "SYSTEMDRIVE",
          "SYSTEMROOT",
          "TEMP",
          "USERNAME",
          "USERPROFILE",
          "PROGRAMFILES",
        ]
      : ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"],
};

/** Files with the certificates of a company's proxy. */
const authorityNames = [
  "BUNDLE_SSL_CA_CERT",
  "CARGO_HTTP_CAINFO",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "NODE_EXTRA_CA_CERTS",
  "NPM_CONFIG_CAFILE",
  "REQUESTS_CA_BUNDLE",
  "SSL_CERT_FILE",
  "npm_config_cafile",
];

export const clientManners: readonly ClientManner[] = [
  { ...usualManner, id: "claude-desktop", clientName: "claude-ai" },
  {
    ...usualManner,
    id: "claude-code",
    clientName: "claude-code",
    revision: "2026-07-28",
    capabilities: { roots: { listChanged: true }, ...forms },
    passesOn: all,
    descriptionCharsMax: 4096,
    searchVariable: "ENABLE_TOOL_SEARCH",
    recorded: true,
  },
  { ...usualManner, id: "cursor", clientName: "cursor-vscode", nameCharsMax: 60 },
  {
    ...usualManner,
    id: "vscode",
    clientName: "Visual Studio Code",
    revision: "2025-11-25",
    toolsMax: 128,
  },
  { ...usualManner, id: "windsurf", clientName: "windsurf-client", toolsMax: 100 },
  { ...usualManner, id: "zed", clientName: "Zed" },
  {
    ...usualManner,
    id: "codex",
    clientName: "codex-mcp-client",
    capabilities: { experimental: { "codex/auth-change": {} }, ...forms },
    passesOn: {
      kind: "only",
      names: [
        "HOME",
        "LANG",
        "LC_ALL",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "__CF_USER_TEXT_ENCODING",
        ...authorityNames,
      ],
    },
    prefix: "mcp__scorpiox_code/",
    recorded: true,
  },
  {
    ...usualManner,
    id: "gemini",
    clientName: "gemini-cli-mcp-client",
    capabilities: { roots: { listChanged: true } },
    passesOn: {
      kind: "all",
      but: /TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT|^(?:(?:AZURE_)?CLIENT_ID|DB_URI|CONNECTION_STRING|DATABASE_URL|AWS_DEFAULT_REGION|GOOGLE_CLOUD_PROJECT)$/i,
    },
    prefix: "mcp_scorpiox-code_",
    nameCharsMax: 63,
    recorded: true,
  },
  {
    ...usualManner,
    id: "qwen",
    clientName: "qwen-cli-mcp-client-scorpiox-code",
    revision: "2025-11-25",
    capabilities: {
      roots: {},
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
    },
    passesOn: all,
    nameCharsMax: 63,
    longNameCharsKept: 55,
    recorded: true,
  },
  {
    ...usualManner,
    id: "opencode",
    clientName: "opencode",
    revision: "2025-11-25",
    capabilities: { roots: {} },
    passesOn: all,
    prefix: "scorpiox-code_",
    recorded: true,
  },
  {
    ...usualManner,
    id: "copilot-cli",
    clientName: "copilot-cli",
    revision: "2026-07-28",
    capabilities: { sampling: {}, ...forms },
    passesOn: { kind: "all", but: /^(?:GITHUB_TOKEN|GH_TOKEN)$/ },
    prefix: "scorpiox-code/scorpiox-code-",
    recorded: true,
  },
  {
    ...usualManner,
    id: "cline-cli",
    clientName: "@cline/core",
    revision: "2024-11-05",
    passesOn: all,
    prefix: "scorpiox-code__",
    recorded: true,
  },
  {
    ...usualManner,
    id: "continue",
    clientName: "continue-cli-client",
    revision: "2025-11-25",
    passesOn: all,
    prefix: "",
    ownNames: ["Bash"],
    recorded: true,
  },
  { ...usualManner, id: "goose", clientName: "goose" },
  {
    ...usualManner,
    id: "inspector",
    clientName: "inspector-cli",
    revision: "2025-11-25",
    capabilities: {
      roots: { listChanged: true },
      extensions: {
        "io.modelcontextprotocol/tasks": {},
        "io.modelcontextprotocol/skills": {},
      },
    },
    passesOn: sdkNames,
    prefix: "",
    recorded: true,
  },
  {
    ...usualManner,
    id: "sdk-v1",
    clientName: "sdk-v1",
    revision: "2025-11-25",
    passesOn: sdkNames,
    prefix: "",
    recorded: true,
  },
  {
    ...usualManner,
    id: "sdk-v2",
    clientName: "sdk-v2",
    revision: "2025-11-25",
    passesOn: sdkNames,
    prefix: "",
    recorded: true,
  },
  {
    ...usualManner,
    id: "sdk-python",
    clientName: "mcp",
    revision: "2026-07-28",
    passesOn: sdkNames,
    prefix: "",
    recorded: true,
  },
];

/** PATH of a program that was not started by a shell. */
const barePath = "/usr/bin:/bin:/usr/sbin:/sbin";

const windowNames = [
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TMPDIR",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "SystemRoot",
];

/** The environment in which the client would start a server, if it were started from the shell that has `env`. */
export function environmentOf(
  { passesOn }: Pick<ClientManner, "passesOn">,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const isWindow = passesOn.kind === "window";
  const isKept = (name: string): boolean => {
    // Says where scorpiox-code's own files are; a user that sets it sets it for every program.
    if (name === "SCORPIOX_HOME") return passesOn.kind !== "only";
    if (isWindow) return windowNames.includes(name);
    return passesOn.kind === "all"
      ? passesOn.but?.test(name) !== true
      : passesOn.names.includes(name);
  };
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isKept(name) ? [[name, value] as const] : [],
  );
  const path = isWindow && process.platform !== "win32" ? barePath : (env["PATH"] ?? barePath);
  return { ...Object.fromEntries(kept), PATH: path };
}

/** A tool in `--json`. */
export interface ShownTool {
  readonly name: string;
  /** As the model sees it, with `…` for a hash; null: the model has to search for it. */
  readonly shown: string | null;
  readonly descriptionChars: number;
}

/** The tools as the client's model sees them. */
export function shownTools(
  manner: ClientManner,
  env: Readonly<Record<string, string>>,
  tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly _meta?: unknown;
  }[],
): readonly ShownTool[] {
  const { descriptionCharsMax, searchVariable } = manner;
  const isSearched = searchVariable !== undefined && env[searchVariable] !== "false";
  return tools.map(({ name, description = "", _meta: meta }) => ({
    name,
    shown: isSearched && !isAlwaysLoaded(meta) ? null : shownName(manner, name),
    descriptionChars: Math.min(description.length, descriptionCharsMax ?? description.length),
  }));
}

/** The name that a client's limit applies to: without the namespace. */
export function countedName({ prefix: before }: ClientManner, name: string): string {
  return before.slice(before.indexOf("/") + 1) + name;
}

/** With `…` in place of a hash. */
function shownName(manner: ClientManner, name: string): string {
  const { prefix: before, nameCharsMax, longNameCharsKept } = manner;
  const isCut = longNameCharsKept !== undefined && countedName(manner, name).length > nameCharsMax;
  return isCut ? `${(before + name).slice(0, longNameCharsKept)}…` : before + name;
}

function isAlwaysLoaded(meta: unknown): boolean {
  return (
    typeof meta === "object" &&
    meta !== null &&
    "anthropic/alwaysLoad" in meta &&
    meta["anthropic/alwaysLoad"] === true
  );
}
