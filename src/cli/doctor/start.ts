import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { ServerTrial } from "../command.ts";
import { type ClientManner, countedName, type ShownTool, shownTools } from "./client-manners.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

/** Milliseconds after which clients are known to give up a start; the least known bound. */
const startMsMax = 10_000;
/** A start that takes longer is felt. */
const slowMs = 1_000;
/** The least number of tokens that the product's own tools are promised to stay below. */
const ownTokensMax = 4_000;
/** Characters of a token, as models count English and JSON. */
const charsPerToken = 4;

/** How the client starts this program. */
export interface Launch {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the client's own entry, when that is started. */
  readonly replaceEntry?: string;
}

/** The start of this program as a client sees it. */
export async function startFindings(
  manner: ClientManner,
  launch: Launch,
  attempt: (launch: Launch) => Promise<ServerTrial>,
): Promise<readonly Finding[]> {
  let trial: ServerTrial;
  try {
    trial = await attempt(launch);
  } catch (error) {
    return [
      fault(
        "start",
        `as ${manner.clientName} the program does not start: ${messageOf(error)}`,
        launch.replaceEntry ?? `${product.name} config list shows problems of the configuration`,
      ),
    ];
  }
  return [
    { ...timeFinding(manner, trial), facts: factsOf(manner, launch, trial) },
    ...toolFindings(manner, launch, trial.tools),
    ...(manner.id === "" ? [] : abilityFindings(manner, launch)),
    ...trial.stderr.map((line) => note("start", `it says on stderr: ${line}`)),
  ];
}

/** The client's side of the start, for programs. Only the names of variables: their values may be secrets. */
function factsOf(
  manner: ClientManner,
  { words, env }: Launch,
  { tools }: ServerTrial,
): Readonly<Record<string, unknown>> {
  const { clientName, revision, capabilities } = manner;
  return {
    clientName,
    revision,
    capabilities,
    command: words,
    path: env["PATH"] ?? null,
    variables: Object.keys(env).toSorted(),
    tools: shownTools(manner, env, tools),
  };
}

function timeFinding(
  { clientName, revision }: ClientManner,
  { initializeMs, listMs }: ServerTrial,
): Finding {
  const total = Math.round(initializeMs + listMs);
  const started = `as ${clientName}, ${revision}: first answer ${Math.round(initializeMs)} ms, tools/list ${Math.round(listMs)} ms`;
  const remedy = `${product.name} mcp test shows which server is slow`;
  if (total > startMsMax) return fault("start", `${started}, longer than clients wait`, remedy);
  if (total > slowMs) return note("start", `${started}, which is slow`, remedy);
  return ok("start", started);
}

/** Where a known client shows questions, and which variables it passes to its servers. */
function abilityFindings(
  { capabilities, passesOn }: ClientManner,
  { env }: Launch,
): readonly Finding[] {
  const asks =
    "elicitation" in capabilities
      ? "it shows forms: questions to you appear in it"
      : `it shows no forms: questions appear in ${product.name} attach or a browser`;
  return [ok("start", asks), ok("start", `it passes on ${variablesOf(passesOn, env)}`)];
}

function variablesOf(passesOn: ClientManner["passesOn"], env: Launch["env"]): string {
  if (passesOn.kind === "window") return `no shell variables; PATH=${env["PATH"] ?? ""}`;
  const isWhole = passesOn.kind === "all" && passesOn.but === undefined;
  return `${isWhole ? "all" : "some"} shell variables`;
}

function toolFindings(
  manner: ClientManner,
  { env }: Launch,
  tools: ServerTrial["tools"],
): readonly Finding[] {
  const listed = shownTools(manner, env, tools);
  const searched = listed.filter(({ shown }) => shown === null).length;
  return [
    countFinding(manner, tools, listed),
    ...(searched === 0 ? [] : [ok("start", `the model searches for ${searched} of them`)]),
    ...nameFindings(manner, tools),
  ];
}

function countFinding(
  { toolsMax }: ClientManner,
  tools: ServerTrial["tools"],
  listed: readonly ShownTool[],
): Finding {
  if (tools.length === 0) {
    const remedy = `${product.name} config list --show-source: TOOLS or TOOL_… is off`;
    return fault("start", "the client is offered no tool", remedy);
  }
  const tokens = Math.ceil(JSON.stringify(tools).length / charsPerToken);
  const count = `${tools.length} tools, some ${tokens} tokens`;
  const remedy = "start it with --defer on";
  if (toolsMax !== undefined && tools.length > toolsMax)
    return fault("start", `${count}: the client takes ${toolsMax}`, remedy);
  const isWhole = listed.every(({ shown }) => shown !== null);
  if (tokens > ownTokensMax * 5 && isWhole)
    return note("start", `${count} at the beginning of each conversation`, remedy);
  const first = listed.find(({ shown }) => shown !== null)?.shown ?? "";
  return ok("start", first === "" ? count : `${count}; the model sees ${first}`);
}

/** Tools that the client's model is shown otherwise than we name and describe them. */
function nameFindings(manner: ClientManner, tools: ServerTrial["tools"]): readonly Finding[] {
  const { nameCharsMax, longNameCharsKept, ownNames = [] } = manner;
  const { descriptionCharsMax = Number.POSITIVE_INFINITY } = manner;
  const long = tools
    .map(({ name }) => countedName(manner, name))
    .filter((name) => name.length > nameCharsMax);
  const cut = tools.filter(({ description = "" }) => description.length > descriptionCharsMax);
  const hidden = tools.filter(({ name }) => ownNames.includes(name));
  const [longest] = long.toSorted((one, other) => other.length - one.length);
  const others = long.length > 1 ? `, and ${long.length - 1} more` : "";
  const remedy = "set a shorter tools_prefix for its server";
  return [
    ...(longest === undefined
      ? []
      : longNameCharsKept === undefined
        ? [
            fault(
              "start",
              `the name ${longest} is longer than ${nameCharsMax} characters${others}`,
              remedy,
            ),
          ]
        : [
            note(
              "start",
              `the client shortens ${longest} to ${nameCharsMax} characters${others}`,
              remedy,
            ),
          ]),
    ...cut.map(({ name }) =>
      note(
        "start",
        `the client cuts the description of ${name} at ${descriptionCharsMax} characters`,
      ),
    ),
    ...hidden.map(({ name }) =>
      note("start", `the client has a tool of its own named ${name}, which is called instead`),
    ),
  ];
}
