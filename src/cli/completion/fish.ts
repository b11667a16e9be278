import type { CompletedFlag, Described, Model } from "./model.ts";

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const described = (list: readonly Described[]) =>
  list.map(({ name, description }) => quote(`${name}\t${description}`)).join(" ");
const valued = (flags: readonly CompletedFlag[]) =>
  flags
    .filter(({ values }) => values !== undefined)
    .map(({ name, values }) => quote(`${name}=${values}`))
    .join(" ");

/** Words and flags, with what they mean, stand in the script; a process starts for IDs and names only. */
export function fish({ places, globals }: Model): string {
  const cases = places.map(({ path, words, flags, args, many }) => {
    const parts = [
      words.length > 0 && `set words ${described(words)}`,
      flags.length > 0 && `set flags ${described(flags)}`,
      flags.some(({ values }) => values !== undefined) && `set values ${valued(flags)}`,
      args.length > 0 && `set args ${args.map(quote).join(" ")}`,
      many && "set many 1",
    ].filter(Boolean);
    return `        case ${quote(path)}\n${parts.map((part) => `            ${part}\n`).join("")}`;
  });
  return `# fish completion for wcs. Made by: wcs completion fish

function __wcs_place --no-scope-shadowing
    set words
    set flags
    set values
    set args
    set many
    switch "$argv[1]"
${cases.join("")}    end
    set -a flags ${described(globals)}
    set -p values ${valued(globals)}
end

function __wcs_offer --argument-names kind cur before
    switch "$kind"
        case @file
            __fish_complete_path "$cur"
        case '@*'
            wcs __complete (string sub --start 2 -- $kind) "$cur" (commandline -opc)[2..] 2>/dev/null
        case '?*'
            string split '|' -- $kind | string replace -r '^' -- "$before"
    end
end

function __wcs
    set -l words
    set -l flags
    set -l values
    set -l args
    set -l many
    set -l path
    set -l pending
    set -l kind
    set -l ended
    set -l position 1
    set -l cur (commandline -ct)
    set -l line (commandline -opc)
    __wcs_place ''
    for word in $line[2..]
        if test -n "$pending"
            set pending
        else if test -z "$ended"; and test "$word" = --
            set ended 1
        else if test -z "$ended"; and string match -q -- '-*' $word
            for pair in $values
                if string match -q -- "$word=*" $pair
                    set pending 1
                    set kind (string replace -- "$word=" '' $pair)
                end
            end
        else if string match -q -- "$word"\\t'*' $words
            set -a path $word
            __wcs_place "$path"
        else
            set position (math $position + 1)
        end
    end
    if test -n "$pending"
        __wcs_offer "$kind" "$cur" ''
    else if test -z "$ended"; and string match -q -- '--*=*' $cur
        set -l parts (string split -m 1 = -- $cur)
        for pair in $values
            if string match -q -- "$parts[1]=*" $pair
                __wcs_offer (string replace -- "$parts[1]=" '' $pair) "$parts[2]" "$parts[1]="
            end
        end
    else if test -z "$ended"; and string match -q -- '-*' $cur
        printf '%s\\n' $flags
    else if set -q words[1]
        printf '%s\\n' $words
    else
        if test -n "$many"; and test $position -gt (count $args)
            set position (count $args)
        end
        if test $position -le (count $args)
            __wcs_offer "$args[$position]" "$cur" ''
        end
    end
end

complete -c wcs -f -a '(__wcs)'
`;
}
