import { Option, type Command } from 'commander'
import type { ServeOptions } from '../commands/serve.ts'
import { HEADEND_FLAGS } from '../serve/headend-flags.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'
import type { McpOptions } from '../commands/mcp.ts'
import { HOST_NAMES } from '../mcp/host-names.ts'
import type { AcpOptions } from '../commands/acp.ts'
import type { SlackOptions } from '../commands/slack.ts'

const EXAMPLES = `
stdout says where each protocol is, with a line to paste; stderr gets a line for each answer. SIGTERM waits
for runs that have started (server.limits.drainTimeout, 30 s); a second one does not.

Examples:
  troupe serve ./team                                    http://127.0.0.1:7788, for this machine
  troupe serve ./team --agent planner --port 8080        one agent of a folder
  troupe serve ./team --host 0.0.0.0 --token "$TOKEN"    for others: with a token only
  troupe serve ./team --no-anthropic --watch             without a protocol; edits are taken at once
`

export function addServe(program: Command, launch: Launch): void {
  const command = program
    .command('serve')
    .description('serve agents over HTTP: REST, run control, OpenAI, Anthropic and more, on one port')
    .argument('[cards...]', 'cards, or folders with cards; default: this folder')
    .addOption(
      repeatable('--agent <name or card>', 'serve this agent only; default: all that are not hidden'),
    )
  addTeamOptions(command)
    .option('--port <number>', 'the port; 0: a free one; default: 7788')
    .option('--host <address>', 'where to listen; default: 127.0.0.1; elsewhere a token is needed')
    .addOption(
      repeatable(
        '--token <token>',
        'let its holder in (at least 16 characters); default: any caller on this machine',
      ),
    )
    .addOption(
      repeatable('--allow-origin <origin>', 'pages of this origin may call, and it may stand in front'),
    )
  for (const word of HEADEND_FLAGS) command.option(`--no-${word}`, `without the protocol "${word}"`)
  command
    .addOption(
      new Option('--mcp <transport>', 'MCP over stdin and stdout as well, until the client leaves').choices([
        'stdio',
      ]),
    )
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'keep runs in memory only')
    .option(
      '--strict',
      'exit with 2 before listening if a card, key, model or MCP server is missing or broken',
    )
    .option('-w, --watch', 'take edits of cards at once; runs at work keep the team that they began with')
    .addOption(
      new Option('--log-format <format>', 'lines on stderr; default: text on a terminal, else JSON').choices([
        'text',
        'json',
      ]),
    )
    .option('-q, --quiet', 'print nothing but errors')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((cards: readonly string[], options: ServeOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { serveCommand } = await import('../commands/serve.ts')
        return serveCommand(cards, options, context)
      }),
    )
}

const MCP_EXAMPLES = `
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
    .addHelpText('after', MCP_EXAMPLES)
    .action((card: string, options: McpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { mcpCommand } = await import('../commands/mcp.ts')
        return mcpCommand(card, options, context)
      }),
    )
}

const ACP_EXAMPLES = `
An editor starts this command and talks to the agent over stdin and stdout; everything else goes to stderr. A session of the editor is a
conversation, and whoever sits there is asked for approvals.

Examples:
  troupe acp team                                       the entry of a team
  troupe acp planner.md --model openai/gpt-5-mini       one card
`

export function addAcp(program: Command, launch: Launch): void {
  const command = program
    .command('acp')
    .description('serve an agent to an editor (Agent Client Protocol)')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent; default: the entry of the folder')
  addTeamOptions(command)
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'do not keep the runs')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .option('-v, --verbose', 'print a line for all that happens')
    .option('--no-color', 'without colours')
    .addHelpText('after', ACP_EXAMPLES)
    .action((card: string, options: AcpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { acpCommand } = await import('../commands/acp.ts')
        return acpCommand(card, options, context)
      }),
    )
}

const SLACK_EXAMPLES = `
The tokens stand in \`slack\` of troupe.json, best as \${SLACK_BOT_TOKEN} and \${SLACK_APP_TOKEN}. SIGTERM lets answers end, a second one does not wait.

Examples:
  troupe slack ./team --check     says whether Slack takes the app
  troupe slack ./team             answers mentions, direct messages and the slash command
`

export function addSlack(program: Command, launch: Launch): void {
  const command = program
    .command('slack')
    .description('answer in Slack: a thread is a conversation, children are rows of its answer')
    .argument('[cards...]', 'cards, or folders with cards; default: this folder')
    .option('--agent <name>', 'the agent that answers where no rule of a channel names one')
  addTeamOptions(command)
    .option('--check', 'look whether Slack takes the tokens and the scopes, and end')
    .option('--store <file>', 'the file that keeps the runs; what was asked is kept in slack.db beside it')
    .option('--no-store', 'keep nothing: what is not answered when the program ends is lost')
    .option('-w, --watch', 'take edits of cards at once; runs at work keep the team that they began with')
    .option('-q, --quiet', 'print nothing but errors')
    .option('--no-color', 'without colours')
    .addHelpText('after', SLACK_EXAMPLES)
    .action((cards: readonly string[], options: SlackOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { slackCommand } = await import('../commands/slack.ts')
        return slackCommand(cards, options, context)
      }),
    )
}
