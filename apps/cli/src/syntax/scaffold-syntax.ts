import type { Command } from 'commander'
import type { NewOptions } from '../commands/new.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { repeatable } from './team-options.ts'
import type { ConvertOptions } from '../commands/convert.ts'

const INIT_EXAMPLES = `
Examples:
  troupe init demo && cd demo && troupe run .
  troupe init                                 into this folder

Nothing is written when one of the files is there already.
`

const NEW_EXAMPLES = `
Examples:
  troupe new archivist
  troupe new review --type chain --agents writer --agents editor
  troupe new archivist --dir team --model openai/gpt-5-mini --description "Finds old papers."
`

const SCHEMA_EXAMPLES = `
Examples:
  troupe schema card > card.schema.json

In a card: # yaml-language-server: $schema=./card.schema.json
In troupe.json: "$schema": "./config.schema.json"
`

/** Adds `troupe init`, `troupe new` and `troupe schema`. */
export function addScaffold(program: Command, launch: Launch): void {
  program
    .command('init')
    .description('write a small team that runs at once, without a key')
    .argument('[folder]', 'where to; default: this folder', '.')
    .addHelpText('after', INIT_EXAMPLES)
    .action((folder: string, options: CommonOptions) =>
      launch(options, async (context) => {
        const { initCommand } = await import('../commands/init.ts')
        return initCommand(folder, context)
      }),
    )
  program
    .command('new')
    .description('write one card, ready to be filled in')
    .argument('<name>', 'the name of the agent, and of its file')
    .option('--dir <folder>', 'the folder of the card; default: this folder')
    .option('--type <type>', 'agent, chain, parallel, router, orchestrator, evaluator_optimizer')
    .option('--description <text>', 'what it does, for those who call it')
    .option('--model <id>', 'its model, such as openai/gpt-5-mini')
    .addOption(repeatable('--agents <name>', 'a child of it'))
    .addHelpText('after', NEW_EXAMPLES)
    .action((name: string, options: NewOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { newCommand } = await import('../commands/new.ts')
        return newCommand(name, options, context)
      }),
    )
  program
    .command('schema')
    .description('print the JSON Schema of a kind of file, for editors')
    .argument('<kind>', 'card, config or script')
    .addHelpText('after', SCHEMA_EXAMPLES)
    .action((kind: string, options: CommonOptions) =>
      launch(options, async (context) => {
        const { schemaCommand } = await import('../commands/schema.ts')
        return schemaCommand(kind, context)
      }),
    )
}

const CONVERT_EXAMPLES = `
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
    .addHelpText('after', CONVERT_EXAMPLES)
    .action((file: string, options: ConvertOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { convertCommand } = await import('../commands/convert.ts')
        return convertCommand(file, options, context)
      }),
    )
}
