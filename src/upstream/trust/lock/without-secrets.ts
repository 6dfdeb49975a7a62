import { isSecretName } from "../../config/secret-names.ts";

const hiddenValue = "***";

/** Beside names of variables: names of options and of parts of an address. */
const secretName = /credential|signature|^sig$/i;
/** Keys of well-known services, and what comes in an `Authorization` header. */
const secretValue =
  /^(?:bearer |basic )|^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|npm|hf)[-_][\w.-]{8,}|^A[KS]IA[A-Z\d]{12,}|^AIza[\w-]{20,}|^ya29\.[\w-]{8,}|^eyJ[\w-]+\.eyJ/i;

/** Arguments as they may be printed and committed: values of `--token x`, `--api-key=x` and the like are left out. */
export function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const before = args[index - 1] ?? "";
    const [, name, value] = /^(-{0,2}[\w.-]+)=(.+)$/s.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) {
      return isSecret(name, value) ? `${name}=${hiddenValue}` : argument;
    }
    const isValue = before.startsWith("-") && !before.includes("=") && !argument.startsWith("-");
    if (isSecret(isValue ? before : "", argument)) return hiddenValue;
    return /^https?:\/\//i.test(argument) ? withoutSecretsInUrl(argument) : argument;
  });
}

/** A part of a path by which some services know who it is: random letters and digits, as no name has them. */
const secretPart = /^(?:(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w~.-]{20,}|[\da-f-]{32,})$/;

/** The address without a password and without what looks like a key. */
export function withoutSecretsInUrl(url: string): string {
  const pathEnd = url.search(/[?#]/);
  const path = pathEnd === -1 ? url : url.slice(0, pathEnd);
  return (withoutSecretParts(path) + url.slice(path.length))
    .replace(/^([a-z][\w+.-]*:\/\/)[^/?#@]*@/i, `$1${hiddenValue}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
      return isSecret(name, value) ? `${mark}${name}=${hiddenValue}` : whole;
    });
}

/** Scheme and host stand before the third slash. */
function withoutSecretParts(path: string): string {
  const isKey = (part: string): boolean => secretPart.test(part) || isSecret("", part);
  const parts = path.split("/");
  return parts.map((part, index) => (index > 2 && isKey(part) ? hiddenValue : part)).join("/");
}

/** A variable's name is not its value. */
function isSecret(name: string, value: string): boolean {
  if (value === "" || /^\$\{[^}]*\}$/.test(value)) return false;
  return isSecretName(name) || secretName.test(name) || secretValue.test(value);
}
