import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import { JsonText } from "../../../src/base/weight.ts";
import {
  type DistantMethod,
  distantMethods,
  type DistantServices,
  performDistantCall,
} from "../../../src/calls/router/distant-calls.ts";

/** Says what was asked of which service, or waits until it is not wanted any more. */
function services(onSignal: (signal: AbortSignal) => void = () => {}): DistantServices {
  const answer =
    (method: string) =>
    (request: unknown, signal: AbortSignal): Promise<JsonText> => {
      onSignal(signal);
      if (JSON.stringify(request) !== '"wait"') {
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

describe("performDistantCall()", () => {
  test.each(distantMethods.filter((method) => method.startsWith("web.")))(
    "%s reaches its service, and its answer is passed on unread",
    async (method) => {
      const request = { url: "u", query: "q" };
      const value = await performDistantCall(services(), method, request, new Cancellation());
      expect(value).toEqual(
        new JsonText(JSON.stringify({ method: method.slice("web.".length), request })),
      );
    },
  );

  test("images.convert reaches the converter", async () => {
    const value = await performDistantCall(
      services(),
      "images.convert",
      { path: "/a.png" },
      new Cancellation(),
    );
    expect(value).toMatchObject({ base64: "/a.png" });
  });

  test("documents.readPdf reaches the reader", async () => {
    const request = { path: "/a.pdf" };
    const value = await performDistantCall(
      services(),
      "documents.readPdf",
      request,
      new Cancellation(),
    );
    expect(value).toMatchObject({ title: "/a.pdf" });
  });

  test.each<DistantMethod>(["web.fetchPage", "web.renderPage", "web.search"])(
    "%s ends when its call is cancelled",
    async (method) => {
      const cancellation = new Cancellation();
      const call = performDistantCall(services(), method, "wait", cancellation);
      cancellation.cancel();
      expect(call).rejects.toMatchObject({ code: "cancelled" });
      await call.catch(() => {});
    },
  );

  test("a cancellation that comes after the answer reaches nobody", async () => {
    const signals: AbortSignal[] = [];
    const cancellation = new Cancellation();
    await performDistantCall(
      services((signal) => signals.push(signal)),
      "web.search",
      { query: "q" },
      cancellation,
    );
    cancellation.cancel();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
