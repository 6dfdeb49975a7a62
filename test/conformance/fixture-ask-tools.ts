import { elicited, form, sampledText, sampling } from "./fixture-forms.ts";
import { askOf, type FixtureTool, noArguments, textResult } from "./fixture-tool.ts";

const promptedSampling: FixtureTool = {
  listing: {
    name: "test_sampling",
    description: "Has the client's model answer a prompt.",
    inputSchema: {
      type: "object",
      properties: { prompt: { type: "string", description: "What the model is asked." } },
      required: ["prompt"],
    },
  },
  async answer(call, { prompt }) {
    const responses = await askOf(call).ask({ reply: sampling(String(prompt), 100) });
    return textResult(`LLM response: ${sampledText(responses, "reply")}`);
  },
};

const elicitation: FixtureTool = {
  listing: {
    name: "test_elicitation",
    description: "Asks the user a question.",
    inputSchema: {
      type: "object",
      properties: { message: { type: "string", description: "What the user is asked." } },
      required: ["message"],
    },
  },
  async answer(call, { message }) {
    const question = form(String(message), {
      response: { type: "string", description: "The user's answer" },
    });
    const responses = await askOf(call).ask({ answer: question });
    return textResult(`User response: ${elicited(responses, "answer")}`);
  },
};

const defaults: FixtureTool = {
  listing: {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks with a form whose fields have defaults.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const fields = {
      name: { type: "string", description: "Name", default: "John Doe" },
      age: { type: "integer", description: "Age in years", default: 30 },
      score: { type: "number", description: "Score", default: 95.5 },
      status: {
        type: "string",
        description: "Status",
        enum: ["active", "inactive", "pending"],
        default: "active",
      },
      verified: { type: "boolean", description: "Verified", default: true },
    };
    const responses = await askOf(call).ask({
      form: form("Please check the defaults.", fields, []),
    });
    return textResult(`Elicitation completed: ${elicited(responses, "form")}`);
  },
};

const titledValues = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Value ${n}` }));
const options = ["option1", "option2", "option3"];

const enums: FixtureTool = {
  listing: {
    name: "test_elicitation_sep1330_enums",
    description: "Asks with a form that has every kind of choice.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const fields = {
      untitledSingle: { type: "string", description: "One of three", enum: options },
      titledSingle: { type: "string", description: "One of three", oneOf: titledValues },
      legacyEnum: {
        type: "string",
        description: "One of three, in the old form",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option one", "Option two", "Option three"],
      },
      untitledMulti: {
        type: "array",
        description: "One to three",
        minItems: 1,
        maxItems: 3,
        items: { type: "string", enum: options },
      },
      titledMulti: {
        type: "array",
        description: "One to three",
        minItems: 1,
        maxItems: 3,
        items: { anyOf: titledValues },
      },
    };
    const responses = await askOf(call).ask({ form: form("Please choose.", fields, []) });
    return textResult(`Elicitation completed: ${elicited(responses, "form")}`);
  },
};

const missingCapability: FixtureTool = {
  listing: {
    name: "test_missing_capability",
    description: "Cannot work without the client's model.",
    inputSchema: noArguments,
  },
  async answer(call) {
    const responses = await askOf(call).ask({ reply: sampling("Say anything.", 10) });
    return textResult(`The model said: ${sampledText(responses, "reply")}`);
  },
};

/** Tools that ask the client once, written for every revision alike. */
export const askTools: readonly FixtureTool[] = [
  defaults,
  enums,
  missingCapability,
  promptedSampling,
  elicitation,
];
