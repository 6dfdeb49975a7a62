import type { BackgroundState } from "../../src/base/background-state.ts";
import type { FindingKind } from "../../src/cli/command-io.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import {
  approvalStates,
  hookStates,
  serverStates,
  type StateWord,
} from "../../src/cli/state-words.ts";
import type { EngineStatus } from "../../src/web/search/search-reply.ts";
import { lookOf } from "../../src/cli/look.ts";
import { code, pageTable } from "./markdown.ts";

/** The tables of docs/reference/states.md, by the names of their blocks. */
export function stateTables(): ReadonlyMap<string, string> {
  return new Map([
    ["servers", wordTable(serverStates, serverMeanings)],
    ["approvals", wordTable(approvalStates, approvalMeanings)],
    ["hooks", wordTable(hookStates, hookMeanings)],
    ["background", meaningTable(taskMeanings)],
    ["findings", meaningTable(findingMeanings)],
    ["differences", meaningTable(differenceMeanings)],
    ["engines", meaningTable(engineMeanings)],
  ]);
}

const serverMeanings = {
  disabled: "its entry says `enabled = false`",
  untrusted: "it comes from the project, and you have not approved it: `mcp approve NAME`",
  needs_config: "a variable or secret that its entry names is not set",
  needs_auth: "it requires a login: `mcp login NAME`",
  cached: "known from an earlier run; the first call starts it",
  installing: "its package is being fetched",
  starting: "it is being started, or asked for its first lists",
  ready: "it works",
  degraded: "it works in part; the reason says what does not",
  backoff: "it failed, and is tried again within seconds",
  failed: "it failed five times in a row, or refused the connection; a call tries it again",
  stopped: "you have stopped it, or nothing runs it and nothing is known of it",
} satisfies Meanings<keyof typeof serverStates>;

const approvalMeanings = {
  user: "it comes from a file of your own and needs no approval",
  approved: "you have approved it, or your first connection has",
  pending: "you have not decided yet: `mcp approve`",
  new: "the server offers it since your approval: `mcp approve NAME`",
  changed: "it differs from what you approved and is blocked: `mcp diff NAME`",
  denied: "you have denied it; you are not asked again",
} satisfies Meanings<keyof typeof approvalStates>;

const hookMeanings = {
  ready: "it runs at its event",
  "not approved": "it comes from the project: `hooks approve`",
  changed: "it differs from what you approved: `hooks approve`",
  disabled: "its name begins with `_`, or the file is not meant to run",
  refused: "its mode, owner or link makes it unsafe to run; the reason says how to repair it",
} satisfies Meanings<keyof typeof hookStates>;

const taskMeanings = {
  running: "it runs",
  exited: "it ended with exit code 0",
  failed: "it ended with another exit code, or by a signal",
  killed: "it was ended: by a tool, by you, with its call or with the server",
  timed_out: "it was ended at its time limit",
  lost: "it could not be ended, or the end of a kept task was not seen",
} satisfies Meanings<BackgroundState>;

const findingMeanings = {
  ok: "as it should be",
  note: "unusual, but it may be as you want it",
  fault: "something does not work; the next line has the remedy",
} satisfies Meanings<Finding["state"]>;

const differenceMeanings = {
  changed: "it differs from what was approved or locked; exit code 10",
  missing: "it was approved or locked, and is no longer there; exit code 11",
  new: "it is there, and was not approved or locked; exit code 11",
  unreachable: "the server did not start, or did not answer; exit code 12",
} satisfies Meanings<FindingKind>;

const engineMeanings = {
  ok: "it answered with results",
  no_results: "it answered, and found nothing",
  blocked: "it takes this address for a bot",
  rate_limited: "it received too many queries from this address",
  parse_error: "its page cannot be read",
  poisoned: "its results have nothing to do with the query",
  timeout: "it did not answer in time",
  error: "it could not be reached",
  suspended: "it is not asked for a while",
} satisfies Meanings<EngineStatus>;

type Meanings<State extends string> = Readonly<Record<State, string>>;

/** For states that have words of their own for people. */
function wordTable<State extends string>(
  words: Readonly<Record<State, StateWord>>,
  meanings: Meanings<NoInfer<State>>,
): string {
  const look = lookOf(false, { LANG: "C.UTF-8" });
  const rows = statesOf(meanings).map((state) => {
    const { word, mark } = words[state];
    return [look.mark(mark), word, code(state), meanings[state]];
  });
  return pageTable(["", "state", "in JSON", "meaning"], rows);
}

/** For states that are shown as they are in JSON, without underscores. */
function meaningTable<State extends string>(meanings: Meanings<State>): string {
  const rows = statesOf(meanings).map((state) => [
    state.replaceAll("_", " "),
    code(state),
    meanings[state],
  ]);
  return pageTable(["state", "in JSON", "meaning"], rows);
}

function statesOf<State extends string>(meanings: Meanings<State>): readonly State[] {
  // Its keys are exactly these.
  return Object.keys(meanings) as State[];
}
