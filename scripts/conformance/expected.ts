/** What the conformance suite has to say of us, exactly: fewer checks would mean that something was not tested. */

/** As pinned in package.json; other versions make other checks. */
export const suiteVersion = "0.2.0-alpha.12";

export type RunName =
  | "2025-03-26"
  | "2025-06-18"
  | "2025-11-25"
  | "2026-07-28"
  | "requirements-2025-11-25"
  | "requirements-2026-07-28"
  | "tasks"
  | "skills"
  | "client-2025-03-26"
  | "client-2025-06-18"
  | "client-2025-11-25"
  | "client-2026-07-28"
  | "client-extensions";

export interface ExpectedRun {
  readonly name: RunName;
  /** One start of the suite for each: its arguments after `server --url URL`, or after `client --command …`. */
  readonly starts: readonly (readonly string[])[];
  /** The suite is the server, and our connections to other servers are tested. */
  readonly isClient?: true;
  /** Checks that pass; none may fail or warn. */
  readonly passed: number;
  /** Checks that the suite itself skips. They count as nothing. */
  readonly skipped: number;
  readonly note: string;
}

const taskScenarios = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

const skillScenarios = [
  "sep-2640-skills-enumeration",
  "sep-2640-skills-directory",
  "sep-2640-skills-manifest",
];

/** Logins in every revision that has them. */
const loginScenarios = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
];

/**
 * `auth/2025-03-26-oauth-endpoint-fallback` is not among them: without metadata no server announces PKCE, and without
 * that we do not log in.
 */
const clientScenarios = {
  "2025-03-26": ["auth/2025-03-26-oauth-metadata-backcompat"],
  "2025-06-18": [
    "initialize",
    "tools_call",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
  ],
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
    ...loginScenarios,
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    ...loginScenarios,
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
  ],
};

/** Logins without a person; the suite has them for no revision in particular. */
const extensionScenarios = [
  "auth/client-credentials-basic",
  "auth/client-credentials-jwt",
  "auth/enterprise-managed-authorization",
  "auth/wif-jwt-bearer",
];

export const expectedRuns: readonly ExpectedRun[] = [
  suite("2025-03-26", 3, "the session's life alone"),
  suite("2025-06-18", 56, "all scenarios of the revision"),
  suite("2025-11-25", 84, "all scenarios of the revision"),
  suite("2026-07-28", 152, "all scenarios of the revision, without extensions"),
  requirements("2025-11-25", 84, 0, "what the revision requires"),
  requirements(
    "2026-07-28",
    196,
    1,
    "what the revision requires, and all that is not scored: the tasks extension and HTTP headers",
  ),
  scenarios("tasks", taskScenarios, 44, "the tasks extension alone"),
  scenarios("skills", skillScenarios, 45, "the skills extension, which no other run contains"),
  client("2025-03-26", 12, 0),
  client("2025-06-18", 60, 0),
  client("2025-11-25", 265, 0),
  client("2026-07-28", 427, 5),
  {
    name: "client-extensions",
    starts: extensionScenarios.map((id) => ["--scenario", id]),
    isClient: true,
    passed: 33,
    skipped: 0,
    note: "as the client of other servers, where no person logs in",
  },
];

function suite(revision: RunName, passed: number, note: string): ExpectedRun {
  const starts = [["--suite", "all", "--spec-version", revision]];
  return { name: revision, starts, passed, skipped: 0, note };
}

function requirements(
  revision: "2025-11-25" | "2026-07-28",
  passed: number,
  skipped: number,
  note: string,
): ExpectedRun {
  const starts = [["--requirements", revision]];
  return { name: `requirements-${revision}`, starts, passed, skipped, note };
}

function scenarios(
  name: RunName,
  ids: readonly string[],
  passed: number,
  note: string,
): ExpectedRun {
  const starts = ids.map((id) => ["--scenario", id]);
  return { name, starts, passed, skipped: 0, note };
}

function client(
  revision: keyof typeof clientScenarios,
  passed: number,
  skipped: number,
): ExpectedRun {
  const ids = clientScenarios[revision];
  const starts = ids.map((id) => ["--scenario", id, "--spec-version", revision]);
  const note = "as the client of other servers";
  return { name: `client-${revision}`, starts, isClient: true, passed, skipped, note };
}
