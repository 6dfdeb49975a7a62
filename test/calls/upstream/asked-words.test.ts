import { expect, test } from "bun:test";

import { shownElicitation } from "../../../src/calls/upstream/asked-things.ts";
import type { FormElicitation } from "../../../src/protocol/input-request.ts";

const form = (properties: object): FormElicitation =>
  ({
    method: "elicitation/create",
    params: { message: "", requestedSchema: { type: "object", properties } },
  }) as FormElicitation;

test("titles and descriptions of a form are escaped like its message, values are not", () => {
  const title = "a\u202eb\u001b[2J";
  const shown = String.raw`a\u{202e}b\u{1b}[2J`;
  const asked = form({
    a: { type: "string", title, description: title, default: title },
    b: { type: "string", oneOf: [{ const: "x\u200b", title }] },
    c: { type: "array", items: { anyOf: [{ const: "y", title }] } },
    d: { type: "string", enum: ["z"], enumNames: [title] },
  });
  const answer = shownElicitation("srv", asked);
  expect(answer.kind === "shown" && answer.request.params).toMatchObject({
    requestedSchema: {
      properties: {
        a: { type: "string", title: shown, description: shown, default: title },
        b: { oneOf: [{ const: "x\u200b", title: shown }] },
        c: { items: { anyOf: [{ const: "y", title: shown }] } },
        d: { enum: ["z"], enumNames: [shown] },
      },
    },
  });
});

test.each([
  ["a Cyrillic а", "P\u0430ssword"],
  ["all that can be Cyrillic", "\u0430\u0440\u0456 \u043a\u0435\u0443"],
  ["Greek", "\u03a4\u03bfk\u03b5n"],
  ["full width", "\uff30\uff41\uff53\uff53\uff57\uff4f\uff52\uff44"],
  ["styled", "\u{1d412}\u{1d41e}\u{1d41c}\u{1d42b}\u{1d41e}\u{1d42d}"],
  ["accents and what is not seen", "Pa\u0301ss\u200bword"],
])("a field that asks for a secret in %s is not shown", (_, title) => {
  expect(shownElicitation("srv", form({ a: { type: "string", title } })).kind).toBe("refused");
});

test("words of other languages are shown", () => {
  const answer = shownElicitation("srv", form({ a: { type: "string", title: "Имя и город" } }));
  expect(answer.kind).toBe("shown");
});
