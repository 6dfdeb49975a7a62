import { AppError } from "../base/errors.ts";
import { parseToolFormat, type ToolFormat, toolFormats } from "../upstream/adapters/formats.ts";
import type { FlagTable, ParsedArguments } from "./flags.ts";

/** In which form data for programs is printed. */
export const formatFlag: FlagTable = {
  format: {
    kind: "text",
    choices: toolFormats,
    help: "Print JSON as MCP, OpenAI's function calling or Anthropic's tool use has it.",
  },
};

/** @throws {AppError} `usage` together with --json */
export function formatOf(args: ParsedArguments): ToolFormat | undefined {
  const format = parseToolFormat(args.text("format"));
  if (format !== undefined && args.has("json")) {
    throw new AppError("usage", "--json and --format exclude each other.");
  }
  return format;
}
