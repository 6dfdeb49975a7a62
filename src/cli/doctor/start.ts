import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { ServerTrial } from "../command.ts";
import { type ClientManner, shownTools } from "./client-manners.ts";
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
        `${product.name} config list shows problems of the configuration`,
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

/** What the client gives and sees, for programs. Of the environment the names alone: values may be secrets. */
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

/** What a known client can do besides calling tools, and what our program can start there. */
function abilityFindings(
  { capabilities, handsOn }: ClientManner,
  { env }: Launch,
): readonly Finding[] {
  const asks =
    "elicitation" in capabilities
      ? "it shows forms: questions to you appear in it"
      : `it shows no forms: questions to you appear in ${product.name} attach, or in a browser`;
  const whose = handsOn.kind === "window" ? "no variable of a shell" : "its shell's variables";
  const some = handsOn.kind === "all" && handsOn.but === undefined ? "all" : "some";
  return [
    ok("start", asks),
    ok(
      "start",
      `it gives its servers ${handsOn.kind === "window" ? whose : `${some} of ${whose}`}; PATH=${env["PATH"] ?? ""}`,
    ),
  ];
}

function toolFindings(
  manner: ClientManner,
  { env }: Launch,
  tools: ServerTrial["tools"],
): readonly Finding[] {
  const { nameCharsMax, toolsMax, descriptionCharsMax, ownNames = [] } = manner;
  const listed = shownTools(manner, env, tools);
  const tokens = Math.ceil(JSON.stringify(tools).length / charsPerToken);
  const isSearched = listed.some(({ shown }) => shown === null);
  const shown = `${tools.length} tools, some ${tokens} tokens`;
  const [first] = listed.filter((tool) => tool.shown !== null);
  const named = first === undefined ? "" : `; the model sees ${first.shown ?? ""}`;
  const long = tools.filter(({ name }) => nameOf(manner, name).length > nameCharsMax);
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
        : tokens > ownTokensMax * 5 && !isSearched
          ? note(
              "start",
              `${shown} at the beginning of each conversation`,
              "start it with --defer on",
            )
          : ok("start", `${shown}${named}`),
    ...(isSearched
      ? [
          ok(
            "start",
            `the model searches for ${listed.filter((tool) => tool.shown === null).length} of them`,
          ),
        ]
      : []),
    ...long.map(({ name }) =>
      fault(
        "start",
        `the name ${nameOf(manner, name)} is longer than ${nameCharsMax} characters`,
        "set a shorter tools_prefix for its server",
      ),
    ),
    ...cut.map(({ name }) =>
      note(
        "start",
        `the client cuts the description of ${name} at ${descriptionCharsMax ?? 0} characters`,
      ),
    ),
    ...tools
      .filter(({ name }) => ownNames.includes(name))
      .map(({ name }) =>
        note("start", `the client has a tool of its own named ${name}, which is called instead`),
      ),
  ];
}

/** The name in a client's limit: a namespace does not count. */
function nameOf({ prefix }: ClientManner, name: string): string {
  return prefix.slice(prefix.indexOf("/") + 1) + name;
}
