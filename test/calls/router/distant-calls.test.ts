import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import { JsonText } from "../../../src/base/weight.ts";
import {
  type DistantMethod,
  type DistantServices,
  performDistantCall,
} from "../../../src/calls/router/distant-calls.ts";
import type { ServiceRequest } from "../../../src/tools/services.ts";

/** Says what was asked of which service, or waits until it is not wanted any more. */
function services(onSignal: (signal: AbortSignal) => void = () => {}): DistantServices {
  const answer =
    (method: string) =>
    (request: unknown, signal: AbortSignal): Promise<JsonText> => {
      onSignal(signal);
      if (!JSON.stringify(request).includes('"wait"')) {
        return Promise.resolve(new JsonText(JSON.stringify({ method, request })));
      }
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new AppError("cancelled", method)));
      });
    };
  return {
    web: {
      fetchPage: answer("fetchPage"),
      renderPage: answer("renderPage"),
      search: answer("search"),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    documents: {
      readPdf: async ({ path }, signal) => {
        await answer("readPdf")(path, signal);
        return { title: path, pageCount: 0, pages: [] };
      },
    },
    images: {
      convert: async ({ path }, signal) => {
        await answer("convert")(path, signal);
        return { base64: path, mimeType: "image/png", width: 1, height: 1, changes: [] };
      },
    },
  };
}

function webCalls(word: string): ServiceRequest<DistantMethod>[] {
  return [
    { method: "web.fetchPage", request: { url: word } },
    { method: "web.renderPage", request: { url: word, waitMs: 0 } },
    { method: "web.search", request: { query: word } },
  ];
}

describe("performDistantCall()", () => {
  test.each(webCalls("u"))(
    "$method reaches its service, and its answer is passed on unread",
    async (call) => {
      const { method, request } = call;
      const value = await performDistantCall(services(), call, new Cancellation());
      expect(value).toEqual(
        new JsonText(JSON.stringify({ method: method.slice("web.".length), request })),
      );
    },
  );

  test("images.convert reaches the converter", async () => {
    const value = await performDistantCall(
      services(),
      { method: "images.convert", request: { path: "/a.png" } },
      new Cancellation(),
    );
    expect(value).toMatchObject({ base64: "/a.png" });
  });

  test("documents.readPdf reaches the reader", async () => {
    const request = { path: "/a.pdf" };
    const value = await performDistantCall(
      services(),
      { method: "documents.readPdf", request },
      new Cancellation(),
    );
    expect(value).toMatchObject({ title: "/a.pdf" });
  });

  test.each(webCalls("wait"))("$method ends when its call is cancelled", async (asked) => {
    const cancellation = new Cancellation();
    const call = performDistantCall(services(), asked, cancellation);
    cancellation.cancel();
    expect(call).rejects.toMatchObject({ code: "cancelled" });
    await call.catch(() => {});
  });

  test("a cancellation that comes after the answer reaches nobody", async () => {
    const signals: AbortSignal[] = [];
    const cancellation = new Cancellation();
    await performDistantCall(
      services((signal) => signals.push(signal)),
      { method: "web.search", request: { query: "q" } },
      cancellation,
    );
    cancellation.cancel();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
