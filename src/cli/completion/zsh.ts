import type { CompletedFlag, Described, Model } from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const described = (list: readonly Described[]) =>
  list.map(({ name, description }) => quote(`${name.replaceAll(":", "\\:")}:${description}`)).join(" ");
const valued = (flags: readonly CompletedFlag[]) =>
  flags
    .filter(({ values }) => values !== undefined)
    .map(({ name, values }) => `${quote(name)} ${quote(values ?? "")}`)
    .join(" ");

/** Words and flags, with what they mean, stand in the script; a process starts for IDs and names only. */
export function zsh({ places, globals }: Model): string {
  const cases = places.map(({ path, words, flags, args, many }) => {
    const parts = [
      words.length > 0 && `words_here=(${described(words)})`,
      flags.length > 0 && `flags=(${described(flags)})`,
      flags.some(({ values }) => values !== undefined) && `kinds=(${valued(flags)})`,
      args.length > 0 && `args=(${args.map(quote).join(" ")})`,
      many && "many=1",
    ].filter(Boolean);
    return `    ${quote(path)}) ${parts.join("; ") || ":"} ;;`;
  });
  return `#compdef wcs
# zsh completion for wcs. Made by: wcs completion zsh

__wcs_place() {
  words_here=() flags=() kinds=() args=() many=''
  case "$1" in
${cases.join("\n")}
  esac
  flags+=(${described(globals)})
  kinds=(${valued(globals)} "\${(@kv)kinds}")
}

__wcs_offer() {
  local -a lines ids shown
  local line
  case "$1" in
    @file) _files ;;
    @*)
      lines=("\${(@f)$(wcs __complete "\${1#@}" "$PREFIX" "\${(@)words[2,-1]}" 2>/dev/null)}")
      for line in $lines; do ids+=("\${line%%$'\\t'*}"); shown+=("\${line/$'\\t'/  }"); done
      # A name that was typed is replaced by its ID.
      if [[ "$PREFIX" == <-> || -z "$PREFIX" || "$1" == @profiles ]]; then compadd -l -d shown -a ids
      else compadd -U -l -d shown -a ids; fi ;;
    ?*) compadd -- "\${(@s:|:)1}" ;;
  esac
}

_wcs() {
  local path_here='' pending='' kind='' ended='' word many i
  local -a words_here flags args
  local -A kinds
  local -i position=0
  __wcs_place ''
  for ((i = 2; i < CURRENT; i++)); do
    word="$words[i]"
    if [[ -n "$pending" ]]; then pending=''; continue; fi
    if [[ -z "$ended" && "$word" == '--' ]]; then ended=1
    elif [[ -z "$ended" && "$word" == -* ]]; then
      if (( \${+kinds[$word]} )); then pending=1; kind="$kinds[$word]"; fi
    elif (( \${words_here[(I)$word:*]} )); then path_here="\${path_here:+$path_here }$word"; __wcs_place "$path_here"
    else position+=1; fi
  done
  if [[ -n "$pending" ]]; then __wcs_offer "$kind"
  elif [[ -z "$ended" && "$PREFIX" == --*=* ]]; then
    kind="$kinds[\${PREFIX%%=*}]"; compset -P '*='; __wcs_offer "$kind"
  elif [[ -z "$ended" && "$PREFIX" == -* ]]; then _describe -o option flags
  elif (( $#words_here )); then _describe command words_here
  else
    if [[ -n "$many" ]] && (( position >= $#args )); then position=$(( $#args - 1 )); fi
    if (( position < $#args )); then __wcs_offer "$args[position + 1]"; fi
  fi
}

if [[ "$funcstack[1]" == _wcs ]]; then _wcs "$@"; else compdef _wcs wcs; fi
`;
}
