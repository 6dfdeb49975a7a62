import { type ConfigKey, pathValue, type ValueType } from "./value-types.ts";

const browserValue: ValueType<string> = {
  name: "browser",
  allowed: `auto, off, or ${pathValue.allowed}`,
  parse(text, homeDir) {
    const word = text.toLowerCase();
    return word === "auto" || word === "off" ? word : pathValue.parse(text, homeDir);
  },
};

export const askBrowserKey: ConfigKey<string> = {
  name: "ASK_BROWSER",
  type: browserValue,
  default: "auto",
  help: "Opens the page on which AskUserQuestion asks: auto, off, or a program that gets the address.",
  // It may name a program to start.
  project: "never",
  published: false,
};
