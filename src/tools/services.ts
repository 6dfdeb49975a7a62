import type { BackgroundKind } from "../base/background-state.ts";
import type { BackgroundStatus } from "../base/shown-state.ts";
import type { InputKind, InputRequests, InputResponses } from "../protocol/input-request.ts";
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

/**
 * The services on the main thread, as tools see them. Requests and replies cross a thread as JSON, so everything here
 * is plain data.
 */

/** One background task, as seen at one moment. */
export interface TaskSummary extends BackgroundStatus {
  readonly taskId: number;
  readonly kind: BackgroundKind;
  /** A long command is cut; for an output, the command or call that printed it. */
  readonly command: string;
  readonly unreadBytes: number;
  /** It belongs to the workspace and outlives its client. */
  readonly isKept?: boolean;
  /** Why it was ended, or why its end is not known, where the other members do not say so. */
  readonly note?: string;
}

/** A private file that holds the whole of an output. */
export interface SavedFile {
  readonly path: string;
  /** The resource by which the client reads it. */
  readonly uri: string;
  /** The background task by which the output is read on from where it was cut. */
  readonly taskId: number;
  /** Why it does not hold everything; null when it does. */
  readonly problem: string | null;
}

/** Output of a command: all of it, or its two ends. */
export type ShownOutput =
  | { readonly kind: "whole"; readonly text: string }
  | {
      readonly kind: "cut";
      readonly head: string;
      readonly tail: string;
      readonly omittedBytes: number;
      readonly totalBytes: number;
      readonly saved: SavedFile | null;
    };

export interface RunRequest {
  readonly command: string;
  readonly timeoutMs: number;
}

export interface RunReply {
  /** Set when the command runs on in the background. */
  readonly taskId: number | null;
  readonly output: ShownOutput;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The command could not be ended and was left behind. */
  readonly isLost: boolean;
  /** Processes that it had left running, and that were ended; null for a number that is not known. */
  readonly leftBehind: number | null;
  readonly durationMs: number;
  /** The sandbox in which it ran, with the parts that are not enforced; empty without a sandbox. */
  readonly notes: readonly string[];
}

export interface StartRequest {
  readonly command: string;
  /** It outlives its client; absent = as configured. */
  readonly keep?: boolean | undefined;
}

export interface StartReply {
  readonly task: TaskSummary;
  /** The process with which a kept task ends all the same; absent: none. */
  readonly endsWith?: string;
  /** Why it is not kept although the configuration wants that; absent: it is, or need not be. */
  readonly notKept?: string;
  /** The sandbox, as in `RunReply`. */
  readonly notes: readonly string[];
}

export interface ReadRequest {
  readonly taskId: number;
  /** Absolute offset to read from; null = where this client's last read ended. */
  readonly from: number | null;
  /** Waits for output after this absolute offset; null = after `from`. */
  readonly waitBeyond: number | null;
  /** Waits this long for new output or the end; 0 = not at all. */
  readonly waitMs: number;
}

export interface ReadReply {
  readonly task: TaskSummary;
  /** Whole lines; a new stretch begins where bytes were lost. */
  readonly stretches: readonly string[];
  readonly lostBytes: number;
  readonly linesTo: number;
  /** The line that is not ended yet. */
  readonly partial: string;
  readonly partialTo: number;
  /** Absolute offset after all output so far, including the bytes of an incomplete character. */
  readonly seenTo: number;
  /** The absolute offset of the end of a longer output, of which this is one page. */
  readonly end?: number;
}

/** A part of a saved output. */
export interface SavedPart {
  /** Base64, up to the end of a line or, in a long line, of a character; empty at the end. */
  readonly bytes: string;
  /** Absolute offset of the end of the output, as far as it is there. */
  readonly end: number;
}

export interface KillReply {
  readonly task: TaskSummary;
  /** False when it had ended before. */
  readonly wasRunning: boolean;
}

export interface BackgroundService {
  /** Runs a command and waits for it, as long as the client does. */
  run(request: RunRequest): Promise<RunReply>;
  start(request: StartRequest): Promise<StartReply>;
  /** Tasks of the workspace that outlive their client, of all clients. */
  listKept(): Promise<readonly TaskSummary[]>;
  /** Reads output that the client has not read; for a task of the kind `output` gives only how far it was read. */
  read(request: ReadRequest): Promise<ReadReply>;
  /** The output after the absolute offset `from` in a task of that kind. */
  readSaved(request: { readonly taskId: number; readonly from: number }): Promise<SavedPart>;
  kill(request: { readonly taskId: number }): Promise<KillReply>;
}

export interface ResultsService {
  /** Makes an empty private file; null when no folder can be written. */
  create(): Promise<{ readonly path: string } | null>;
  /** Makes one for an output of `bytes` bytes that is shown up to the byte `from`. */
  addOutput(request: {
    readonly from: number;
    readonly bytes: number;
  }): Promise<Omit<SavedFile, "problem"> | null>;
}

/** The client, and the person in front of it. */
export interface ClientService {
  /** False when the client did not declare it: the tool must find another way. */
  can(kind: InputKind): boolean;
  /**
   * Asks for all of `requests` at once and waits. A handler asks before it does anything else: for modern
   * clients the call ends here and the handler runs again with the answers (docs/spec/modern.md#questions).
   * @throws AppError `unsupported` when the client cannot be asked that, `cancelled` when it does not answer
   */
  ask(requests: InputRequests): Promise<InputResponses>;
}

/** Every service method, by the name under which it crosses the thread. */
interface ServiceMethods {
  "background.run": BackgroundService["run"];
  "background.start": BackgroundService["start"];
  "background.listKept": BackgroundService["listKept"];
  "background.read": BackgroundService["read"];
  "background.readSaved": BackgroundService["readSaved"];
  "background.kill": BackgroundService["kill"];
  "results.create": ResultsService["create"];
  "results.addOutput": ResultsService["addOutput"];
  "client.ask": ClientService["ask"];
  "web.fetchPage": WebService["fetchPage"];
  "web.renderPage": WebService["renderPage"];
  "web.search": WebService["search"];
  "images.convert": ImagesService["convert"];
  "documents.readPdf": DocumentsService["readPdf"];
  "workspace.place": WorkspaceService["place"];
  "workspace.file": WorkspaceService["file"];
  "tasks.perform": TasksService["perform"];
  "plan.status": PlanService["status"];
  "plan.read": PlanService["read"];
  "plan.change": PlanService["change"];
  "questions.ask": QuestionsService["ask"];
  "skills.load": SkillsService["load"];
  "callbacks.perform": CallbacksService["perform"];
}

export type ServiceMethod = keyof ServiceMethods;

/** One request to a service, whichever method it is for. */
export type ServiceRequest<Any extends ServiceMethod = ServiceMethod> = {
  readonly [Method in Any]: { readonly method: Method; readonly request: RequestOf<Method> };
}[Any];

type RequestOf<Method extends ServiceMethod> =
  Parameters<ServiceMethods[Method]> extends [infer Request]
    ? Request
    : Readonly<Record<string, never>>;

export type ServiceReplyTo<Method extends ServiceMethod> = Awaited<
  ReturnType<ServiceMethods[Method]>
>;

/** The effect of a second call of a method: it `reads` once more, `costs` seconds or disturbs somebody, or `acts`: changes something. */
type ServiceEffect = "reads" | "costs" | "acts";

/**
 * A job that starts over in another Worker gets the recorded replies of all methods but those that only read. A handler that runs again
 * with a client's answer calls methods again that do not act.
 */
export const serviceEffects: Readonly<Record<ServiceMethod, ServiceEffect>> = {
  "background.run": "acts",
  "background.start": "acts",
  "background.listKept": "reads",
  "background.read": "reads",
  "background.readSaved": "reads",
  "background.kill": "acts",
  "results.create": "acts",
  "results.addOutput": "acts",
  "client.ask": "costs",
  "web.fetchPage": "costs",
  "web.renderPage": "costs",
  "web.search": "costs",
  "images.convert": "costs",
  "documents.readPdf": "costs",
  "workspace.place": "reads",
  "workspace.file": "costs",
  "tasks.perform": "acts",
  "plan.status": "reads",
  "plan.read": "reads",
  "plan.change": "acts",
  "questions.ask": "costs",
  "skills.load": "reads",
  "callbacks.perform": "acts",
};
