import { Option, type Command } from 'commander'
import type { McpOptions } from '../commands/mcp.ts'
import { HOST_NAMES } from '../mcp/host-names.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
The agent offers what \`exports.tools\` of its card describes. stdout is for the protocol, everything else goes to stderr. Over stdio
the server ends when its client closes stdin. A host that can show forms is asked for approvals; for others, tools that need one are
not offered to the agent.

Examples:
  troupe mcp travel.md                                  what an MCP host starts
  troupe mcp travel.md --print-config claude            what to put into .mcp.json
  troupe mcp travel.md --print-config codex             what to put into ~/.codex/config.toml
  troupe mcp travel.md --http --port 7788               http://127.0.0.1:7788/mcp, for several clients
  claude mcp add travel -- troupe mcp "$PWD/travel.md"
`

export function addMcp(program: Command, launch: Launch): void {
  const command = program
    .command('mcp')
    .description('serve the exported tools of an agent as an MCP server')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(
      new Option('--print-config <host>', 'print the configuration of an MCP host, and end').choices(
        HOST_NAMES,
      ),
    )
    .option('--http', 'serve over Streamable HTTP on 127.0.0.1, until it is stopped')
    .option('--port <number>', 'the port for --http; 0: a free one', '7788')
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'do not keep the runs')
    .option(
      '--audit <file>',
      'add a line of JSON to this file for every call: who, what, when, outcome, cost',
    )
    .option('-w, --watch', 'serve the tools as the files are, after every change; a bad edit is kept out')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .option('-v, --verbose', 'print a line for all that happens in a call')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((card: string, options: McpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { mcpCommand } = await import('../commands/mcp.ts')
        return mcpCommand(card, options, context)
      }),
    )
}
