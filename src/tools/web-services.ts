import type { PdfText } from "../web/documents/read-pdf.ts";
import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "../web/pages/page-url.ts";
import type { SearchReply, SearchRequest } from "../web/search/search-reply.ts";

/** Pages and searches; the work is done by the web service, never in the Worker of the tool. */
export interface WebService {
  /** @throws AppError as `Web.fetchPage` */
  fetchPage(request: FetchPageRequest): Promise<LoadedPage>;
  /** @throws AppError as `Web.renderPage` */
  renderPage(request: RenderPageRequest): Promise<LoadedPage>;
  search(request: SearchRequest): Promise<SearchReply>;
}

export interface ConvertImageRequest {
  /** Absolute. */
  readonly path: string;
}

export interface ConvertedImage {
  readonly base64: string;
  readonly mimeType: string;
  /** Width and height of the image in `base64`, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The conversions, for instance `scaled down from 4000 × 3000`. */
  readonly changes: readonly string[];
}

export interface ImagesService {
  /**
   * Decodes and scales an image in a child process with limits on time and memory.
   * @throws AppError that names the fault of the file
   */
  convert(request: ConvertImageRequest): Promise<ConvertedImage>;
}

export interface ReadPdfRequest {
  /** Absolute, of a private file. */
  readonly path: string;
}

export interface DocumentsService {
  /**
   * Reads a PDF in a child process with limits on time and memory.
   * @throws AppError that names the fault of the file
   */
  readPdf(request: ReadPdfRequest): Promise<PdfText>;
}

/** Where a call works. */
export interface WorkplaceReply {
  /** The absolute path that relative ones are resolved against. */
  readonly folder: string;
  /** Files are read by `file`, and by path by nobody: the client sees others than this process. */
  readonly isApart?: true;
}

export interface WorkspaceService {
  place(): Promise<WorkplaceReply>;
  /**
   * A copy of a regular file, as the commands of the client see it, at most one byte longer than `bytesMax`.
   * @returns the absolute path of the copy, which goes with the call
   * @throws AppError `not_found`, `refused` or `system`
   */
  file(request: { readonly path: string; readonly bytesMax: number }): Promise<string>;
}
