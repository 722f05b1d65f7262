import type { Command } from 'commander'
import type { NewOptions } from '../commands/scaffold.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { repeatable } from './team-options.ts'
import type { ConvertOptions } from '../commands/convert.ts'

const INIT_EXAMPLES = `
Examples:
  troupe init demo && cd demo && troupe run .
  troupe init                                 # write to this folder

Existing files are never overwritten.
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
    .description('create a small team that runs without a key')
    .argument('[folder]', 'the folder to write to', '.')
    .addHelpText('after', INIT_EXAMPLES)
    .action((folder: string, options: CommonOptions) =>
      launch(options, async (context) => {
        const { initCommand } = await import('../commands/scaffold.ts')
        return initCommand(folder, context)
      }),
    )
  program
    .command('new')
    .description('create one card to fill in')
    .argument('<name>', 'the name of the agent and of its file')
    .option('--dir <folder>', 'the folder of the card; default: this folder')
    .option('--type <type>', 'agent, chain, parallel, router, orchestrator, evaluator_optimizer or voting')
    .option('--description <text>', 'what the agent does; its callers read it')
    .option('--model <id>', 'the model, such as openai/gpt-5-mini')
    .addOption(repeatable('--agents <name>', 'a child agent'))
    .addHelpText('after', NEW_EXAMPLES)
    .action((name: string, options: NewOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { newCommand } = await import('../commands/scaffold.ts')
        return newCommand(name, options, context)
      }),
    )
  program
    .command('schema')
    .description('print a JSON Schema for editors')
    .argument('<kind>', 'card, config or script')
    .addHelpText('after', SCHEMA_EXAMPLES)
    .action((kind: string, options: CommonOptions) =>
      launch(options, async (context) => {
        const { schemaCommand } = await import('../commands/scaffold.ts')
        return schemaCommand(kind, context)
      }),
    )
}

const CONVERT_EXAMPLES = `
Examples:
  troupe convert .claude/agents/reviewer.md > reviewer.md
  troupe convert recipe.yaml --out team/
  troupe convert .claude/agents/*.md --out team/
  troupe check .claude/agents --explain     # show how each field would be converted, without writing a file

Without --out, the prompt and relative paths are copied unchanged.
Agents from other tools also run without conversion: troupe run .claude/agents/reviewer.md "…"
`

export function addConvert(program: Command, launch: Launch): void {
  program
    .command('convert')
    .description('convert agents from another tool into Troupe cards')
    .argument('<files...>', 'agent files in any supported format')
    .option('--out <path>', 'the file or folder to write to; default: stdout')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', CONVERT_EXAMPLES)
    .action((files: readonly string[], options: ConvertOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { convertCommand } = await import('../commands/convert.ts')
        return convertCommand(files, options, context)
      }),
    )
}
