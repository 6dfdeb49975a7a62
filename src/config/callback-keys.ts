import type { ConfigKey, ValueType } from "./value-types.ts";

const modelValue: ValueType<string> = {
  name: "model",
  allowed: "a model's name: at most 100 letters, digits and - _ . : / @ characters",
  parse: (text) => (/^[\w.:/@-]{1,100}$/.test(text) ? text : undefined),
};

export const modelKey: ConfigKey<string> = {
  name: "MODEL",
  type: modelValue,
  default: "sonnet",
  help: "The model that sampling requests name as a hint; which one answers is the client's choice.",
  // Another model may cost the user more.
  project: "never",
  published: true,
};
