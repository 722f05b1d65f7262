import type { Command } from 'commander'
import type { InitOptions } from '../commands/init.ts'
import type { NewOptions } from '../commands/new.ts'
import { DEFAULT_TEMPLATE, TEMPLATE_NAMES, TEMPLATES } from '../templates/template-names.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { repeatable } from './team-options.ts'
import type { ConvertOptions } from '../commands/convert.ts'

const INIT_HELP = `
Templates:
${Object.entries(TEMPLATES)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

At a terminal, the command asks for whatever the options do not specify. API keys cannot be options: the command
asks for them and writes them to troupe.env, which only you can read and which git ignores. Existing files are
never overwritten.

Examples:
  troupe init                                 # ask
  troupe init demo --yes && cd demo && troupe run .
  troupe init invoices --template extract --provider anthropic --no-run
`

const NEW_EXAMPLES = `
Examples:
  troupe new archivist
  troupe new find-order --kind tool
  troupe new find-order.py --kind tool        # in Python
  troupe new lead --kind eval                 # cases for the agent lead
  troupe new --kind deploy                    # a folder deploy, to run the team on servers
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
    .description('create a small team from a template and run it once')
    .argument('[folder]', 'the folder to write to; default: the current folder')
    .option('--template <name>', `${TEMPLATE_NAMES.join(', ')}; default: ${DEFAULT_TEMPLATE}`)
    .option('--provider <name>', 'the provider of the model, or none for scripted answers; default: none')
    .option('--model <id>', 'the model; default: a small model of the provider')
    .option('--no-run', 'write the files only')
    .option('-y, --yes', 'ask no questions')
    .addHelpText('after', INIT_HELP)
    .action((folder: string | undefined, options: InitOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { initCommand } = await import('../commands/init.ts')
        return initCommand(folder, options, context)
      }),
    )
  program
    .command('new')
    .description('create a card, tool, hook, evaluation, schedule or deployment')
    .argument('[name]', 'the name of the agent or tool, and of its file; deploy takes none')
    .option('--kind <kind>', 'card, tool, hook, eval, schedule or deploy; default: card')
    .option('--dir <folder>', 'the folder of the card or team; default: the current folder')
    .option('--type <type>', 'agent, chain, parallel, router, orchestrator, evaluator_optimizer or voting')
    .option('--description <text>', 'what the agent does, for the agents that call it')
    .option('--model <id>', 'the model, such as openai/gpt-5-mini')
    .addOption(repeatable('--agents <name>', 'a child agent'))
    .option('-y, --yes', 'ask no questions')
    .addHelpText('after', NEW_EXAMPLES)
    .action((name: string | undefined, options: NewOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { newCommand } = await import('../commands/new.ts')
        return newCommand(name, options, { ...context, version: program.version() ?? 'latest' })
      }),
    )
  program
    .command('schema')
    .description('print a JSON Schema for editors')
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
