import { AppError, messageOf } from "../../src/base/errors.ts";
import { isObject } from "../../src/base/values.ts";
import { FaultError, InputNeeded } from "../../src/calls/ask-client.ts";
import type { CallOutcome, CallRequest, ToolProvider, TaskSupport } from "../../src/calls/call.ts";
import { badArguments, encodeCallToolResult } from "../../src/protocol/result-codec.ts";
import { createFault, errorCodes } from "../../src/protocol/json-rpc.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import { argumentProblem } from "./fixture-arguments.ts";
import { askTools } from "./fixture-ask-tools.ts";
import { appearing, changeTools } from "./fixture-change-tools.ts";
import { roundTools } from "./fixture-round-tools.ts";
import { schemaTools } from "./fixture-schema-tools.ts";
import type { FixtureState } from "./fixture-state.ts";
import { taskTools } from "./fixture-task-tools.ts";
import { errorResult, type FixtureTool } from "./fixture-tool.ts";
import { contentTools } from "./fixture-tools.ts";

/** Runs the fixture's tools on the main thread: what is tested is the core, not the Workers. */
export class FixtureToolProvider implements ToolProvider {
  readonly #state: FixtureState;
  readonly #tools: readonly FixtureTool[];
  #shown: readonly ToolListing[] = [];
  #isAppearingShown: boolean | undefined;

  constructor(state: FixtureState) {
    this.#state = state;
    // The suite calls the first one with no arguments.
    this.#tools = [
      ...contentTools,
      ...schemaTools,
      ...askTools,
      ...roundTools,
      ...taskTools,
      ...changeTools(state),
    ];
  }

  list(): readonly ToolListing[] {
    const { hasAppearingTool } = this.#state;
    if (this.#isAppearingShown !== hasAppearingTool) {
      this.#isAppearingShown = hasAppearingTool;
      this.#shown = this.#offered().map((tool) => tool.listing);
    }
    return this.#shown;
  }

  taskSupport(toolName: string): TaskSupport {
    return this.#find(toolName)?.taskSupport ?? "none";
  }

  async call(request: CallRequest): Promise<CallOutcome> {
    const { name, version } = request;
    const tool = this.#find(name);
    if (tool === undefined) {
      const message = `Unknown tool: ${name.slice(0, 100)}. See tools/list.`;
      return { kind: "fault", fault: createFault(errorCodes.invalidParams, message) };
    }
    const args = isObject(request.args) ? request.args : {};
    const problem = argumentProblem(tool.listing.inputSchema, args);
    if (problem !== undefined) {
      return badArguments(version, `Invalid arguments for ${name}: ${problem}`);
    }
    try {
      return result(encodeCallToolResult(await tool.answer(request, args), version));
    } catch (error) {
      return outcomeOf(error, request);
    }
  }

  #offered(): readonly FixtureTool[] {
    return this.#state.hasAppearingTool ? [...this.#tools, appearing] : this.#tools;
  }

  #find(name: string): FixtureTool | undefined {
    return this.#offered().find((tool) => tool.listing.name === name);
  }
}

function result(json: string): CallOutcome {
  return { kind: "result", json };
}

/** @throws what the core itself answers: `InputNeeded`, `FaultError` */
function outcomeOf(error: unknown, { version }: CallRequest): CallOutcome {
  if (error instanceof InputNeeded || error instanceof FaultError) throw error;
  if (error instanceof AppError && error.code === "cancelled") return { kind: "cancelled" };
  return result(encodeCallToolResult(errorResult(messageOf(error)), version));
}
