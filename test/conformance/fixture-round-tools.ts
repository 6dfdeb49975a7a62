import type { AskClient } from "../../src/calls/ask-client.ts";
import type { InputRequest } from "../../src/protocol/input-request.ts";
import {
  contentOf,
  elicited,
  form,
  nameForm,
  roots,
  sampledText,
  sampling,
} from "./fixture-forms.ts";
import { askOf, type FixtureTool, noArguments, textResult } from "./fixture-tool.ts";

const prefix = "test_input_required_result";

const elicitation: FixtureTool = {
  listing: {
    name: `${prefix}_elicitation`,
    description: "Asks the user's name and greets.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const responses = await askOf(call).ask({ user_name: nameForm });
    const { name } = contentOf(responses, "user_name");
    return textResult(typeof name === "string" ? `Hello, ${name}!` : "Hello, whoever you are!");
  },
};

const samplingRound: FixtureTool = {
  listing: {
    name: `${prefix}_sampling`,
    description: "Asks the client's model for a capital.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const capital_question = sampling("What is the capital of France?", 100);
    const responses = await askOf(call).ask({ capital_question });
    return textResult(sampledText(responses, "capital_question"));
  },
};

const listRoots: FixtureTool = {
  listing: {
    name: `${prefix}_list_roots`,
    description: "Asks for the client's roots.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const { client_roots } = await askOf(call).ask({ client_roots: roots });
    return textResult(`Roots: ${JSON.stringify(client_roots?.roots)}`);
  },
};

/** `state-ok` is said only when the core has taken the answer together with the state that it had sealed. */
function confirmation(name: string, description: string): FixtureTool {
  return {
    listing: { name: `${prefix}_${name}`, description, inputSchema: noArguments },
    async answer(call) {
      const confirm = form("Please confirm", { ok: { type: "boolean" } });
      const responses = await askOf(call).ask({ confirm });
      return textResult(`state-ok: ${elicited(responses, "confirm")}`);
    },
  };
}

const multipleInputs: FixtureTool = {
  listing: {
    name: `${prefix}_multiple_inputs`,
    description: "Asks for three things at once.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const responses = await askOf(call).ask({
      user_name: nameForm,
      greeting: sampling("Generate a greeting", 50),
      client_roots: roots,
    });
    return textResult(`Three answers: ${Object.keys(responses).join(", ")}`);
  },
};

const multiRound: FixtureTool = {
  listing: {
    name: `${prefix}_multi_round`,
    description: "Asks twice, one question after the other.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const ask = askOf(call);
    const step1 = form("Step 1: What is your name?", { name: { type: "string" } });
    const first = await ask.ask({ step1 });
    const step2 = form("Step 2: What is your favorite color?", { color: { type: "string" } });
    const second = await ask.ask({ step2 });
    return textResult(`Name: ${elicited(first, "step1")}; color: ${elicited(second, "step2")}`);
  },
};

const capabilities: FixtureTool = {
  listing: {
    name: `${prefix}_capabilities`,
    description: "Asks only for what the client has declared.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const requests = declaredRequests(askOf(call));
    if (Object.keys(requests).length === 0) return textResult("The client declares nothing.");
    const responses = await askOf(call).ask(requests);
    return textResult(`Answers: ${Object.keys(responses).join(", ")}`);
  },
};

function declaredRequests(ask: AskClient): Record<string, InputRequest> {
  const requests: Record<string, InputRequest> = {};
  if (ask.can("form")) requests.user_name = nameForm;
  if (ask.can("sampling")) requests.greeting = sampling("Generate a greeting", 50);
  if (ask.can("roots")) requests.client_roots = roots;
  return requests;
}

/** Tools that need more than one round (docs/spec/modern.md#questions). */
export const roundTools: readonly FixtureTool[] = [
  elicitation,
  samplingRound,
  listRoots,
  confirmation("request_state", "Asks for a confirmation and checks the state of its first round."),
  multipleInputs,
  multiRound,
  confirmation("tampered_state", "Asks for a confirmation; a changed state is refused."),
  capabilities,
];
