/** Recognizes secrets by name or shape, for all code that shows, writes or warns of them. */

/** Names that say it of the words beside them, in running text too: `API_KEY=…`, `--password …`. */
const plainNames =
  /token|secret|passw(?:or)?d|passphrase|api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|credentials?/i;

/** Names that say it of a setting that has the name, where `key` or `auth` in a sentence would say nothing. */
const settingNames =
  /TOKEN|KEY|SECRET|PASS|AUTH|CREDENTIAL|SIGNATURE|BEARER|^SIG$|(?<!^|^OLD)PWD$/i;

/** Ends of the name of an option that says where a secret is or how it is used: `--token-file`, `--auth-mode`. */
const placeNames = /(?:mode|type|file|path|dir|url|uri|name|host|port|method|server)$/i;

/** Shapes of the secrets of code hosts, clouds, model providers, chat, shops; JWTs; keys in PEM. Each has an example in the tests. */
const shapes: readonly string[] = [
  String.raw`scx_[\w-]{16,}`,
  String.raw`gh[oprsu]_[A-Za-z\d]{12,}`,
  String.raw`github_pat_\w{12,}`,
  String.raw`gl(?:pat|dt|rt|ptt|ft|soat|imt|agent|cbt)-[\w-]{12,}`,
  String.raw`xox[a-z]-[\w-]{10,}`,
  String.raw`xapp-[\w-]{10,}`,
  String.raw`[sp]k-[\w-]{12,}`,
  String.raw`[prs]k_(?:live|test)_\w{10,}`,
  String.raw`gsk_\w{16,}`,
  String.raw`xai-\w{16,}`,
  String.raw`whsec_[\w+/=]{16,}`,
  String.raw`A[KS]IA[A-Z\d]{12,}`,
  String.raw`AIza[\w-]{20,}`,
  String.raw`ya29\.[\w-]{8,}`,
  String.raw`npm_[A-Za-z\d]{20,}`,
  String.raw`pypi-[\w-]{12,}`,
  String.raw`hf_[A-Za-z\d]{12,}`,
  String.raw`ntn_\w{16,}`,
  String.raw`lin_api_\w{16,}`,
  String.raw`figd_[\w-]{16,}`,
  String.raw`sbp_\w{16,}`,
  String.raw`dop_v1_\w{16,}`,
  String.raw`shp(?:at|ss|ca|pa)_\w{16,}`,
  String.raw`SG\.[\w-]{12,}\.[\w-]{12,}`,
  String.raw`tvly-[\w-]{12,}`,
  String.raw`(?<!-)eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
];

/** Global: for `replaceAll`. */
const tokenShapes = new RegExp(
  String.raw`\b(?:${shapes.join("|")})|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
  "g",
);

/** True for the name of a variable, a parameter or an option that commonly holds a secret (CF16). */
export function isSecretName(name: string): boolean {
  return settingNames.test(name);
}

/** True for the name of what says where a secret is, or how it is used: `CREDENTIALS_FILE`. */
export function isPlaceName(name: string): boolean {
  return placeNames.test(name);
}

/** True for a name whose value is a secret, whatever it is. */
export function saysSecret(word: string): boolean {
  return plainNames.test(word);
}

/** True for `--api-key` and the like, whose value is a secret. */
export function isSecretFlag(word: string | undefined): boolean {
  return (
    word !== undefined && /^--?[\w.-]+$/.test(word) && isSecretName(word) && !placeNames.test(word)
  );
}

/** The replacement of a secret. */
export const hidden = "***";

/** The text in the place of a secret. */
type Replace = (secret: string) => string;

const hide: Replace = () => hidden;

/** Between a name and its value: `NAME=value`, `--name value`, `"name": "value"`. */
const separator = /["']?(?:\s*[:=]\s*|\s+)/y;

/** In quotes, or as a shell puts parts together; quotes without end last to the end. */
const namedValue =
  /"(?:[^"\\]|\\[^])*(?:["\\]|$)|'[^']*(?:'|$)|[^\s"';&|](?:[^\s"'\\;&|]|\\[^]|"(?:[^"\\]|\\[^])*(?:["\\]|$)|'[^']*(?:'|$))*/y;

/** `Authorization: Bearer …`, `user:password@` in a URL, `-u user:password`. */
const carried =
  /(\b(?:bearer|basic)\s+)([\w.~+/=-]{8,})|(:\/\/[^\s/:@]*:)([^\s/]+)(?=@)|((?<=\s)(?:-u|--user)[ =]?["']?[^\s:"']{1,256}:)([^\s"']+)/gi;

/** `${…}`: the secret is elsewhere. */
const reference = /(?<!\$)\$\{[^}]*\}/g;

/** `text` without what looks like a token, by its shape alone. */
export function hideTokens(text: string, replace: Replace = hide): string {
  return text.replaceAll(tokenShapes, replace);
}

/** `text` without what looks like a secret or is called one in it. Linear in its length. */
export function hideInText(text: string, replace: Replace = hide): string {
  const shown = hideTokens(text, replace).replaceAll(
    carried,
    (_whole, ...parts: readonly (string | undefined)[]) => {
      const [scheme, one, user, two, option, three] = parts;
      return `${scheme ?? user ?? option ?? ""}${replace(one ?? two ?? three ?? "")}`;
    },
  );
  return withoutNamed(shown, replace);
}

/** As `hideInText`; references, which say where a secret is, stay. */
export function hideInTemplate(text: string, replace: Replace = hide): string {
  const kept: string[] = [];
  // With what is before it: a name with nothing behind it has no value that could be hidden.
  const masked = text.replaceAll(/[=:\s]?(?<!\$)\$\{[^}]*\}/g, (whole) => {
    kept.push(whole);
    return `\uE000${kept.length - 1}\uE001`;
  });
  const shown = hideInText(masked, replace);
  return shown.replaceAll(/\uE000(\d+)\uE001/g, (_mark, index) => kept[Number(index)] ?? "");
}

/** A text that is a secret as a whole: its references stay, and the word that names its scheme. */
export function hideLiteral(text: string, replace: Replace = hide): string {
  const scheme = /^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length);
  if (rest.replaceAll(reference, "").trim() === "") return text;
  return `${scheme}${replace(rest)}`;
}

/** The arguments of a command: `--api-key VALUE` as well as `--api-key=VALUE`, `NAME=VALUE`, addresses and tokens. */
export function hideInArguments(
  words: readonly string[],
  replace: Replace = hide,
): readonly string[] {
  return words.map((word, index) =>
    !word.startsWith("--") && isSecretFlag(words[index - 1])
      ? hideLiteral(word, replace)
      : hideInArgument(word, replace),
  );
}

function hideInArgument(word: string, replace: Replace): string {
  const [, name = "", value = ""] = /^(-{0,2}[\w.-]+)=(.+)$/s.exec(word) ?? [];
  // Variables are written in capitals; of a small `key=1` nothing is known.
  const isNamed = name.startsWith("-")
    ? isSecretFlag(name)
    : saysSecret(name) || (/^[A-Z][A-Z\d_]*$/.test(name) && isSecretName(name));
  if (isNamed) return `${name}=${hideLiteral(value, replace)}`;
  return isAddress(word) ? hideInUrl(word, replace) : hideInTemplate(word, replace);
}

/** True for a text that is an address as a whole. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(text);
}

/** A part of a path by which some services know who it is: random letters and digits, as no name has them. */
const secretPart = /^(?:(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w~.-]{20,}|[\da-f-]{32,})$/;

/** The address without a password, and without what looks like a key in its path or its parameters. */
export function hideInUrl(url: string, replace: Replace = hide): string {
  const pathEnd = url.search(/[?#]/);
  const path = pathEnd === -1 ? url : url.slice(0, pathEnd);
  const shown = (withoutSecretParts(path, replace) + url.slice(path.length))
    .replace(/(?<=^[a-z][\w+.-]*:\/\/)[^/?#]*(?=@)/i, (user) => hideUser(user, replace))
    .replaceAll(/([?&#])([^=&#]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) =>
      isSecretName(name) ? `${mark}${name}=${hideLiteral(value, replace)}` : whole,
    );
  return hideTokens(shown, replace);
}

/** A name alone may be a token; a name before a reference is not. */
function hideUser(user: string, replace: Replace): string {
  const password = user.slice(user.indexOf(":") + 1);
  return password.replaceAll(reference, "") === "" ? user : replace(user);
}

/** Scheme and host are before the third slash. */
function withoutSecretParts(path: string, replace: Replace): string {
  const parts = path.split("/");
  return parts
    .map((part, index) => (index > 2 && secretPart.test(part) ? replace(part) : part))
    .join("/");
}

/** Word by word: one expression for a name and its value takes minutes for a long word. */
function withoutNamed(text: string, replace: Replace): string {
  const words = /[\w-]+/g;
  let shown = "";
  let shownTo = 0;
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    if (!saysSecret(word[0])) continue;
    const from = endOfMatch(separator, text, words.lastIndex);
    const to = from === undefined ? undefined : endOfMatch(namedValue, text, from);
    if (from === undefined || to === undefined) continue;
    shown += text.slice(shownTo, from) + replace(text.slice(from, to));
    shownTo = to;
    words.lastIndex = to;
  }
  return shown + text.slice(shownTo);
}

/** Where the match of a sticky expression at this place ends. */
function endOfMatch(expression: RegExp, text: string, at: number): number | undefined {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : undefined;
}
