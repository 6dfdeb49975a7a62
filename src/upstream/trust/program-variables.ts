/**
 * Variables that decide which program runs, what it loads, or through whom it speaks to the network: their values are
 * part of the command, and are shown although their names may look like those of secrets (`GIT_ASKPASS`).
 */
export function changesProgram(name: string): boolean {
  return programNames.test(name) || (programFamilies.test(name) && !secretNames.test(name));
}

const programNames =
  /^(?:PATH|PATHEXT|COMSPEC|SYSTEMROOT|SHELL|HOME|ENV|IFS|PS4|TMPDIR|TEMP|TMP|BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|EDITOR|VISUAL|PAGER|CLASSPATH|(?:GIT|SSH)_ASKPASS|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|\w+_CA_BUNDLE|CONTAINER_HOST)$/i;

const programFamilies =
  /^(?:LD_|DYLD_|XDG_|NODE_|TSX_|TS_NODE_|BUN_|DENO_|ELECTRON_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|_?JAVA_|JDK_|MAVEN_|GRADLE_|DOTNET_|CORECLR_|COR_|LUA_|PHP|GO[A-Z]+$|CARGO_|RUST|R_|JULIA_|GIT_|SSH_|NPM_CONFIG_|YARN_|PNPM_|COREPACK_|UV_|PIP_|PIPX_|DOCKER_|PODMAN_)/i;

const secretNames = /TOKEN|SECRET|PASS|AUTH/i;
