import type { Command } from 'commander'
import type { ConvertOptions } from '../commands/convert.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'

const EXAMPLES = `
Examples:
  troupe convert .claude/agents/reviewer.md > reviewer.md
  troupe convert recipe.yaml --out team/
  troupe check .claude/agents --explain     what becomes of each field, without writing anything

The prompt stays as it is, byte for byte. Relative paths stay as they are written.
Agents of other products also run unchanged: troupe run .claude/agents/reviewer.md "…"
`

export function addConvert(program: Command, launch: Launch): void {
  program
    .command('convert')
    .description('write an agent of another product as a card of ours')
    .argument('<file>', 'a file of agents in any dialect')
    .option('--out <path>', 'the file to write, or a folder; default: stdout')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: ConvertOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { convertCommand } = await import('../commands/convert.ts')
        return convertCommand(file, options, context)
      }),
    )
}
