import { benchEngineIds, defaultEngineIds } from "../base/search-engine-ids.ts";
import type { ValueType } from "./value-types.ts";

/** The parts of a comma-separated value, trimmed; empty ones are dropped. */
export function listParts(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

const hostExpression = /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?\.?|\[[0-9a-f:.]+\])$/iu;

/** Names and addresses without scheme, port or wildcard, so that only named hosts are allowed. */
export const hostListValue: ValueType<string> = {
  name: "host list",
  allowed: "host names or addresses with commas between, without scheme, port or wildcard",
  parse(text) {
    const hosts = listParts(text);
    if (!hosts.every((host) => hostExpression.test(host))) return undefined;
    return hosts.map((host) => host.toLowerCase()).join(",");
  },
};

const listedEngines: readonly string[] = [...defaultEngineIds, ...benchEngineIds];

export const engineListValue: ValueType<string> = {
  name: "engine list",
  allowed: `names with commas between, of: ${listedEngines.join(", ")}`,
  parse(text) {
    const engines = listParts(text.toLowerCase());
    const isList = engines.length > 0 && engines.every((engine) => listedEngines.includes(engine));
    return isList ? [...new Set(engines)].join(",") : undefined;
  },
};

/** `https:` anywhere, `http:` to this machine only: queries do not cross a network unencrypted. */
export const engineUrlValue: ValueType<string> = {
  name: "URL",
  allowed: "an https: URL, or an http: one to 127.0.0.0/8, [::1] or localhost, without credentials",
  parse(text) {
    if (text === "") return "";
    const url = URL.parse(text);
    if (url === null || url.username !== "" || url.password !== "") return undefined;
    if (url.protocol === "https:") return url.href;
    return url.protocol === "http:" && isLoopback(url.hostname) ? url.href : undefined;
  },
};

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

export const languageValue: ValueType<string> = {
  name: "language",
  allowed: "a language code of two or three letters, for instance en",
  parse: (text) => (/^[a-z]{2,3}$/i.test(text) ? text.toLowerCase() : undefined),
};

export const regionValue: ValueType<string> = {
  name: "region",
  allowed: "a country code of two letters, for instance US, or empty",
  parse: (text) => (/^(?:[a-z]{2})?$/i.test(text) ? text.toUpperCase() : undefined),
};

export const keyTextValue: ValueType<string> = {
  name: "text",
  allowed: "at most 200 letters, digits and - _ . characters",
  parse: (text) => (/^[\w.-]{0,200}$/.test(text) ? text : undefined),
};
