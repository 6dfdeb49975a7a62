import { saysSecret } from "../../base/secrets.ts";
import { plainLetters } from "../../base/plain-letters.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { upstreamAskCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { type Choice, choicesOf, fieldKindOf } from "../../protocol/elicitation-checks.ts";
import type { FormElicitation, FormField, UrlElicitation } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type {
  Answer,
  Question,
  QuestionsReply,
  QuestionsRequest,
} from "../../tools/state-services.ts";

/** A question of an upstream server as it may be shown to the user, or why it is not shown. */
export type ShownElicitation =
  | { readonly kind: "shown"; readonly request: FormElicitation | UrlElicitation }
  /** `why` completes "… was not shown:". */
  | { readonly kind: "refused"; readonly why: string };

/**
 * Prepares a question of `server` for the user: its text names that server, and fields that a form must not have are not
 * shown. Takes any value, since that server sent it.
 */
export function shownElicitation(
  server: string,
  { params: asked }: { readonly params: unknown },
): ShownElicitation {
  if (!isObject(asked)) return refused("it is malformed");
  const words = typeof asked.message === "string" ? asked.message : "";
  if (asked.mode === "url") return shownPage(server, words, asked);
  return shownForm(server, words, asked);
}

function shownPage(
  server: string,
  words: string,
  { url, elicitationId }: Params,
): ShownElicitation {
  const address = typeof url === "string" ? URL.parse(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol)) {
    return refused("it names no http(s) address");
  }
  const message = `${server} asks you to open a page of ${address.host}: ${visible(words)}`;
  const id = typeof elicitationId === "string" ? elicitationId : crypto.randomUUID();
  const shown = { mode: "url", message, url: address.href, elicitationId: id } as const;
  return { kind: "shown", request: { method: "elicitation/create", params: shown } };
}

function shownForm(server: string, words: string, asked: Params): ShownElicitation {
  const { requestedSchema: schema } = asked;
  if (!isObject(schema) || !isObject(schema.properties)) return refused("it has no form");
  const fields: [string, FormField][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    if (!isObject(field) || typeof field.type !== "string") return refused("its form is malformed");
    const known = { ...field, type: field.type };
    if (fieldKindOf(known) === undefined) {
      return refused(`its field ${visible(name).slice(0, 60)} is of a kind that forms do not have`);
    }
    if (asksForSecret(name, field)) {
      return refused(
        `its field ${visible(name).slice(0, 60)} asks for a secret, which forms must not; ` +
          `a page of that server may (URL mode)`,
      );
    }
    fields.push([name, { ...visibleMembers(field), type: field.type }]);
  }
  const required: unknown = schema.required;
  const message = `${server} asks: ${visible(words)}`;
  const requestedSchema = {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(isTexts(required) ? { required } : {}),
  } as const;
  return {
    kind: "shown",
    request: { method: "elicitation/create", params: { message, requestedSchema } },
  };
}

/** Secrets that people know by heart, beside those of programs. A harmless field with such a name can be filled in on a page. */
const knownByHeart = /passcode|\b(?:pin|otp|cvv|cvc|ssn)\b/i;

function asksForSecret(name: string, field: Params): boolean {
  if (field.type !== "string") return false;
  // camelCase and snake_case names are words too.
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]/g, " ");
  return [name, words, field.title, field.description, field.format].some(
    (text) =>
      typeof text === "string" &&
      [text, plainLetters(text)].some((read) => saysSecret(read) || knownByHeart.test(read)),
  );
}

function visiblePart(part: unknown): unknown {
  return isObject(part) ? visibleMembers(part) : part;
}

/**
 * A field with its options (`oneOf`, `anyOf`, `items`, `enumNames`): titles and descriptions are made visible as the message is;
 * values stay, since they come back as answers.
 */
function visibleMembers(part: Params): Params {
  const entries = Object.entries(part).map(([key, value]) => {
    if ((key === "title" || key === "description") && typeof value === "string") {
      return [key, visible(value)] as const;
    }
    if (key === "enumNames" && isTexts(value)) return [key, value.map(visible)] as const;
    if ((key === "oneOf" || key === "anyOf") && Array.isArray(value)) {
      return [key, value.map(visiblePart)] as const;
    }
    return [key, key === "items" ? visiblePart(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

/** Untrusted text: cut, and without characters that would hide or forge other text. */
function visible(text: string): string {
  return escapeUnsafe(text.slice(0, upstreamAskCharsMax)).toWellFormed();
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function refused(why: string): ShownElicitation {
  return { kind: "refused", why };
}

/** A form as questions with options, for places other than clients; and how answers become its content. */
interface FormQuestions {
  readonly request: QuestionsRequest;
  /** The result of `elicitation/create`. */
  contentOf(reply: QuestionsReply): Params;
}

interface Asked {
  readonly name: string;
  readonly kind: "boolean" | "choice" | "choices";
  readonly choices: readonly Choice[];
}

const yesNo: readonly Choice[] = [
  { value: "true", title: "Yes" },
  { value: "false", title: "No" },
];

/** Undefined for a form that needs words or numbers: these questions have options only. */
export function formQuestions({ params }: FormElicitation): FormQuestions | undefined {
  const { message, requestedSchema } = params;
  const { properties, required = [] } = requestedSchema;
  const asked: Asked[] = [];
  for (const [name, field] of Object.entries(properties)) {
    const one = askedOf(name, field);
    if (one !== undefined) asked.push(one);
    else if (required.includes(name)) return undefined;
  }
  const questions =
    asked.length === 0
      ? [
          question(
            message,
            yesNo.map(({ title }) => title),
            false,
          ),
        ]
      : asked.map((one, index) =>
          fieldQuestion(one, properties[one.name], index === 0 ? message : ""),
        );
  return {
    request: { purpose: "question", questions },
    contentOf: (reply) => contentOf(asked, reply),
  };
}

function askedOf(name: string, field: FormField): Asked | undefined {
  const kind = fieldKindOf(field);
  if (kind === "boolean") return { name, kind, choices: yesNo };
  const choices = choicesOf(field) ?? [];
  if ((kind !== "choice" && kind !== "choices") || choices.length === 0) return undefined;
  return { name, kind, choices };
}

function fieldQuestion(
  { name, kind, choices }: Asked,
  field: FormField | undefined,
  message: string,
): Question {
  const title = typeof field?.["title"] === "string" ? field["title"] : name;
  const text = message === "" ? title : `${message}\n${title}`;
  return question(
    text,
    choices.map((choice) => choice.title),
    kind === "choices",
  );
}

function question(text: string, labels: readonly string[], multiSelect: boolean): Question {
  const options = labels.map((label) => ({ label, description: null }));
  return { question: text, header: null, options, multiSelect };
}

function contentOf(asked: readonly Asked[], reply: QuestionsReply): Params {
  switch (reply.outcome) {
    case "answered":
      return answered(asked, reply.answers);
    case "declined":
      return { action: "decline" };
    case "cancelled":
    case "timed_out":
    case "pending":
    case "unavailable":
      return { action: "cancel" };
  }
}

/** Free text is not an option of the form: it is ignored. */
function answered(asked: readonly Asked[], answers: readonly Answer[]): Params {
  if (answers.some(({ other }) => other !== null)) return { action: "decline" };
  if (asked.length === 0) {
    const isYes = answers[0]?.labels[0] === yesNo[0]?.title;
    return isYes ? { action: "accept", content: {} } : { action: "decline" };
  }
  const entries = asked.map(({ name, kind, choices }, index): [string, unknown] => {
    const labels = answers[index]?.labels ?? [];
    const values = labels.flatMap(
      (label) => choices.find(({ title }) => title === label)?.value ?? [],
    );
    if (kind === "choices") return [name, values];
    return [name, kind === "boolean" ? values[0] === "true" : values[0]];
  });
  return { action: "accept", content: Object.fromEntries(entries) };
}
