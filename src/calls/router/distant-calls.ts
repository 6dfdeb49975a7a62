import type { Cancellation } from "../../base/cancellation.ts";
import type { ServiceMethod, ServiceRequest } from "../../tools/services.ts";
import type {
  ConvertImageRequest,
  ConvertedImage,
  ReadPdfRequest,
} from "../../tools/web-services.ts";
import type { PdfText } from "../../web/documents/read-pdf.ts";
import type { RemoteWeb } from "../../web/web.ts";
import { withSignal } from "../call-target.ts";

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

/** Methods of those services; each may be repeated. */
export const distantMethods = [
  "web.fetchPage",
  "web.renderPage",
  "web.search",
  "images.convert",
  "documents.readPdf",
] as const satisfies readonly ServiceMethod[];

export type DistantMethod = (typeof distantMethods)[number];

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
