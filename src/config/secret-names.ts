/**
 * Secrets that a server gets from its environment and nothing that it starts may have. Each may come from a file instead:
 * `STORE_URL_FILE`, or systemd's credential `store_url`.
 */
const secretNames = [
  "STORE_URL",
  "SHARED_URL",
  "SECRETS_KEY",
  "FLEET_KEY",
  "OTLP_HEADERS",
] as const;

export type SecretName = (typeof secretNames)[number];

/** The folder of systemd's credentials. */
export const credentialsVariable = "CREDENTIALS_DIRECTORY";

export const secretVariables: readonly string[] = secretNames.flatMap((name) =>
  [name, `SCORPIOX_${name}`].flatMap((variable) => [variable, `${variable}_FILE`]),
);

/** Whether a start has secrets in its environment, or the names of their files: most have none. */
export function hasSecrets(env: Readonly<Record<string, string | undefined>>): boolean {
  return (
    env[credentialsVariable] !== undefined ||
    secretVariables.some((variable) => env[variable] !== undefined)
  );
}
