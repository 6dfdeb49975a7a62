import { join } from "node:path";

/** What a client is started with. */
interface Stage {
  /** An empty home folder, and the folder that the client works in. */
  readonly home: string;
  readonly work: string;
  /** Where the scripted model listens. */
  readonly origin: string;
  /** The MCP server: its key in the client's configuration, and its command line. */
  readonly server: { readonly key: string; readonly command: string; readonly args: string[] };
}

/** How a client is started, once its files are written. */
interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** A program that talks to a model and to MCP servers, from npm. */
export interface RealClient {
  readonly id: string;
  readonly title: string;
  readonly packageName: string;
  readonly version: string;
  /** Its command in node_modules/.bin. */
  readonly bin: string;
  /** Packages whose install scripts must run, since they put the program in its place. */
  readonly installScripts: boolean;
  start(stage: Stage): Start;
}

const noKey = "none";
const prompt = "Call the tools.";

/** The clients that can be pointed at a model on loopback. */
export const realClients: readonly RealClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    packageName: "@anthropic-ai/claude-code",
    version: "2.1.330",
    bin: "claude",
    installScripts: true,
    start: ({ home, origin, server: { key, command, args } }) => {
      const config = join(home, "mcp.json");
      return {
        args: ["-p", prompt, "--mcp-config", config, "--strict-mcp-config"].concat([
          "--allowedTools",
          `mcp__${key}`,
        ]),
        env: {
          ANTHROPIC_BASE_URL: origin,
          ANTHROPIC_API_KEY: noKey,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          DISABLE_ERROR_REPORTING: "1",
          DISABLE_TELEMETRY: "1",
          ENABLE_TOOL_SEARCH: "false",
        },
        files: { [config]: json({ mcpServers: { [key]: { command, args } } }) },
      };
    },
  },
  {
    id: "codex",
    title: "Codex CLI",
    packageName: "@openai/codex",
    version: "0.169.0",
    bin: "codex",
    installScripts: false,
    start: ({ home, origin, server: { key, command, args } }) => {
      const text = [
        // A model that Codex does not know gets every tool at once, without a search for them.
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${origin}/v1"`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        `[mcp_servers.${key}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
      ];
      return {
        args: ["exec", "--skip-git-repo-check", prompt],
        env: { OPENAI_API_KEY: noKey },
        files: { [join(home, ".codex/config.toml")]: `${text.join("\n")}\n` },
      };
    },
  },
  {
    id: "opencode",
    title: "opencode",
    packageName: "opencode-ai",
    version: "1.18.33",
    bin: "opencode",
    installScripts: true,
    start: ({ home, origin, server: { key, command, args } }) => ({
      args: ["run", prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
      files: {
        [join(home, ".config/opencode/opencode.json")]: json({
          autoupdate: false,
          share: "disabled",
          permission: "allow",
          model: "scripted/scripted",
          small_model: "scripted/scripted",
          provider: {
            scripted: {
              npm: "@ai-sdk/openai-compatible",
              name: "scripted",
              options: { baseURL: `${origin}/v1`, apiKey: noKey },
              models: {
                scripted: {
                  name: "scripted",
                  attachment: true,
                  tool_call: true,
                  modalities: { input: ["text", "image"], output: ["text"] },
                },
              },
            },
          },
          mcp: { [key]: { type: "local", enabled: true, command: [command, ...args] } },
        }),
      },
    }),
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    packageName: "@google/gemini-cli",
    version: "0.61.0",
    bin: "gemini",
    installScripts: false,
    start: ({ home, origin, server: { key, command, args } }) => ({
      args: ["-p", prompt, "--yolo", "-m", "gemini-2.5-pro"],
      env: {
        GEMINI_API_KEY: noKey,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GOOGLE_GEMINI_BASE_URL: origin,
      },
      files: {
        [join(home, ".gemini/settings.json")]: json({
          ...geminiSettings("gemini-api-key"),
          mcpServers: { [key]: { command, args, trust: true } },
        }),
      },
    }),
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    packageName: "@qwen-code/qwen-code",
    version: "0.24.4",
    bin: "qwen",
    installScripts: false,
    start: ({ home, origin, server: { key, command, args } }) => ({
      args: ["-p", prompt, "--yolo", "--auth-type", "openai"],
      env: {
        OPENAI_API_KEY: noKey,
        OPENAI_BASE_URL: `${origin}/v1`,
        OPENAI_MODEL: "qwen3-vl-plus",
      },
      files: {
        [join(home, ".qwen/settings.json")]: json({
          ...geminiSettings("openai"),
          // Else the model would have to search for tools first.
          tools: { toolSearch: { enabled: false } },
          mcpServers: { [key]: { command, args, trust: true } },
        }),
      },
    }),
  },
  {
    id: "copilot-cli",
    title: "Copilot CLI",
    packageName: "@github/copilot",
    version: "1.0.102",
    bin: "copilot",
    installScripts: false,
    start: ({ home, origin, server: { key, command, args } }) => ({
      args: ["-p", prompt, "--allow-all-tools"],
      env: {
        COPILOT_AUTO_UPDATE: "false",
        // A model that it knows to see pictures.
        COPILOT_MODEL: "gpt-5.4",
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_API_KEY: noKey,
        COPILOT_PROVIDER_BASE_URL: `${origin}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_WIRE_API: "responses",
      },
      files: {
        [join(home, ".copilot/mcp-config.json")]: json({
          mcpServers: { [key]: { type: "local", command, args, tools: ["*"] } },
        }),
      },
    }),
  },
  {
    id: "cline",
    title: "Cline CLI",
    packageName: "cline",
    version: "3.0.65",
    bin: "cline",
    installScripts: true,
    start: ({ home, origin, server: { key, command, args } }) => ({
      args: ["--auto-approve", "true", prompt],
      env: { CLINE_TELEMETRY_DISABLED: "1" },
      files: {
        [join(home, ".cline/data/settings/providers.json")]: json({
          version: 1,
          lastUsedProvider: "openai-compatible",
          modes: {},
          providers: {
            "openai-compatible": {
              settings: {
                provider: "openai-compatible",
                apiKey: noKey,
                model: "gpt-4o",
                baseUrl: `${origin}/v1`,
              },
              updatedAt: "2026-01-01T00:00:00.000Z",
              tokenSource: "manual",
            },
          },
        }),
        [join(home, ".cline/data/settings/cline_mcp_settings.json")]: json({
          mcpServers: { [key]: { command, args, autoApprove: ["*"] } },
        }),
      },
    }),
  },
  {
    id: "continue-cli",
    title: "Continue CLI",
    packageName: "@continuedev/cli",
    version: "1.5.47",
    bin: "cn",
    installScripts: false,
    start: ({ home, origin, server: { key, command, args } }) => {
      const config = join(home, "continue.yaml");
      return {
        args: ["-p", prompt, "--auto", "--config", config],
        env: { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_ENABLE_TELEMETRY: "0" },
        // JSON is YAML.
        files: {
          [config]: json({
            name: "scripted",
            version: "1.0.0",
            schema: "v1",
            models: [
              {
                name: "scripted",
                provider: "openai",
                model: "gpt-4o",
                apiBase: `${origin}/v1`,
                apiKey: noKey,
                roles: ["chat"],
                capabilities: ["tool_use", "image_input"],
              },
            ],
            mcpServers: [{ name: key, command, args }],
          }),
        },
      };
    },
  },
];

/** Gemini CLI and its descendant. */
function geminiSettings(auth: string): object {
  return {
    security: { auth: { selectedType: auth }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
