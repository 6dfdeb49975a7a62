import { existsSync } from "node:fs";

import { AppError } from "../base/errors.ts";
import { decoderArgument, ownCommand, pdfReaderArgument } from "../base/own-command.ts";
import { Admissions } from "../calls/gate/admissions.ts";
import type { CallWatcher } from "../calls/gate/gate-stage.ts";
import { GatedRouter } from "../calls/gate/gated-router.ts";
import { OwnResources } from "../calls/resources/own-resources.ts";
import type { ImageConverter, PdfReader } from "../calls/router/distant-calls.ts";
import { ToolRouter } from "../calls/router/tool-router.ts";
import type { GatewayServices } from "../calls/upstream/upstream-gateway.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { readDecoderReply } from "../tools/images/decode/decoder-reply.ts";
import { shownPath } from "../tools/images/image-file.ts";
import { imageResultBytesMax } from "../tools/images/image-format.ts";
import type { WorkerPool } from "../tools/workers/pool.ts";
import type { ConvertedImage, ConvertImageRequest, ReadPdfRequest } from "../tools/web-services.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import { type PdfText, readPdfReply } from "../web/documents/read-pdf.ts";
import { type OpenParts, openParts, storePathOf, type ToolServicesParts } from "./open-parts.ts";
import { OwnProcess } from "./own-process.ts";

/**
 * The services behind the tools, made with the first call or in the first quiet moment, because nothing of them is
 * needed to answer `initialize` and `tools/list`.
 */
export interface ToolServices {
  readonly router: GatedRouter;
  readonly resources: OwnResources;
  /** The services that calls to upstream servers need. */
  readonly forGateway: GatewayServices;
  /** Has the first Worker and the login shell's PATH ready before the first call, if there is time. */
  warm(): void;
  /** Ends the background tasks of a client that is gone. */
  endClient(clientId: string): Promise<void>;
  /** Starts upstream servers, as children like all others. @throws AppError `cancelled` at the end */
  serverProcesses(): Promise<ServerProcesses>;
  /**
   * Ends every command, every Worker, the browser and every upstream server, whose input is closed by its connection.
   * @param killAt when KILL is due for processes that do not end by themselves
   */
  endBy(killAt: number): Promise<void>;
}

export function createToolServices(parts: ToolServicesParts): ToolServices {
  const open = openParts(parts);
  const { commands, pool, state, web, processes } = open;
  return {
    router: createRouter(open),
    resources: new OwnResources({
      supervisor: commands.supervisor,
      savedOutputs: commands.savedOutputs,
      changes: parts.changes,
      state: state.resources,
    }),
    forGateway: servicesForGateway(open),
    warm() {
      pool.warm();
      void commands.environment.get();
      state.warm();
      if (existsSync(storePathOf(parts))) void commands.ledger.endLeftovers();
    },
    endClient(clientId) {
      state.endClient(clientId);
      return commands.supervisor.endClient(clientId);
    },
    async serverProcesses() {
      processes.assertOpen();
      return processes.get();
    },
    async endBy(killAt) {
      processes.close();
      pool.close();
      // They do not wait for hooks, nor for the Worker, which may hang.
      const serversEnded = processes.making?.then((servers) => servers.endBy(killAt));
      await state[Symbol.asyncDispose]();
      const commandsEnded = commands.supervisor.endBy(killAt, serversEnded);
      await Promise.all([web[Symbol.asyncDispose](), commandsEnded]);
      commands.ledger[Symbol.dispose]();
    },
  };
}

/** The gate and the routers behind it: own tools, and those of upstream servers. */
function createRouter({
  program,
  options,
  gateway,
  commands,
  pool,
  web,
  state,
  running,
}: OpenParts): GatedRouter {
  const { settings } = options.start.config;
  const { supervisor, savedOutputs } = commands;
  const { planStage, stages, notes, watchers, services, confinements } = state;
  const admissions = new Admissions([planStage, gateway.stage, ...stages]);
  const toolRouter = new ToolRouter({
    cards: program.cards,
    isEnabled: (toolName) => settings.isToolEnabled(toolName),
    isStreaming: settings.streaming,
    pool,
    supervisor,
    savedOutputs,
    web,
    images: new ImageDecoder(supervisor, ownCommand()),
    documents: new PdfProcess(supervisor, ownCommand()),
    state: services,
    confinements,
    wantsData: admissions.wantsData,
  });
  return new GatedRouter({
    router: toolRouter,
    foreign: gateway.calls,
    stages: admissions,
    notes,
    watchers: [running, warmsPool(pool), ...watchers],
    ownNames: gateway.ownNames,
    resolve: gateway.resolve,
  });
}

/** The last Worker ends when it is idle: a call of an own tool starts one while the stages still check the call. */
function warmsPool(pool: Pick<WorkerPool, "warm">): CallWatcher {
  return {
    began({ target }) {
      if (target === undefined) pool.warm();
    },
  };
}

function servicesForGateway({ commands, state }: OpenParts): GatewayServices {
  const { supervisor, savedOutputs } = commands;
  const { services, watchers } = state;
  return {
    supervisor,
    savedOutputs,
    questions: () => services.questions,
    keepOutput: (clientId, output) => supervisor.tasksOf(clientId).keep(output),
    watchers,
  };
}

/** Reading ends by itself after 15 s, between two pages; one page alone may hang. */
const readMsMax = 20_000;
/** 4 million characters, escaped as JSON. */
const replyBytesMax = 32 * 1024 * 1024;

/** Reads PDFs in processes of their own. */
export class PdfProcess implements PdfReader {
  readonly #process: OwnProcess;

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#process = new OwnProcess(supervisor, command, {
      name: "PDF reader",
      argument: pdfReaderArgument,
      env: {},
      msMax: readMsMax,
      replyBytesMax,
    });
  }

  async readPdf({ path }: ReadPdfRequest, signal: AbortSignal): Promise<PdfText> {
    const { output, execution } = await this.#process.run(path, signal);
    const reply = readPdfReply(output);
    if (reply?.ok === true) {
      return { title: reply.title, pageCount: reply.pageCount, pages: reply.pages };
    }
    if (reply !== undefined) throw new AppError(reply.code, reply.message);
    const what =
      execution.endReason === "timeout"
        ? `took longer than ${readMsMax / 1000} s to read`
        : "ended the process that read it";
    throw new AppError("system", `The PDF ${what}. It is probably damaged.`);
  }
}

/** 100 megapixels take 3 s on a slow machine. */
const decodeMsMax = 10_000;
const replyLineBytesMax = 64 * 1024;

/** Decodes images in processes of their own. */
export class ImageDecoder implements ImageConverter {
  readonly #process: OwnProcess;

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#process = new OwnProcess(supervisor, command, {
      name: "image decoder",
      argument: decoderArgument,
      // PATH finds a renderer for SVG.
      env: { PATH: process.env["PATH"] ?? "" },
      msMax: decodeMsMax,
      replyBytesMax: imageResultBytesMax + replyLineBytesMax,
    });
  }

  async convert({ path }: ConvertImageRequest, signal: AbortSignal): Promise<ConvertedImage> {
    const { output, execution } = await this.#process.run(path, signal);
    const found = readDecoderReply(output);
    if (found === undefined) throw decoderFailed(path, execution.endReason, execution.exit);
    const { reply, image } = found;
    if (!reply.ok) throw new AppError(reply.code, reply.message);
    const { mimeType, width, height, changes } = reply;
    return { base64: Buffer.from(image).toString("base64"), mimeType, width, height, changes };
  }
}

function decoderFailed(
  path: string,
  reason: string | undefined,
  exit: { readonly exitCode: number | null; readonly signal: string | null } | undefined,
): AppError {
  if (reason === "timeout") {
    const seconds = decodeMsMax / 1000;
    return new AppError(
      "limit",
      `${shownPath(path)} could not be decoded within ${seconds} s. Make a smaller copy.`,
    );
  }
  const how = exit?.signal ?? `exit code ${exit?.exitCode ?? "unknown"}`;
  const message = `${shownPath(path)} could not be decoded: the decoder ended with ${how}. The file is probably damaged.`;
  return new AppError("system", message);
}
