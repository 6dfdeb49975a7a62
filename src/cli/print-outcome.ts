import { isObject } from "../base/values.ts";
import type { CallOutcome, CallRefusal } from "../calls/call.ts";
import { textOf } from "../upstream/adapters/text-of.ts";
import type { ToolFormat } from "../upstream/adapters/tool-definitions.ts";
import { failedResult, resultIn } from "../upstream/adapters/tool-results.ts";
import { exitCodes } from "./command-io.ts";
import type { Printer } from "./print.ts";

/** How the outcome of a call is printed. */
export interface OutcomeForm {
  /** Undefined: the text alone. */
  readonly format: ToolFormat | undefined;
  /** Of the call that is answered. */
  readonly callId?: string | undefined;
}

/** Prints how a call ended, the result alone on stdout, and gives the exit code (CA21). */
export function printOutcome(outcome: CallOutcome, form: OutcomeForm, print: Printer): number {
  if (outcome.kind !== "result") return printFailure(outcome, form, print);
  const result = withData(outcome);
  if (form.format === undefined) print.content(contentText(result) || textOf(result));
  else print.json(resultIn(form.format, result, form.callId));
  const ended = endedWithCommand(result);
  if (ended !== undefined) {
    print.warning(
      `${ended} with this command: tasks and callbacks of a client end with the client.`,
    );
  }
  if (isObject(result) && result.isError === true) return codeOf(outcome.refusal);
  return exitCodes.done;
}

/** Programs get the structured content too; clients may get the text alone. */
function withData({ json, dataJson }: Extract<CallOutcome, { kind: "result" }>): unknown {
  const result: unknown = JSON.parse(json);
  if (!isObject(result) || dataJson === undefined || "structuredContent" in result) return result;
  const { isError, ...rest } = result;
  return { ...rest, structuredContent: JSON.parse(dataJson) as unknown, isError };
}

/** Programs get a failed result for a call that was not made or not answered (CA20). */
export function printFailed(text: string, { format, callId }: OutcomeForm, print: Printer): void {
  if (format === undefined || format === "mcp") print.error(text);
  else print.json(resultIn(format, failedResult(text), callId));
}

function printFailure(
  outcome: Exclude<CallOutcome, { readonly kind: "result" }>,
  form: OutcomeForm,
  print: Printer,
): number {
  switch (outcome.kind) {
    case "fault":
      printFailed(outcome.fault.message, form, print);
      // Wrong arguments are a result here: what is left is a name that nothing has.
      return outcome.refusal === "invalid" ? exitCodes.notFound : codeOf(outcome.refusal);
    case "cancelled":
      printFailed("The call was cancelled.", form, print);
      return exitCodes.failed;
    case "input-required":
      printFailed("The tool asks a question, and the command line cannot answer it.", form, print);
      return exitCodes.failed;
  }
}

function codeOf(refusal: CallRefusal | undefined): number {
  return refusal === undefined || refusal === "invalid"
    ? exitCodes.failed
    : exitCodes.needsApproval;
}

/** Tasks and callbacks that the call began, whose end no client will see. */
function endedWithCommand(result: unknown): string | undefined {
  const structured = isObject(result) ? result.structuredContent : undefined;
  if (!isObject(structured)) return undefined;
  if (structured.state === "running") return "The task ends";
  const { callbacks } = structured;
  return Array.isArray(callbacks) && callbacks.length > 0 ? "The callback ends" : undefined;
}

/** The content of a tool's result as text; what is not text is named in brackets. */
function contentText(result: unknown): string {
  const content = fieldOf(result, "content");
  return Array.isArray(content) ? content.map(blockText).join("\n") : "";
}

function blockText(block: unknown): string {
  switch (fieldOf(block, "type")) {
    case "text":
      return textField(block, "text");
    case "image":
    case "audio":
      return `[${textField(block, "mimeType")}, ${base64Bytes(textField(block, "data"))} bytes]`;
    case "resource_link":
      return `[${textField(block, "uri")}]`;
    case "resource":
      return resourceText(fieldOf(block, "resource"));
    default:
      return "[content of an unknown kind]";
  }
}

function resourceText(resource: unknown): string {
  const text = fieldOf(resource, "text");
  return typeof text === "string" ? text : `[${textField(resource, "uri")}]`;
}

function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

function textField(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : "";
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
