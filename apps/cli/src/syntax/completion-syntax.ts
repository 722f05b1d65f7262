import { Argument, type Command } from 'commander'
import type { CommonOptions, Launch } from '../terminal/context.ts'

const EXAMPLES = `
Add the line for your shell to its startup file:

  bash  ~/.bashrc                    eval "$(troupe completion bash)"
  zsh   ~/.zshrc, after compinit     eval "$(troupe completion zsh)"
  fish  ~/.config/fish/config.fish   troupe completion fish | source
`

/** Adds `troupe completion` and the hidden `troupe complete`, which its scripts call. */
export function addCompletion(program: Command, launch: Launch): void {
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell, options: CommonOptions) =>
      launch(options, async ({ terminal }) => {
        terminal.stdout.write(SHELL_SCRIPTS[shell])
        return 0
      }),
    )
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[], options: CommonOptions) =>
      launch(options, async (context) => {
        const { complete } = await import('../completion/complete.ts')
        const candidates = complete(words, { program, context })
        const lines = candidates.map(({ value, description }) =>
          description === undefined ? value : `${value}\t${oneLine(description)}`,
        )
        context.terminal.stdout.write(lines.map((line) => `${line}\n`).join(''))
        return 0
      }),
    )
}

/** Removes line breaks and control characters, because descriptions of cards are untrusted. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** Shells with a completion script. */
const SHELLS = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof SHELLS)[number]

/*
 * Each script passes the words to `troupe complete`, which prints one line per candidate: the word, a tab and
 * its description. Folders are completed without a trailing space, so that the path can continue.
 */

const BASH = `# bash completion for troupe: eval "$(troupe completion bash)"
_troupe() {
  local index word line value current cut joins=
  local -a words=()
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    # bash breaks --option=value at the =; the two belong together
    if [[ -n "$joins" || ( "$word" == "=" && \${#words[@]} -gt 0 && "\${words[\${#words[@]}-1]}" == --* ) ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    [[ "$word" == "=" ]] && joins=yes || joins=
  done
  current="\${words[\${#words[@]}-1]}"
  cut="\${current%"\${COMP_WORDS[COMP_CWORD]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    COMPREPLY+=("$(printf '%q' "\${value#"$cut"}")")
  done < <(troupe complete -- "\${words[@]}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _troupe troupe
`

const ZSH = `#compdef troupe
# zsh completion for troupe: eval "$(troupe completion zsh)"
_troupe() {
  local -a lines words_only described folders
  local line value
  lines=("\${(@f)$(troupe complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    value="\${line%%$'\\t'*}"
    [[ -z "$value" ]] && continue
    if [[ "$value" == */ ]]; then
      folders+=("$value")
    elif [[ "$line" == *$'\\t'* ]]; then
      described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    else
      words_only+=("$value")
    fi
  done
  (( $#described )) && _describe 'troupe' described
  (( $#words_only )) && compadd -- $words_only
  (( $#folders )) && compadd -S '' -- $folders
  return 0
}
if [[ "$funcstack[1]" == _troupe ]]; then _troupe "$@"; else compdef _troupe troupe; fi
`

const FISH = `# fish completion for troupe: troupe completion fish | source
function __troupe_complete
  set -l words (commandline -opc)
  set -e words[1]
  troupe complete -- $words (commandline -ct) 2>/dev/null
end
complete -c troupe -f -a '(__troupe_complete)'
`

/** Completion script of each shell. */
const SHELL_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
