import { basename } from "node:path";
import { pathToFileURL } from "node:url";

import type { Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import {
  type InputRequest,
  inputKindOf,
  type InputRequests,
  type InputResponses,
} from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type { CallRequest } from "../call.ts";
import { type StateServices, workspaceDirOf } from "../state-calls.ts";
import { formQuestions, shownElicitation } from "./asked-things.ts";

/** The parts that answer questions of an upstream server. */
export interface AnswerParts {
  readonly questions: () => StateServices["questions"];
}

/**
 * Answers the requests of an upstream server in the middle of a call (docs/spec/gateway.md#questions): by the client where it can be asked,
 * else by the user at this machine, else for the user. Requests to a client go out together.
 * @throws InputNeeded to be let through, AppError `refused` when the server may not ask for this, `unsupported`,
 *   `cancelled`
 */
export async function answerAsks(
  parts: AnswerParts,
  occasion: AskOccasion,
  requests: InputRequests,
): Promise<InputResponses> {
  const answers: Record<string, Params> = Object.create(null);
  const forClient: Record<string, InputRequest> = Object.create(null);
  for (const [key, request] of Object.entries(requests)) {
    const step = await stepFor(parts, occasion, request);
    if (step.kind === "answer") answers[key] = step.answer;
    else forClient[key] = step.request;
  }
  const { ask } = occasion.call;
  if (Object.keys(forClient).length === 0 || ask === undefined) return answers;
  const given = await ask.ask(forClient, { until: occasion.until });
  return { ...answers, ...given };
}

type Step =
  | { readonly kind: "answer"; readonly answer: Params }
  | { readonly kind: "client"; readonly request: InputRequest };

function stepFor(parts: AnswerParts, occasion: AskOccasion, request: InputRequest): Promise<Step> {
  switch (request.method) {
    case "roots/list":
      return rootsStep(occasion);
    case "sampling/createMessage":
      return samplingStep(parts, occasion, request);
    case "elicitation/create":
      return elicitationStep(parts, occasion, request);
  }
}

/** The folders that its entry names; without a client that has folders of its own, the workspace. */
async function rootsStep({ server, rights, call }: AskOccasion): Promise<Step> {
  if (rights.roots === "none") {
    throw new AppError(
      "refused",
      `${server} asked for folders, but its configuration shares none.`,
    );
  }
  if (typeof rights.roots !== "string") return rootsAnswer(rights.roots);
  const workspace = await workspaceDirOf(call.client);
  if (rights.roots === "workspace") return rootsAnswer([workspace], "workspace");
  const folders = (await call.client.roots?.()) ?? [];
  return folders.length > 0 ? rootsAnswer(folders) : rootsAnswer([workspace], "workspace");
}

function rootsAnswer(folders: readonly string[], name?: string): Step {
  const roots = folders.map((folder) => {
    return { uri: pathToFileURL(folder).href, name: name ?? basename(folder) };
  });
  return { kind: "answer", answer: { roots } };
}

async function samplingStep(
  parts: AnswerParts,
  occasion: AskOccasion,
  request: InputRequest,
): Promise<Step> {
  const { server, rights } = occasion;
  if (rights.sampling === "deny") {
    throw new AppError(
      "refused",
      `${server} asked for the client's model (sampling), which it may not use. ` +
        `The user can allow it with sampling = "ask" or "allow" in its entry.`,
    );
  }
  if (!canAsk(occasion, request)) {
    throw new AppError(
      "unsupported",
      `${server} asked for the client's model (sampling), which this client does not offer.`,
    );
  }
  if (rights.sampling === "ask") await asksModel(parts.questions(), occasion);
  return { kind: "client", request };
}

async function elicitationStep(
  parts: AnswerParts,
  occasion: AskOccasion,
  request: Extract<InputRequest, { method: "elicitation/create" }>,
): Promise<Step> {
  const { server, rights, note } = occasion;
  if (rights.elicitation === "deny") return { kind: "answer", answer: { action: "decline" } };
  const shown = shownElicitation(server, request);
  if (shown.kind === "refused") {
    note(`[${server} asked the user something, which was not shown: ${shown.why}.]`);
    return { kind: "answer", answer: { action: "decline" } };
  }
  if (canAsk(occasion, shown.request)) return { kind: "client", request: shown.request };
  const { params } = shown.request;
  if (params.mode === "url") {
    note(`[${params.message}\n${params.url}\nThis client cannot open it: the user can.]`);
    return { kind: "answer", answer: { action: "cancel" } };
  }
  return {
    kind: "answer",
    answer: await askLocally(parts, occasion, { ...shown.request, params }),
  };
}

/** People at this machine, by questions with options. */
async function askLocally(
  parts: AnswerParts,
  occasion: AskOccasion,
  form: Parameters<typeof formQuestions>[0],
): Promise<Params> {
  const asked = formQuestions(form);
  if (asked === undefined) {
    occasion.note(
      `[${occasion.server} asked the user for words or numbers, and this client cannot show its form.]`,
    );
    return { action: "cancel" };
  }
  // It has begun its work: the call cannot run again from its start.
  const call = { ...occasion.call, cancellation: occasion.until };
  const asking = { call, answerAt: undefined, hasActed: true };
  return asked.contentOf(await parts.questions().ask(asked.request, asking));
}

function canAsk({ call, isAnswered }: AskOccasion, request: InputRequest): boolean {
  const { ask } = call;
  if (ask === undefined || (isAnswered && ask.endsCall === true)) return false;
  return ask.can(inputKindOf(request));
}

const yes = "Allow once";
const no = "Deny";

/**
 * Asks the user whether a server may put something to the client's model.
 * @throws AppError `refused` unless the user says yes; InputNeeded to be let through
 */
async function asksModel(
  questions: StateServices["questions"],
  { server, call, until, isAnswered }: AskOccasion,
): Promise<void> {
  const text =
    `The MCP server ${server} wants to put a question to your client's model (sampling) ` +
    `while it works on ${call.name}. Its cost is yours, and the server sees the answer.`;
  const options = [yes, no].map((label) => ({ label, description: null }));
  const question = { question: text, header: null, options, multiSelect: false, preselected: no };
  const asking = {
    call: { ...call, cancellation: until },
    answerAt: undefined,
    hasActed: isAnswered,
  };
  const reply = await questions.ask({ purpose: "consent", questions: [question] }, asking);
  const answer = reply.outcome === "answered" ? reply.answers[0] : undefined;
  if (answer?.other === null && answer.labels.length === 1 && answer.labels[0] === yes) return;
  throw new AppError(
    "refused",
    `${server} asked for the client's model, and the user did not allow it.`,
  );
}

/** For whom a server asks, and under which rights. */
interface AskOccasion {
  readonly server: string;
  readonly rights: Pick<ServerRights, "sampling" | "elicitation" | "roots">;
  /** The call that the server is busy with; its client is asked. */
  readonly call: CallRequest;
  /** True when that call was answered: a client that is asked in rounds cannot be asked any more. */
  readonly isAnswered: boolean;
  /** Cancelled when the server does not wait any longer. */
  readonly until: Cancellation;
  /** Adds a line to the end of the result: a request that was not shown. */
  readonly note: (line: string) => void;
}
