/** A file of each client as it writes it, and what becomes of its servers. */
interface ClientFilesCase {
  readonly client: string;
  /** Below the tree's root, as on Linux. */
  readonly file: string;
  readonly text: string;
  /** By name, as stored; secrets as they are shown. */
  readonly entries: Readonly<Record<string, unknown>>;
}

const stdio = { command: "npx", args: ["-y", "pkg"], env: { LOG: "1" } };
const plain = JSON.stringify({ mcpServers: { one: stdio } });

export const clientFilesCases: readonly ClientFilesCase[] = [
  {
    client: "claude-desktop",
    file: "home/.config/Claude/claude_desktop_config.json",
    text: plain,
    entries: { one: stdio },
  },
  {
    client: "claude-code",
    file: "home/.claude.json",
    text: JSON.stringify({
      numStartups: 5,
      mcpServers: {
        one: { type: "stdio", ...stdio },
        web: { type: "http", url: "https://w.test/mcp", headers: { Authorization: "Bearer x" } },
      },
      projects: { "/elsewhere": { mcpServers: { other: stdio } } },
    }),
    entries: {
      one: stdio,
      web: { url: "https://w.test/mcp", headers: { Authorization: "Bearer ***" } },
    },
  },
  { client: "cursor", file: "project/.cursor/mcp.json", text: plain, entries: { one: stdio } },
  {
    client: "vscode",
    file: "home/.config/Code/User/mcp.json",
    text: '{\n  // mine\n  "inputs": [{"id": "k", "type": "promptString", "password": true}],\n  "servers": {"one": {"type": "stdio", "command": "npx", "env": {"KEY": "${input:k}"}},},\n}',
    entries: { one: { command: "npx", env: { KEY: "${input:k}" } } },
  },
  {
    client: "windsurf",
    file: "home/.codeium/windsurf/mcp_config.json",
    text: '{"mcpServers": {"one": {"serverUrl": "https://w.test/mcp", "disabled": true}}}',
    entries: { one: { url: "https://w.test/mcp", enabled: false } },
  },
  {
    client: "zed",
    file: "home/.config/zed/settings.json",
    text: '// Zed\n{"theme": {"mode": "dark"}, "context_servers": {"one": {"source": "custom", "enabled": true, "command": "npx", "args": ["-y", "pkg"], "env": {"LOG": "1"}}}}',
    entries: { one: stdio },
  },
  {
    client: "codex",
    file: "home/.codex/config.toml",
    text: 'model = "x"\n[mcp_servers.one]\ncommand = "npx"\nargs = ["-y", "pkg"]\nenv = { LOG = "1" }\nstartup_timeout_sec = 20\nenabled_tools = ["a"]\n[mcp_servers.web]\nurl = "https://w.test/mcp"\nbearer_token_env_var = "TOK"\n',
    entries: {
      one: { ...stdio, allow: ["a"], init_timeout_ms: 20_000 },
      web: { url: "https://w.test/mcp", headers: { Authorization: "Bearer ${TOK}" } },
    },
  },
  {
    client: "gemini",
    file: "home/.gemini/settings.json",
    text: '{"mcpServers": {"one": {"command": "npx", "env": {"A_TOKEN": "$TOK", "B": "${TOK}"}, "timeout": 5000, "trust": true}, "web": {"httpUrl": "https://w.test/mcp"}}}',
    entries: {
      one: { command: "npx", env: { A_TOKEN: "${TOK}", B: "${TOK}" }, timeout_ms: 5_000 },
      web: { url: "https://w.test/mcp" },
    },
  },
  { client: "qwen", file: "home/.qwen/settings.json", text: plain, entries: { one: stdio } },
  {
    client: "opencode",
    file: "home/.config/opencode/opencode.jsonc",
    text: '{"mcp": {"one": {"type": "local", "command": ["npx", "-y", "pkg"], "environment": {"LOG": "1", "API_KEY": "{env:KEY}"}, "enabled": true}, "web": {"type": "remote", "url": "https://w.test/mcp"}}}',
    entries: {
      one: { ...stdio, env: { LOG: "1", API_KEY: "${KEY}" } },
      web: { url: "https://w.test/mcp" },
    },
  },
  {
    client: "cline",
    file: "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    text: '{"mcpServers": {"one": {"command": "npx", "args": ["-y", "pkg"], "env": {"LOG": "1"}, "timeout": 60, "autoApprove": ["a"]}}}',
    entries: { one: { ...stdio, timeout_ms: 60_000 } },
  },
  { client: "roo", file: "project/.roo/mcp.json", text: plain, entries: { one: stdio } },
  {
    client: "continue",
    file: "home/.continue/config.yaml",
    text: "name: me\nmodels: []\nmcpServers:\n  - name: one\n    command: npx\n    args: ['-y', pkg]\n    env:\n      LOG: 1\n",
    entries: { one: stdio },
  },
  {
    client: "goose",
    file: "home/.config/goose/config.yaml",
    text: "GOOSE_MODEL: x\nextensions:\n  one:\n    type: stdio\n    cmd: npx\n    args: ['-y', pkg]\n    envs: { LOG: '1' }\n    timeout: 300\n    enabled: true\n  web:\n    type: streamable_http\n    uri: https://w.test/mcp\n    enabled: false\n",
    entries: {
      one: { ...stdio, timeout_ms: 300_000 },
      web: { url: "https://w.test/mcp", enabled: false },
    },
  },
  { client: "lmstudio", file: "home/.lmstudio/mcp.json", text: plain, entries: { one: stdio } },
  { client: "kiro", file: "home/.kiro/settings/mcp.json", text: plain, entries: { one: stdio } },
  {
    client: "crush",
    file: "home/.config/crush/crush.json",
    text: '{"$schema": "x", "mcp": {"one": {"type": "stdio", "command": "npx", "args": ["-y", "pkg"], "env": {"LOG": "1", "A_KEY": "$KEY"}}}}',
    entries: { one: { ...stdio, env: { LOG: "1", A_KEY: "${KEY}" } } },
  },
];
