import { AppError } from "../../../src/base/errors.ts";
import type { AskClient } from "../../../src/calls/ask-client.ts";
import type { CallOutcome, CallRequest, ToolProvider } from "../../../src/calls/call.ts";
import type {
  FormElicitation,
  FormField,
  InputRequest,
  UrlElicitation,
} from "../../../src/protocol/input-request.ts";
import type { ToolListing } from "../../../src/protocol/tool-types.ts";
import { listings } from "../harness.ts";

type Act = (ask: AskClient, call: CallRequest) => Promise<unknown>;

/** Every tool does the same; its result, or its failure, is what the reply shows. */
export class AskingTools implements ToolProvider {
  readonly #act: Act;
  /** How often a handler was started. */
  runs = 0;

  constructor(act: Act) {
    this.#act = act;
  }

  list(): readonly ToolListing[] {
    return listings;
  }

  async call(call: CallRequest): Promise<CallOutcome> {
    this.runs += 1;
    const { ask } = call;
    if (ask === undefined) throw new Error("nobody can be asked");
    try {
      return { kind: "result", json: JSON.stringify({ did: await this.#act(ask, call) }) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message } = error;
      return { kind: "result", json: JSON.stringify({ failed: { code, message } }) };
    }
  }
}

export function form(
  properties: Record<string, FormField>,
  required: readonly string[] = Object.keys(properties),
  message = "Please",
): FormElicitation {
  const requestedSchema = { type: "object" as const, properties, required };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

export const nameForm = form({ name: { type: "string" } });
export const roots: InputRequest = { method: "roots/list" };
export const visit: UrlElicitation = {
  method: "elicitation/create",
  params: { mode: "url", message: "Visit", url: "https://x", elicitationId: "1" },
};
export const sampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 1 },
};
export const toolSampling: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [], maxTokens: 1, tools: [] },
};

export const everything = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

export function accept(content: unknown): object {
  return { action: "accept", content };
}
