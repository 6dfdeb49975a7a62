import type * as z from "zod/mini";

import type { ImageContent, ResourceLink, ToolAnnotations } from "../protocol/tool-types.ts";
import type { BackgroundService, ClientService, ResultsService, TaskSummary } from "./services.ts";
import type {
  CallbacksService,
  PlanService,
  QuestionsService,
  SkillsService,
  TasksService,
} from "./state-services.ts";
import type {
  DocumentsService,
  ImagesService,
  WebService,
  WorkspaceService,
} from "./web-services.ts";

/** Read-only state that a tool may have sent along with its job, so that reading needs no second hop. */
export interface Snapshots {
  readonly backgroundTasks: readonly TaskSummary[];
  /** Set with them when the workspace may have tasks that outlive their client. */
  readonly mayHaveKept: boolean;
}

/** The result forms that the client of this call takes. */
export interface ToolLimits {
  /** Characters of text in the result. */
  readonly resultCharsMax: number;
  /** The client's revision has no links: the text has their content. Absent: it has links. */
  readonly linksAsText?: true;
  /** Milliseconds within which the client must be answered; null = no limit. */
  readonly answerMs: number | null;
}

/**
 * The parts that a handler may use. Handlers keep no state and start nothing themselves: a job whose Worker is lost
 * while it waits for a service is run again from the start in another one.
 */
export interface ToolContext {
  readonly background: BackgroundService;
  readonly results: ResultsService;
  readonly client: ClientService;
  readonly web: WebService;
  readonly images: ImagesService;
  readonly documents: DocumentsService;
  readonly workspace: WorkspaceService;
  readonly tasks: TasksService;
  readonly plan: PlanService;
  readonly questions: QuestionsService;
  readonly skills: SkillsService;
  readonly callbacks: CallbacksService;
  readonly snapshots: Partial<Snapshots>;
  readonly limits: ToolLimits;
}

/** Done once the result is on its way to the client, and not when the call was cancelled. */
export interface AfterDelivery {
  /** The client has now read the output of the task that the call read, up to the absolute offset `to`. */
  readonly advanceCursor: { readonly to: number };
}

/** The result of a handler. `text` says all there is to say; it is cut to the client's limit on the way out. */
export interface ToolOutput<Structured = Readonly<Record<string, unknown>>> {
  readonly text: string;
  /** The result as data, for programs: hooks and `--json`. Clients get it from tools with `answersInJson` only. */
  readonly structured?: Structured;
  readonly isError?: boolean;
  readonly images?: readonly ImageContent[];
  readonly links?: readonly ResourceLink[];
  readonly afterDelivery?: AfterDelivery;
}

/** An input schema: a strict object, since unknown properties are refused by name. */
export type InputSchema = z.ZodMiniObject<z.core.$ZodShape, z.core.$strict>;
export type OutputSchema = z.ZodMiniObject;

/** A tool: everything about it in one place. */
export interface ToolDefinition<
  Input extends InputSchema = InputSchema,
  Output extends OutputSchema = OutputSchema,
> {
  readonly name: string;
  readonly title: string;
  /** For the model; the most important line first. */
  readonly description: string;
  readonly input: Input;
  /** Fields that the schema lists as required, although a call without them is accepted. */
  readonly publishedAsRequired?: readonly (keyof z.output<Input> & string)[];
  /** The schema of the data. */
  readonly output?: Output;
  /**
   * The data contains everything in the text, the notes of scorpiox-code included: clients get both, and the schema.
   * Many clients show their model the data alone as soon as there is any, so no other tool sends it.
   */
  readonly answersInJson?: true;
  readonly annotations: ToolAnnotations;
  readonly snapshots?: readonly (keyof Snapshots)[];
  /** Time that a job may spend in its Worker, service calls not counted. */
  readonly jobMsMax?: number;
  /**
   * False for a tool that neither runs commands nor opens files that a call names. All others are withheld from several principals
   * where their commands cannot be kept apart.
   */
  readonly touchesFiles?: false;
  /** Calls may be answered with an MCP task by clients that take them (docs/spec/modern.md#mcp-tasks); absent = never. */
  readonly taskSupport?: "optional" | "required";
  handler(
    input: z.output<Input>,
    context: ToolContext,
  ): Promise<ToolOutput<z.output<Output>>> | ToolOutput<z.output<Output>>;
}

/** A definition whose types are known to nobody but itself. */
export type AnyTool = Omit<ToolDefinition, "handler" | "publishedAsRequired"> & {
  readonly publishedAsRequired?: readonly string[];
  handler(input: z.output<InputSchema>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
};

/** Ties the handler's argument and result types to the schemas. */
export function defineTool<Input extends InputSchema, Output extends OutputSchema>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> {
  return definition;
}
