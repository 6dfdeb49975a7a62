import { type Cancellation, withSignal } from "../../base/cancellation.ts";
import { heavyPagesMax } from "../../base/limits.ts";
import { type Turn, Turns } from "../../base/turns.ts";
import { isHeavyPage, JsonText } from "../../base/weight.ts";
import type { ServiceMethod, ServiceRequest } from "../../tools/services.ts";
import type {
  ConvertImageRequest,
  ConvertedImage,
  ReadPdfRequest,
} from "../../tools/web-services.ts";
import type { PdfText } from "../../web/documents/read-pdf.ts";
import type { RemoteWeb } from "../../web/web.ts";

/** Decodes images outside of this process. */
export interface ImageConverter {
  convert(request: ConvertImageRequest, signal: AbortSignal): Promise<ConvertedImage>;
}

/** Reads PDFs outside of this process. */
export interface PdfReader {
  readPdf(request: ReadPdfRequest, signal: AbortSignal): Promise<PdfText>;
}

/** The services whose work is done neither in a tool's Worker nor on the main thread. */
export interface DistantServices {
  readonly web: RemoteWeb;
  readonly images: ImageConverter;
  readonly documents: PdfReader;
}

/** The methods of those services. */
export type DistantMethod = Extract<
  ServiceMethod,
  "web.fetchPage" | "web.renderPage" | "web.search" | "images.convert" | "documents.readPdf"
>;

/** Performs the call; the work ends when the call is cancelled. */
export function performDistantCall(
  services: DistantServices,
  call: ServiceRequest<DistantMethod>,
  cancellation: Cancellation,
): Promise<unknown> {
  return withSignal(cancellation, (signal) => startCall(services, call, signal));
}

function startCall(
  { web, images, documents }: DistantServices,
  { method, request }: ServiceRequest<DistantMethod>,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "web.fetchPage":
      return web.fetchPage(request, signal);
    case "web.renderPage":
      return web.renderPage(request, signal);
    case "web.search":
      return web.search(request, signal);
    case "images.convert":
      return images.convert(request, signal);
    case "documents.readPdf":
      return documents.readPdf(request, signal);
  }
}

/** The turns of all clients together: the content of pages is in the memory of one process. */
const turns = new Turns(heavyPagesMax);

/** One call's turn to read pages that take much memory: the call waits for it, and keeps it until the call is over. */
export class PageTurn implements Disposable {
  #turn: Turn | undefined;
  #isOver = false;

  /**
   * Passes a page on when it may be read.
   * @throws AppError `cancelled`
   */
  async await(page: unknown, cancellation: Cancellation): Promise<unknown> {
    const isHeavy = page instanceof JsonText && isHeavyPage(page.json);
    if (!isHeavy || this.#turn !== undefined || this.#isOver) return page;
    const turn = await withSignal(cancellation, (signal) => turns.take(signal));
    if (this.#isOver || this.#turn !== undefined) turn[Symbol.dispose]();
    else this.#turn = turn;
    return page;
  }

  /** The call is over. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#turn?.[Symbol.dispose]();
    this.#turn = undefined;
  }
}
