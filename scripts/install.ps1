<#
.SYNOPSIS
Installs scorpiox-code for this user on Windows, proves that it works, and says what to paste into each client.

.DESCRIPTION
  powershell -ExecutionPolicy Bypass -File scripts\install.ps1    in a checkout: builds with Node and npm, then installs
  irm URL | iex                                                   from a release: the checksum is verified first

SCORPIOX_HOME         the folder to install into              (default: %USERPROFILE%\.scorpiox)
SCORPIOX_RELEASE_URL  https:// folder or a local folder with SHA256SUMS and the binaries; set, it wins over a checkout
#>
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue' # the progress bar of Windows PowerShell slows a download tenfold
Set-StrictMode -Version 2.0

# Where releases come from, as owner/name: the build of a release fills it in from package.json.
$Repository = ''
# What releases are signed with (ECDSA P-256): the build of a release fills it in from scripts/release-key.pem.
$PublicKey = ''
$StallSeconds = 30
$DownloadTries = 5
$ReplySecondsMax = 30
$Clock = [Diagnostics.Stopwatch]::StartNew()

function Say([string] $Text) { [Console]::Error.WriteLine('[{0,3:0}s] {1}' -f $Clock.Elapsed.TotalSeconds, $Text) }

# ---- what this machine is, where it goes -----------------------------------------------------------

function Get-Target {
  # A 32-bit PowerShell sees the processor of its emulation first.
  $cpu = $env:PROCESSOR_ARCHITEW6432
  if (-not $cpu) { $cpu = $env:PROCESSOR_ARCHITECTURE }
  switch ($cpu) {
    'AMD64' { return 'windows-x64' }
    'ARM64' { return 'windows-arm64' }
    default { throw "there is no scorpiox-code for processor $cpu`: x64 and ARM64 only." }
  }
}

function Get-Folder {
  $folder = $env:SCORPIOX_HOME
  if (-not $folder) {
    if (-not $env:USERPROFILE) { throw 'USERPROFILE is not set. Set SCORPIOX_HOME to a folder of your own.' }
    $folder = Join-Path $env:USERPROFILE '.scorpiox'
  }
  $folder = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($folder)
  try { [IO.Directory]::CreateDirectory($folder) | Out-Null }
  catch { throw "cannot create $folder`: $($_.Exception.Message) Set SCORPIOX_HOME to a folder that you can write to." }
  return $folder
}

# ---- source ----------------------------------------------------------------------------------------

function Get-Checkout {
  if (-not $PSScriptRoot) { return $null } # from a pipe
  $above = Split-Path -Parent $PSScriptRoot
  if (Test-Path -LiteralPath (Join-Path $above 'scripts\build.ts')) { return $above }
  return $null
}

function Invoke-Tool([string] $What, [string] $Program, [string[]] $Arguments) {
  & $Program @Arguments | ForEach-Object { [Console]::Error.WriteLine($_) }
  if ($LASTEXITCODE -ne 0) { throw "$What failed (above)." }
}

function Build-Checkout([string] $Checkout, [string] $Target) {
  Say "source: this checkout, $Checkout"
  if (-not (Get-Command node -ErrorAction SilentlyContinue) -or -not (Get-Command npm.cmd -ErrorAction SilentlyContinue)) {
    throw 'Node.js 20 or newer with npm is needed to build from source: https://nodejs.org'
  }
  $node = & node -p process.versions.node
  if ([int] $node.Split('.')[0] -lt 20) { throw "Node.js $node is too old: 20 or newer is needed (https://nodejs.org)." }
  Push-Location -LiteralPath $Checkout
  try {
    # Install scripts of packages are not run; Bun's own is, by name.
    Invoke-Tool 'npm ci' 'npm.cmd' @('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
    Invoke-Tool 'the installation of Bun' 'node' @('node_modules\bun\install.js')
    Invoke-Tool 'the build' 'node_modules\.bin\bun.cmd' @('scripts\build.ts', '--target', $Target)
  }
  finally { Pop-Location }
  return Join-Path $Checkout 'dist'
}

# Goes on where it stopped, as often as each try brings something or a few tries bring nothing.
function Save-Url([string] $Url, [string] $To) {
  $tries = 0
  while ($true) {
    $before = Get-Size $To
    try { Save-Rest $Url $To; return }
    catch {
      $problem = $_.Exception
      while ($problem.InnerException) { $problem = $problem.InnerException }
      $status = 0
      if ($problem -is [Net.WebException] -and $problem.Response) { $status = [int] $problem.Response.StatusCode }
      if ($status -eq 416) { Remove-Item -LiteralPath $To -Force }
      elseif ($status -ge 400 -and $status -lt 500 -and $status -ne 408 -and $status -ne 429) { $tries = $DownloadTries }
      if ((Get-Size $To) -gt $before) { $tries = 0 } else { $tries++ }
      if ($tries -ge $DownloadTries) { throw "cannot get $Url`: $($problem.Message) Nothing was installed." }
      Say "the download stopped after $(Get-Size $To) bytes ($($problem.Message)); taking it up again"
      Start-Sleep -Seconds ([Math]::Max(1, $tries))
    }
  }
}

function Get-Size([string] $Path) {
  if (Test-Path -LiteralPath $Path) { return (Get-Item -LiteralPath $Path).Length }
  return 0
}

function Save-Rest([string] $Url, [string] $To) {
  $from = Get-Size $To
  $request = [Net.HttpWebRequest] [Net.WebRequest]::Create($Url)
  $request.UserAgent = 'scorpiox-install'
  $request.Timeout = 20000
  # A read that brings nothing for so long is given up.
  $request.ReadWriteTimeout = $StallSeconds * 1000
  if ($from -gt 0) { $request.AddRange([long] $from) }
  $response = $request.GetResponse()
  try {
    # .NET Framework follows a server that sends it on to where anybody on the way can write.
    if ($response.ResponseUri.Scheme -ne 'https') { throw "it is sent on to $($response.ResponseUri), which is not https://." }
    # A server that gives no parts sends it all again.
    $isPart = $response.StatusCode -eq [Net.HttpStatusCode]::PartialContent
    $mode = [IO.FileMode]::Create
    if ($isPart) { $mode = [IO.FileMode]::Append } else { $from = 0 }
    $total = $from + $response.ContentLength
    $stream = $response.GetResponseStream()
    $file = New-Object IO.FileStream $To, $mode
    try {
      $buffer = New-Object byte[] 131072
      $got = $from
      $shown = -1
      while (($count = $stream.Read($buffer, 0, $buffer.Length)) -gt 0) {
        $file.Write($buffer, 0, $count)
        $got += $count
        if ($response.ContentLength -le 1000000 -or [Console]::IsErrorRedirected) { continue }
        $percent = [Math]::Floor(100 * $got / $total)
        if ($percent -ne $shown) { [Console]::Error.Write("`r{0,3}% of {1:0.0} MB" -f $percent, ($total / 1e6)) }
        $shown = $percent
      }
      if ($shown -ge 0) { [Console]::Error.WriteLine() }
    }
    finally { $file.Dispose(); $stream.Dispose() }
    if ($response.ContentLength -ge 0 -and $got -lt $total) { throw 'the connection ended too early.' }
  }
  finally { $response.Dispose() }
}

function Expand-Gzip([string] $Archive, [string] $To) {
  $source = [IO.File]::OpenRead($Archive)
  try {
    $gzip = New-Object IO.Compression.GZipStream $source, ([IO.Compression.CompressionMode]::Decompress)
    $target = [IO.File]::Create($To)
    try { $gzip.CopyTo($target) } finally { $target.Dispose(); $gzip.Dispose() }
  }
  finally { $source.Dispose() }
}

function Get-ReleaseFile([string] $Source, [string] $Name, [string] $To) {
  if ($Source -like 'https://*') {
    # Windows PowerShell 5.1 offers older versions of TLS by default.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    Save-Url "$Source/$Name" $To
  }
  elseif ($Source -like '*://*' -and $Source -notlike 'file://*') {
    throw "SCORPIOX_RELEASE_URL must start with https:// or be a folder, not: $Source"
  }
  else {
    $folder = $Source
    if ($Source -like 'file://*') { $folder = ([Uri] $Source).LocalPath }
    Copy-Item -LiteralPath (Join-Path $folder $Name) -Destination $To
  }
}

function Get-ExpectedHash([string] $Sums, [string] $Name) {
  foreach ($line in Get-Content -LiteralPath $Sums) {
    if ($line -match '^([0-9a-f]{64}) [ *](\S+)$' -and $Matches[2] -eq $Name) { return $Matches[1] }
  }
  return $null
}

function Assert-Hash([string] $Path, [string] $Name, [string] $Expected) {
  $actual = (Get-FileHash -LiteralPath $Path -Algorithm SHA256).Hash.ToLowerInvariant()
  if ($actual -eq $Expected) { return $actual }
  Remove-Item -LiteralPath $Path -Force
  throw "$Name is not what was released: nothing was installed.`n  expected $Expected`n  actual   $actual"
}

# ---- signature: who wrote the checksums, which come from the same place as the program ---------------

# openssl writes two numbers in DER; .NET takes them as 32 bytes each, one after the other.
function Get-RawSignature([byte[]] $Der) {
  $raw = New-Object byte[] 64
  $at = 2
  foreach ($end in 32, 64) {
    if ($Der[$at] -ne 2) { throw 'the signature is not in DER.' }
    $length = [int] $Der[$at + 1]
    $start = $at + 2
    $at = $start + $length
    while ($length -gt 32 -and $Der[$start] -eq 0) { $start++; $length-- }
    if ($length -gt 32) { throw 'the signature is not of P-256.' }
    [Array]::Copy($Der, $start, $raw, $end - $length, $length)
  }
  return , $raw
}

function Test-Signature([byte[]] $Data, [byte[]] $Der) {
  # The last 64 bytes of a public key of P-256 are its point.
  $key = [Convert]::FromBase64String($PublicKey)
  $point = New-Object Security.Cryptography.ECPoint
  $point.X = [byte[]] $key[($key.Length - 64)..($key.Length - 33)]
  $point.Y = [byte[]] $key[($key.Length - 32)..($key.Length - 1)]
  $parameters = New-Object Security.Cryptography.ECParameters
  $parameters.Curve = [Security.Cryptography.ECCurve+NamedCurves]::nistP256
  $parameters.Q = $point
  $ecdsa = [Security.Cryptography.ECDsa]::Create($parameters)
  try { return $ecdsa.VerifyData($Data, (Get-RawSignature $Der), [Security.Cryptography.HashAlgorithmName]::SHA256) }
  finally { $ecdsa.Dispose() }
}

function Assert-Signature([string] $Source, [string] $Sums) {
  # A folder of this machine is its user's own.
  if (-not $Repository -or $Source -notlike 'https://*') { return }
  if (-not $PublicKey) { $unchecked = 'this project has not set its release key yet' }
  elseif (-not ('Security.Cryptography.ECParameters' -as [type])) { $unchecked = 'this .NET is older than 4.7' }
  else {
    $file = "$Sums.sig"
    try {
      Get-ReleaseFile $Source 'SHA256SUMS.sig' $file
      $isSigned = $false
      try { $isSigned = Test-Signature ([IO.File]::ReadAllBytes($Sums)) ([IO.File]::ReadAllBytes($file)) }
      catch { Say "signature: $($_.Exception.Message)" }
    }
    finally { Remove-Item -LiteralPath $file -Force -ErrorAction SilentlyContinue }
    if (-not $isSigned) {
      throw "the signature of SHA256SUMS is not of this project's release key. Nothing was installed. Do not run what you have downloaded, and report it."
    }
    Say "signature: of this project's release key"
    return
  }
  if ($env:SCORPIOX_INSTALL_UNSIGNED -ne '1') {
    $answer = ''
    if ([Environment]::UserInteractive -and -not [Console]::IsInputRedirected) {
      $answer = Read-Host "The signature of this release cannot be checked: $unchecked. Install it all the same? [y/N]"
    }
    if ($answer -notin 'y', 'yes') {
      throw "the signature of this release cannot be checked: $unchecked. Nothing was installed. Set SCORPIOX_INSTALL_UNSIGNED=1 to go without."
    }
  }
  Say "signature: not checked ($unchecked); the checksum is"
}

# The program, checked, at $To. A release has it packed; what an interrupted installer has got of it is not got again.
function Get-Program([string] $Source, [string] $Sums, [string] $File, [string] $Folder, [string] $To) {
  $expected = Get-ExpectedHash $Sums $File
  if (-not $expected) { throw "SHA256SUMS has no SHA-256 for $File. Nothing was installed." }
  $packed = Get-ExpectedHash $Sums "$File.gz"
  if ($packed) {
    $partial = Join-Path $Folder ".scorpiox-code.part.$packed"
    Get-ChildItem -LiteralPath $Folder -Filter '.scorpiox-code.part.*' -Force |
      Where-Object { $_.FullName -ne $partial } | Remove-Item -Force
    Get-ReleaseFile $Source "$File.gz" $partial
    Assert-Hash $partial "$File.gz" $packed | Out-Null
    Expand-Gzip $partial $To
    Remove-Item -LiteralPath $partial -Force
  }
  else { Get-ReleaseFile $Source $File $To }
  return Assert-Hash $To $File $expected
}

# ---- proof: what a client will do --------------------------------------------------------------------

function Start-Program([string] $Path) {
  $start = New-Object Diagnostics.ProcessStartInfo
  $start.FileName = $Path
  $start.WorkingDirectory = [IO.Path]::GetTempPath()
  $start.UseShellExecute = $false
  $start.CreateNoWindow = $true
  $start.RedirectStandardInput = $true
  $start.RedirectStandardOutput = $true
  return [Diagnostics.Process]::Start($start)
}

function Send-Line($Process, [string] $Text) {
  # Bytes, so that no encoding puts a mark in front and no line ends in CR LF.
  $bytes = [Text.Encoding]::UTF8.GetBytes("$Text`n")
  $Process.StandardInput.BaseStream.Write($bytes, 0, $bytes.Length)
  $Process.StandardInput.BaseStream.Flush()
}

function Get-Reply($Process, [int] $Id, [string] $Method, [string] $Params) {
  Send-Line $Process ('{{"jsonrpc":"2.0","id":{0},"method":"{1}","params":{2}}}' -f $Id, $Method, $Params)
  $deadline = [DateTime]::UtcNow.AddSeconds($ReplySecondsMax)
  while ($true) {
    $reading = $Process.StandardOutput.ReadLineAsync()
    $left = [Math]::Max(0, ($deadline - [DateTime]::UtcNow).TotalMilliseconds)
    if (-not $reading.Wait([int] $left)) { throw "no answer to $Method within $ReplySecondsMax s." }
    if ($null -eq $reading.Result) { throw "it ended before it answered $Method." }
    if ($reading.Result -notmatch ('"id": ?{0}[,}}]' -f $Id)) { continue }
    if ($reading.Result -notmatch '"result":') { throw "$Method failed: $($reading.Result)" }
    return $reading.Result
  }
}

function Test-Program([string] $Path) {
  $process = Start-Program $Path
  try {
    $client = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"scorpiox-install","version":"1"}}'
    Get-Reply $process 1 'initialize' $client | Out-Null
    Say 'proof: handshake'
    Send-Line $process '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    $list = Get-Reply $process 2 'tools/list' '{}'
    $tools = [regex]::Matches($list, '"inputSchema"').Count
    if ($tools -eq 0) { throw "tools/list gave no tools: $list" }
    Say "proof: tools/list, $tools tools"
    $call = Get-Reply $process 3 'tools/call' '{"name":"Bash","arguments":{"command":"echo scorpiox-proof"}}'
    if ($call -match '"isError":true' -or $call -notmatch 'scorpiox-proof') { throw "the Bash tool gave another answer: $call" }
    Say 'proof: Bash ran a command'
    $process.StandardInput.Close()
    if (-not $process.WaitForExit($ReplySecondsMax * 1000)) { throw 'it did not end when its input was closed.' }
  }
  finally {
    if (-not $process.HasExited) { $process.Kill() }
    $process.Dispose()
  }
}

# ---- put it in place, keep a way back ------------------------------------------------------------------

function Install-Staged([string] $Staged, [string] $Binary) {
  $old = "$Binary.old.$PID"
  $previous = $Binary -replace '\.exe$', '.previous.exe'
  $hadOne = Test-Path -LiteralPath $Binary
  # Windows lets a running program be renamed, not overwritten.
  if ($hadOne) { Move-Item -LiteralPath $Binary -Destination $old }
  try {
    Move-Item -LiteralPath $Staged -Destination $Binary
    Test-Program $Binary
  }
  catch {
    Remove-Item -LiteralPath $Binary -Force -ErrorAction SilentlyContinue
    if ($hadOne) {
      Move-Item -LiteralPath $old -Destination $Binary
      [Console]::Error.WriteLine('install: the program that was there before is back in place.')
    }
    throw "the installed program does not work: $($_.Exception.Message)"
  }
  if ($hadOne) {
    try { Move-Item -LiteralPath $old -Destination $previous -Force }
    catch { Say "an older program is still running: kept as $old" }
  }
}

# ---- what to do next ------------------------------------------------------------------------------------

function Write-Clients([string] $Binary) {
  $path = $Binary.Replace('\', '\\')
  $desktop = "{`n  `"mcpServers`": {`n    `"scorpiox-code`": { `"command`": `"$path`", `"args`": [`"--client`", `"claude-desktop`"] }`n  }`n}"
  $cursor = $desktop.Replace('claude-desktop', 'cursor')
  @"

Paste into the client that you use:

Claude Desktop   %APPDATA%\Claude\claude_desktop_config.json   (then quit it fully and start it again;
                 the Microsoft Store build reads
                 %LOCALAPPDATA%\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json)
$desktop

Claude Code      %USERPROFILE%\.claude.json
{
  "mcpServers": {
    "scorpiox-code": { "type": "stdio", "command": "$path", "args": ["--client", "claude-code"] }
  }
}

Cursor           %USERPROFILE%\.cursor\mcp.json   (it reloads by itself)
$cursor

VS Code          %APPDATA%\Code\User\mcp.json
{
  "servers": {
    "scorpiox-code": { "type": "stdio", "command": "$path", "args": ["--client", "vscode"] }
  }
}

Where the file already has servers, add the "scorpiox-code" entry to them.
"@ | Write-Output
}

# Everything starts here: half a download does nothing.
function Install-Scorpiox {
  $target = Get-Target
  $folder = Get-Folder
  Say "system: $target"
  $checkout = Get-Checkout
  if ($env:SCORPIOX_RELEASE_URL) { $source = $env:SCORPIOX_RELEASE_URL.TrimEnd('/') }
  elseif ($checkout) { $source = Build-Checkout $checkout $target }
  elseif ($Repository) { $source = "https://github.com/$Repository/releases/latest/download" }
  else { throw 'this install.ps1 is not from a release, so it does not know where releases are. Take the one of a release, set SCORPIOX_RELEASE_URL, or run it in a checkout.' }
  Say "source: $source"
  $file = "scorpiox-code-$target.exe"
  # Not .exe: Windows does not start it before it has been checked.
  $staged = Join-Path $folder ".scorpiox-code.new.$PID"
  $sums = Join-Path $folder ".SHA256SUMS.$PID"
  $binary = Join-Path $folder 'scorpiox-code.exe'
  try {
    Get-ReleaseFile $source 'SHA256SUMS' $sums
    Assert-Signature $source $sums
    $actual = Get-Program $source $sums $file $folder $staged
    Say "checksum: $actual"
    if ((Test-Path -LiteralPath $binary) -and (Get-FileHash -LiteralPath $binary -Algorithm SHA256).Hash -eq $actual) {
      Say 'in place: the same file is already there'
      Test-Program $binary
    }
    else { Install-Staged $staged $binary }
  }
  finally { Remove-Item -LiteralPath $sums, $staged -Force -ErrorAction SilentlyContinue }
  Say "installed: $binary"
  Write-Clients $binary
}

try { Install-Scorpiox }
catch {
  [Console]::Error.WriteLine("install: $($_.Exception.Message)")
  # From a pipe `exit` would close the caller's window.
  if ($PSScriptRoot) { exit 1 } else { throw }
}
