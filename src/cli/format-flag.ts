import { AppError } from "../base/errors.ts";
import { parseToolFormat, type ToolFormat, toolFormats } from "../upstream/adapters/formats.ts";
import type { FlagTable, ParsedArguments } from "./flags.ts";

/** The form in which data for programs is printed. */
export const formatFlag: FlagTable = {
  format: {
    kind: "text",
    choices: toolFormats,
    help: "Print JSON in the form of MCP, OpenAI function calling or Anthropic tool use.",
  },
};

/** @throws {AppError} `usage` together with --json */
export function formatOf(args: ParsedArguments): ToolFormat | undefined {
  const format = parseToolFormat(args.text("format"));
  if (format !== undefined && args.has("json")) {
    throw new AppError("usage", "Use --json or --format, not both.");
  }
  return format;
}
