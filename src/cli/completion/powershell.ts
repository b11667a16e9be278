import type { CompletedFlag, Described, Model } from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const described = (list: readonly Described[]) =>
  `[ordered]@{ ${list.map(({ name, description }) => `${quote(name)} = ${quote(description)}`).join("; ")} }`;
const valued = (flags: readonly CompletedFlag[]) =>
  `@{ ${flags
    .filter(({ values }) => values !== undefined)
    .map(({ name, values }) => `${quote(name)} = ${quote(values ?? "")}`)
    .join("; ")} }`;

/** Words and flags, with what they mean, stand in the script; a process starts for IDs and names only. */
export function powershell({ places, globals }: Model): string {
  const entries = places.map(
    ({ path, words, flags, args, many }) =>
      `    ${quote(path)} = @{ Words = ${described(words)}; Flags = ${described(flags)}; Values = ${valued(flags)}; Args = @(${args.map(quote).join(", ")}); Many = $${many} }`,
  );
  return `# PowerShell completion for wcs. Made by: wcs completion powershell

Register-ArgumentCompleter -Native -CommandName wcs -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $places = @{
${entries.join("\n")}
  }
  $globalFlags = ${described(globals)}
  $globalValues = ${valued(globals)}

  $path = ''; $place = $places['']; $kind = $null; $ended = $false; $position = 0
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and -not $wordToComplete) } |
    ForEach-Object { $_.ToString() })
  foreach ($word in $typed) {
    if ($null -ne $kind) { $kind = $null }
    elseif (-not $ended -and $word -eq '--') { $ended = $true }
    elseif (-not $ended -and $word.StartsWith('-')) {
      if ($place.Values.ContainsKey($word)) { $kind = $place.Values[$word] }
      elseif ($globalValues.ContainsKey($word)) { $kind = $globalValues[$word] }
    }
    elseif ($place.Words.Contains($word)) { $path = "$path $word".Trim(); $place = $places[$path] }
    else { $position++ }
  }
  $offer = [ordered]@{}
  if ($null -eq $kind -and -not $ended -and $wordToComplete.StartsWith('-')) {
    foreach ($flags in $place.Flags, $globalFlags) { foreach ($name in $flags.Keys) { $offer[$name] = $flags[$name] } }
  }
  elseif ($null -eq $kind -and $place.Words.Count) { $offer = $place.Words }
  else {
    if ($null -eq $kind) {
      if ($place.Many -and $position -ge $place.Args.Count) { $position = $place.Args.Count - 1 }
      $kind = if ($position -lt $place.Args.Count) { $place.Args[$position] } else { '' }
    }
    if ($kind.StartsWith('@') -and $kind -ne '@file') {
      foreach ($line in @(wcs __complete $kind.Substring(1) "$wordToComplete" @typed 2>$null)) {
        $value, $name = $line -split "\`t", 2
        $offer[$value] = $name
      }
    }
    elseif ($kind -and $kind -ne '@file') { foreach ($value in $kind.Split('|')) { $offer[$value] = $value } }
  }
  foreach ($name in $offer.Keys) {
    if ($name.StartsWith($wordToComplete)) {
      $tip = if ($offer[$name]) { $offer[$name] } else { $name }
      [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $tip)
    }
  }
}
`;
}
