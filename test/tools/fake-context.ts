import type {
  BackgroundService,
  SavedPart,
  ReadReply,
  ReadRequest,
  ResultsService,
  RunReply,
  StartReply,
  TaskSummary,
} from "../../src/tools/services.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

export const runningTask: TaskSummary = {
  taskId: 7,
  kind: "command",
  command: "make all",
  state: "running",
  exitCode: null,
  signal: null,
  endedBy: null,
  pid: 4242,
  runtimeMs: 3_200,
  unreadBytes: 0,
};

export const endedRun: RunReply = {
  taskId: null,
  output: { kind: "whole", text: "" },
  exitCode: 0,
  signal: null,
  timedOut: false,
  isLost: false,
  leftBehind: 0,
  durationMs: 12,
  notes: [],
};

/** A read that gives `text` (whole lines) after `from`, then the unfinished line `partial`. */
export function readOf(from: number, text: string, partial = "", lostBytes = 0): ReadReply {
  const linesTo = from + lostBytes + Buffer.byteLength(text);
  const partialTo = linesTo + Buffer.byteLength(partial);
  const stretches = text === "" ? [] : [text];
  return {
    task: runningTask,
    stretches,
    lostBytes,
    linesTo,
    partial,
    partialTo,
    seenTo: partialTo,
  };
}

/** A background service that answers reads from a list (the last one is repeated) and notes requests. */
export class FakeBackground implements BackgroundService {
  readonly reads: ReadRequest[] = [];
  /** An saved output, and how much of it is given at once. */
  saved = Buffer.alloc(0);
  savedPartBytes = 1_000_000;
  readonly #replies: readonly ReadReply[];

  constructor(...replies: readonly ReadReply[]) {
    this.#replies = replies;
  }

  run(): Promise<RunReply> {
    return Promise.resolve(endedRun);
  }

  start(): Promise<StartReply> {
    return Promise.resolve({ task: runningTask, notes: [] });
  }

  listKept(): ReturnType<BackgroundService["listKept"]> {
    return Promise.resolve([]);
  }

  read(request: ReadRequest): Promise<ReadReply> {
    this.reads.push(request);
    const reply = this.#replies[Math.min(this.reads.length, this.#replies.length) - 1];
    return reply === undefined ? Promise.reject(new Error("no reply")) : Promise.resolve(reply);
  }

  readSaved({ from }: { readonly from: number }): Promise<SavedPart> {
    const bytes = this.saved.subarray(from, from + this.savedPartBytes);
    return Promise.resolve({ bytes: bytes.toString("base64"), end: this.saved.length });
  }

  kill(): Promise<{ task: TaskSummary; wasRunning: boolean }> {
    return Promise.resolve({ task: runningTask, wasRunning: true });
  }
}

/** No file can be made. */
export const noResults: ResultsService = {
  create: () => Promise.resolve(null),
  addOutput: () => Promise.resolve(null),
};

/** Keeps one output, in the file `path`. */
export function resultsAt(path: string): ResultsService {
  const uri = "scorpiox://results/a-1";
  return { ...noResults, addOutput: () => Promise.resolve({ path, uri, taskId: 5 }) };
}

const nobody = (): Promise<never> => Promise.reject(new Error("nobody is there"));

export function fakeContext(parts: Partial<ToolContext> = {}): ToolContext {
  return {
    background: new FakeBackground(),
    results: noResults,
    client: { can: () => false, ask: () => Promise.reject(new Error("nobody is asked")) },
    web: { fetchPage: nobody, renderPage: nobody, search: nobody },
    images: { convert: nobody },
    documents: { readPdf: nobody },
    tasks: { perform: nobody },
    plan: { status: nobody, read: nobody, change: nobody },
    questions: { ask: nobody },
    skills: { load: nobody },
    callbacks: { perform: nobody },
    workspace: { place: () => Promise.resolve({ folder: "/workspace" }), file: nobody },
    snapshots: {},
    limits: { resultCharsMax: 30_000, answerMs: null },
    ...parts,
  };
}
