import { product } from "../../base/product.ts";

/** Shells that can complete its commands. */
export const shells = ["bash", "zsh", "fish", "nushell", "powershell"] as const;

export type Shell = (typeof shells)[number];

const name = product.name;
/** The command that prints candidates, one in each line, and `:files` where a path may follow. */
const ask = `${name} completions --complete --`;

/** The script that a shell reads to complete the commands; `how` says where to put it. */
export const completionScripts: Readonly<
  Record<Shell, { readonly how: string; readonly text: string }>
> = {
  bash: {
    how: `in ~/.bashrc: source <(${name} completions bash)`,
    text: `_scorpiox_code() {
  local cur=\${COMP_WORDS[COMP_CWORD]} value help
  COMPREPLY=()
  while IFS=$'\\t' read -r value help; do
    if [[ $value == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "\${cur#=}")
    else
      COMPREPLY+=("$(printf '%q' "$value")")
    fi
  done < <(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _scorpiox_code ${name}
`,
  },
  zsh: {
    how: `in ~/.zshrc, behind compinit: source <(${name} completions zsh)`,
    text: `#compdef ${name}
_scorpiox_code() {
  local value help
  local -a candidates
  while IFS=$'\\t' read -r value help; do
    if [[ $value == :files ]]; then
      _files
    else
      candidates+=("\${value//:/\\\\:}:$help")
    fi
  done < <(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} )) && _describe -t values ${name} candidates
}
if [[ \${funcstack[1]} == _${name} ]]; then
  functions[_${name}]=$functions[_scorpiox_code]
  _scorpiox_code "$@"
else
  compdef _scorpiox_code ${name}
fi
`,
  },
  fish: {
    how: `once: ${name} completions fish > ~/.config/fish/completions/${name}.fish`,
    text: `function __scorpiox_code
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    for line in (${ask} $words "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c ${name} -f -a '(__scorpiox_code)'
`,
  },
  nushell: {
    how: `in config.nu: source the file that ${name} completions nushell writes`,
    text: `let scorpiox_code_before = ($env.config.completions.external.completer? | default null)
$env.config.completions.external.enable = true
$env.config.completions.external.completer = {|spans|
  if ($spans | first) == "${name}" {
    let found = (^${name} completions --complete -- ...($spans | skip 1) | lines)
    if (":files" in $found) {
      null
    } else {
      $found | each {|line|
        let parts = ($line | split row "\\t")
        { value: ($parts | first), description: ($parts | get 1? | default "") }
      }
    }
  } else if $scorpiox_code_before != null {
    do $scorpiox_code_before $spans
  }
}
`,
  },
  powershell: {
    how: `in $PROFILE: ${name} completions powershell | Out-String | Invoke-Expression`,
    text: `Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = $commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition }
  $words = @($before | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') {
    # Older versions drop an empty argument unless its quotes are part of it.
    $passing = Get-Variable PSNativeCommandArgumentPassing -ValueOnly -ErrorAction Ignore
    $words += if ($passing -in @($null, 'Legacy')) { '""' } else { '' }
  }
  & ${name} completions --complete '--' @words 2>$null | ForEach-Object {
    $value, $help = $_ -split "\`t", 2
    if ($value -eq ':files') { return }
    if (-not $help) { $help = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
  }
}
`,
  },
};
