import { Argument, type Command } from 'commander'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { SHELLS, type Shell } from '../completion/shell-scripts.ts'

const EXAMPLES = `
Put the line of your shell into its start file:

  bash  ~/.bashrc                    eval "$(troupe completion bash)"
  zsh   ~/.zshrc, behind compinit    eval "$(troupe completion zsh)"
  fish  ~/.config/fish/config.fish   troupe completion fish | source
`

/** Adds `troupe completion` and the hidden `troupe complete`, which its scripts call. */
export function addCompletion(program: Command, launch: Launch): void {
  program
    .command('completion')
    .description('print the script that completes command lines in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell, options: CommonOptions) =>
      launch(options, async ({ terminal }) => {
        const { SHELL_SCRIPTS } = await import('../completion/shell-scripts.ts')
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
