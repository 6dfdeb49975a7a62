/** Files of clients with entries and comments of their own, written as people and those clients write them. */
export const ownFiles: Readonly<Record<string, string>> = {
  json: `{
  // servers of my own
  "theme": "dark", /* kept */
  "KEY": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "."], // here
      "env": { "TOKEN": "čšž漢字🙂" }
    }
  },
  "last": [1, 2,
    3]
}
`,
  tabs: `{\n\t"KEY": {\n\t\t"files": {\n\t\t\t"command": "npx"\n\t\t},\n\t},\n\t// the end\n}`,
  plain: `{\n    "KEY": {\n        "files": {\n            "command": "npx"\n        }\n    },\n    "numStartups": 12\n}\n`,
  other: `{\n  "editor": { "fontSize": 12 }, // no servers yet\n  "x": null\n}\n`,
  dense: `{"KEY":{"files":{"command":"npx","args":[]}},"a":1}`,
  toml: `# my settings
model = "gpt" # the model

[KEY.files]
command = "npx"
args = ["-y", "server"]
# a note at its end

[profiles.fast]
model = "small"
`,
  tomlOther: `model = "gpt"`,
  yamlMap: `# goose
GOOSE_MODEL: small # a comment

KEY:
  developer:
    enabled: true
    name: developer
    type: builtin
    # its own note

  memory:
    enabled: false
    args:
      - one
      - two
# after the map
other: |
  text with: colons
  and more
`,
  yamlList: `name: mine
KEY:
  - name: files
    command: npx
    args: ["-y", "server"]
  # between
  - command: uvx
    name: time
models: []
`,
  yamlListFlat: `KEY:
- name: files
  command: npx
`,
  yamlEmpty: `KEY: {}\nother: 1\n`,
  yamlNull: `other: 1\nKEY:\n`,
  yamlOther: `other: 1`,
};
