import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { ServerTrial } from "../command.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

/** How a client starts servers, and its bounds (docs/adapters.md has the sources). */
export interface ClientManner {
  readonly id: string;
  /** `clientInfo.name`. */
  readonly clientName: string;
  readonly revision: string;
  /** A program with windows gives its servers no PATH of the user's shell. */
  readonly hasWindow: boolean;
  /** Characters of a name as the model sees it. */
  readonly nameCharsMax: number;
  /** Tools of all servers together; absent: no known bound. */
  readonly toolsMax?: number;
  /** Characters of one description that the model sees; absent: no known bound. */
  readonly descriptionCharsMax?: number;
}

const usual = { revision: "2025-06-18", nameCharsMax: 64 } as const;

export const clientManners: readonly ClientManner[] = [
  { id: "claude-desktop", clientName: "claude-ai", ...usual, hasWindow: true },
  {
    id: "claude-code",
    clientName: "claude-code",
    ...usual,
    revision: "2025-11-25",
    hasWindow: false,
    descriptionCharsMax: 2048,
  },
  { id: "cursor", clientName: "cursor-vscode", ...usual, hasWindow: true, nameCharsMax: 60 },
  {
    id: "vscode",
    clientName: "Visual Studio Code",
    ...usual,
    revision: "2025-11-25",
    hasWindow: true,
    toolsMax: 128,
  },
  { id: "windsurf", clientName: "windsurf-client", ...usual, hasWindow: true, toolsMax: 100 },
  { id: "zed", clientName: "Zed", ...usual, hasWindow: true },
  { id: "codex", clientName: "codex-mcp-client", ...usual, hasWindow: false },
  {
    id: "gemini",
    clientName: "gemini-cli-mcp-client",
    ...usual,
    hasWindow: false,
    nameCharsMax: 63,
  },
  { id: "opencode", clientName: "opencode", ...usual, hasWindow: false },
  { id: "goose", clientName: "goose", ...usual, hasWindow: true },
];

/** PATH of a program that was not started by a shell. */
const barePath = "/usr/bin:/bin:/usr/sbin:/sbin";

/** The environment in which the client would start a server. */
export function environmentOf(
  { hasWindow }: Pick<ClientManner, "hasWindow">,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = hasWindow
    ? [
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
      ]
    : Object.keys(env);
  const entries = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const path = hasWindow && process.platform !== "win32" ? barePath : (env.PATH ?? barePath);
  // Settings of this shell are not the client's.
  return {
    ...Object.fromEntries(
      entries.filter(([name]) => !name.startsWith("SCORPIOX_") || name === "SCORPIOX_HOME"),
    ),
    PATH: path,
  };
}

/** Milliseconds after which clients are known to give up a start; the least known bound. */
const startMsMax = 10_000;
/** A start that takes longer is felt. */
const slowMs = 1_000;
/** The least number of tokens that the product's own tools are promised to stay below. */
const ownTokensMax = 4_000;
/** Characters of a token, as models count English and JSON. */
const charsPerToken = 4;

/** The start of this program as a client sees it. */
export async function startFindings(
  manner: ClientManner,
  attempt: () => Promise<ServerTrial>,
): Promise<readonly Finding[]> {
  let trial: ServerTrial;
  try {
    trial = await attempt();
  } catch (error) {
    return [
      fault(
        "start",
        `as ${manner.clientName} the program does not start: ${messageOf(error)}`,
        `${product.name} config list shows problems of the configuration`,
      ),
    ];
  }
  const { initializeMs, listMs, tools, stderr } = trial;
  const total = Math.round(initializeMs + listMs);
  const started = `as ${manner.clientName}: initialize ${Math.round(initializeMs)} ms, tools/list ${Math.round(listMs)} ms`;
  return [
    total > startMsMax
      ? fault(
          "start",
          `${started}, longer than clients wait`,
          `${product.name} mcp test shows which server is slow`,
        )
      : total > slowMs
        ? note(
            "start",
            `${started}, which is slow`,
            `${product.name} mcp test shows which server is slow`,
          )
        : ok("start", started),
    ...toolFindings(manner, tools),
    ...stderr.map((line) => note("start", `it says on stderr: ${line}`)),
  ];
}

function toolFindings(
  { nameCharsMax, toolsMax, descriptionCharsMax }: ClientManner,
  tools: ServerTrial["tools"],
): readonly Finding[] {
  const tokens = Math.ceil(JSON.stringify(tools).length / charsPerToken);
  const shown = `${tools.length} tools, some ${tokens} tokens`;
  const nameOf = (name: string): string => `mcp__${product.name}__${name}`;
  const long = tools.filter(({ name }) => nameOf(name).length > nameCharsMax);
  const cut = tools.filter(
    ({ description = "" }) =>
      description.length > (descriptionCharsMax ?? Number.POSITIVE_INFINITY),
  );
  return [
    tools.length === 0
      ? fault(
          "start",
          "the client is offered no tool",
          `${product.name} config list --show-source: TOOLS or TOOL_… is off`,
        )
      : toolsMax !== undefined && tools.length > toolsMax
        ? fault("start", `${shown}: the client takes ${toolsMax}`, "start it with --defer on")
        : tokens > ownTokensMax * 5
          ? note(
              "start",
              `${shown} at the beginning of each conversation`,
              "start it with --defer on",
            )
          : ok("start", shown),
    ...long.map(({ name }) =>
      fault(
        "start",
        `the name ${nameOf(name)} is longer than ${nameCharsMax} characters`,
        "set a shorter tools_prefix for its server",
      ),
    ),
    ...cut.map(({ name }) =>
      note(
        "start",
        `the client cuts the description of ${name} at ${descriptionCharsMax ?? 0} characters`,
      ),
    ),
  ];
}
