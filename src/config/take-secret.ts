import { AppError } from "../base/errors.ts";
import { readTextFile } from "./read-text-file.ts";
import { credentialsVariable, type SecretName, secretVariables } from "./secret-names.ts";

/** Where the values of one start are. */
interface SecretPlaces {
  /** The values given, by variable: `STORE_URL`, `STORE_URL_FILE`, with or without `SCORPIOX_`. */
  readonly given: ReadonlyMap<string, string>;
  /** The folder of systemd's credentials. */
  readonly credentials: string | undefined;
}

let places: SecretPlaces = { given: new Map(), credentials: undefined };

/**
 * Takes every secret, and every variable that names a file of one, out of `env`: called once, before anything is started
 * that could inherit them.
 * @returns the names of the variables that were there
 */
export function removeSecrets(env: Record<string, string | undefined>): readonly string[] {
  const given = new Map<string, string>();
  const removed: string[] = [];
  for (const variable of [...secretVariables, credentialsVariable]) {
    const value = env[variable];
    if (value === undefined) continue;
    delete env[variable];
    removed.push(variable);
    if (value !== "") given.set(variable, value);
  }
  places = { given, credentials: given.get(credentialsVariable) };
  return removed;
}

/**
 * A secret of this start: of the variable, of the file that the variable with `_FILE` names, or of systemd's credential
 * with the name in small letters. A file is read each time, so that a new value needs no other name.
 * @returns undefined when there is none
 * @throws AppError `usage` when it is given twice, `config` for a file that cannot be used
 */
export function takeSecret(name: SecretName): string | undefined {
  const found = [`SCORPIOX_${name}`, name].flatMap((variable) => [
    ...inVariable(variable),
    ...inFile(`${variable}_FILE`),
  ]);
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    throw new AppError(
      "usage",
      `${first.variable} and ${second.variable} are both set. Keep one of them.`,
    );
  }
  return first?.read() ?? inCredentials(name);
}

interface Found {
  readonly variable: string;
  read(): string;
}

function inVariable(variable: string): Found[] {
  const value = places.given.get(variable);
  return value === undefined ? [] : [{ variable, read: () => value }];
}

function inFile(variable: string): Found[] {
  const path = places.given.get(variable);
  return path === undefined ? [] : [{ variable, read: () => readSecret(path, variable) }];
}

function inCredentials(name: SecretName): string | undefined {
  if (places.credentials === undefined) return undefined;
  const { credentials } = places;
  const small = name.toLowerCase();
  const path = [small.replaceAll("_", "-"), small]
    .map((file) => `${credentials}/${file}`)
    .find((each) => readTextFile(each).kind !== "absent");
  return path === undefined ? undefined : readSecret(path, credentialsVariable);
}

function readSecret(path: string, variable: string): string {
  const file = readTextFile(path);
  if (file.kind === "absent") throw new AppError("config", `${variable}: ${path} does not exist.`);
  if (file.kind === "unusable") {
    throw new AppError("config", `${variable}: ${path} ${file.reason}.`);
  }
  // Editors and `echo` end it with a line break.
  const text = file.text.replace(/\r?\n$/, "");
  if (text !== "") return text;
  throw new AppError("config", `${variable}: ${path} is empty.`);
}
