import type { CompletedFlag, Model } from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const names = (list: readonly { name: string }[]) => quote(list.map(({ name }) => name).join(" "));
const valued = (flags: readonly CompletedFlag[]) =>
  quote(
    flags
      .filter(({ values }) => values !== undefined)
      .map(({ name, values }) => `${name}=${values}`)
      .join(" "),
  );

/** Words and flags stand in the script; a process starts for IDs and names only. Works with bash 3.2, too. */
export function bash({ places, globals }: Model): string {
  const cases = places.map(({ path, words, flags, args, many }) => {
    const parts = [
      words.length > 0 && `words=${names(words)}`,
      flags.length > 0 && `flags=${names(flags)}`,
      flags.some(({ values }) => values !== undefined) && `values=${valued(flags)}`,
      args.length > 0 && `args=(${args.map(quote).join(" ")})`,
      many && "many=1",
    ].filter(Boolean);
    return `    ${quote(path)}) ${parts.join("; ") || ":"} ;;`;
  });
  return `# bash completion for wcs. Made by: wcs completion bash

__wcs_place() {
  words='' flags='' values='' args=() many=''
  case "$1" in
${cases.join("\n")}
  esac
  flags="$flags "${names(globals)}
  values="$values "${valued(globals)}
}

__wcs_values() {
  local pair
  for pair in $values; do
    if [[ "\${pair%%=*}" == "$1" ]]; then kind="\${pair#*=}"; return 0; fi
  done
  return 1
}

__wcs_offer() {
  local IFS=$'\\n' line
  case "$1" in
    @file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    @*)
      while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done \\
        < <(wcs __complete "\${1#@}" "$cur" "\${COMP_WORDS[@]:1}" 2>/dev/null)
      # While a number is typed, only IDs that begin with it; a name is replaced by its ID.
      if [[ "$cur" =~ ^[0-9]+$ || "$1" == @profiles ]]; then COMPREPLY=($(compgen -W "\${COMPREPLY[*]}" -- "$cur")); fi ;;
    ?*) COMPREPLY=($(compgen -W "\${1//|/$'\\n'}" -- "$cur")) ;;
  esac
}

_wcs() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='' pending='' kind='' position=0 ended='' i word
  local words flags values args many
  COMPREPLY=()
  __wcs_place ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ "$word" == '=' ]]; then continue; fi
    if [[ -n "$pending" ]]; then pending=''; continue; fi
    if [[ -z "$ended" && "$word" == '--' ]]; then ended=1
    elif [[ -z "$ended" && "$word" == -* ]]; then
      if __wcs_values "$word"; then pending=1; fi
    elif [[ " $words " == *" $word "* ]]; then path="\${path:+$path }$word"; __wcs_place "$path"
    else position=$((position + 1)); fi
  done
  if [[ "$cur" == '=' ]]; then cur=''; fi
  if [[ -n "$pending" ]]; then __wcs_offer "$kind"
  elif [[ -z "$ended" && "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n "$words" ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    if [[ -n "$many" && $position -ge \${#args[@]} ]]; then position=$((\${#args[@]} - 1)); fi
    if ((position < \${#args[@]})); then __wcs_offer "\${args[position]}"; fi
  fi
}

complete -F _wcs wcs
`;
}
