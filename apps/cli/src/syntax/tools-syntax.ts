import type { Command } from 'commander'
import type { ToolsCallOptions, ToolsCommandOptions } from '../commands/tools.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
Examples:
  troupe tools time.md                       # list the tools of an agent, including those of MCP servers
  troupe tools ./team --agent planner --json
  troupe tools call time.md time__get_time --args '{"city": "Paris"}'
`

const CALL_EXAMPLES = `
Examples:
  troupe tools call time.md time__get_time --args '{"city": "Paris"}'
  troupe tools call ./team save_note --agent planner --args '{"text": "hi"}' --yes
  troupe tools call travel.md Travel_book_flight --args '{"destination": "Oslo"}'   # call an exported tool
`

/** Adds `troupe tools` and `troupe tools call`. */
export function addTools(program: Command, launch: Launch): void {
  const tools = program
    .command('tools')
    .description('list the tools of an agent')
    .argument('<card>', 'a card, or a folder with cards')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  addShared(tools).action((card: string, options: ToolsCommandOptions & CommonOptions) =>
    launch(options, async (context) => {
      const { toolsCommand } = await import('../commands/tools.ts')
      return toolsCommand(card, options, context)
    }),
  )
  addCall(tools, launch)
}

function addCall(tools: Command, launch: Launch): void {
  const call = tools
    .command('call')
    .description('call one tool as a model would')
    .argument('<card>', 'a card, or a folder with cards')
    .argument('<tool>', 'the name of the tool in `troupe tools`')
    .option('--args <json>', 'the arguments as a JSON object', '{}')
    .option('-y, --yes', 'approve the call if it needs approval')
    .addHelpText('after', CALL_EXAMPLES)
  addShared(call).action((card: string, tool: string, options: ToolsCallOptions & CommonOptions) =>
    launch(options, async (context) => {
      const { toolsCallCommand } = await import('../commands/tools.ts')
      return toolsCallCommand({ card, tool }, options, context)
    }),
  )
}

function addShared(command: Command): Command {
  return addTeamOptions(command.option('--agent <name>', 'the agent; default: the entry of the folder'))
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
}
