import { Option, type Command } from 'commander'
import type { ServeOptions } from '../commands/serve.ts'
import { HEADEND_FLAGS, HOST_NAMES, type HeadendFlag } from '../input/option-choices.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addLongHelp } from './short-help.ts'
import { addTeamOptions, repeatable } from './team-options.ts'
import { depthsOption, executorOption } from './worker-syntax.ts'
import type { McpOptions } from '../commands/mcp.ts'
import type { AcpOptions } from '../commands/acp.ts'
import type { SlackOptions } from '../commands/slack.ts'

const EXAMPLES = `
The addresses of the server and its page go to stdout, a line for each response goes to stderr. On SIGTERM the server waits
for active runs (server.limits.drainTimeout, 30 s); a second SIGTERM ends it at once.

Examples:
  troupe serve ./team                                    # serve http://127.0.0.1:7788 to this machine
  troupe serve ./team --verbose                          # print a request to paste for each protocol
  troupe serve ./team --agent planner --port 8080        # serve one agent of a folder
  troupe serve ./team --host 0.0.0.0 --token "$TOKEN"    # serve other machines, which need the token
  troupe serve ./team --no-anthropic --watch             # leave out a protocol; apply edits at once
  troupe serve ./team --executor dbos                    # let \`troupe worker\` processes execute the runs
`

const SERVED: Readonly<Record<HeadendFlag, string>> = {
  web: 'the web page',
  rest: 'REST',
  runs: 'run control',
  tools: 'the API for editing exported tools',
  push: 'notifications to browsers',
  schedules: 'schedules, and start none of their runs',
  evals: 'reports of evaluations',
  hooks: 'webhooks',
  openai: 'the OpenAI API',
  anthropic: 'the Anthropic API',
  mcp: 'MCP',
  a2a: 'A2A',
  agui: 'AG-UI',
  chat: 'the chat stream of the AI SDK',
}

const SHORT_EXAMPLES = `
Examples:
  troupe serve ./team                                    # serve http://127.0.0.1:7788 to this machine
  troupe serve ./team --verbose                          # print a request to paste for each protocol
  troupe serve ./team --host 0.0.0.0 --token "$TOKEN"    # serve other machines, which need the token
`

/** Options of the short help. */
const DAILY = [
  '--agent',
  '--model',
  '--env-file',
  '--port',
  '--host',
  '--token',
  '--allow-origin',
  '--store',
  '--watch',
  '--quiet',
  '--verbose',
]

export function addServe(program: Command, launch: Launch): void {
  const command = program
    .command('serve')
    .description('serve agents over HTTP: web page, REST, OpenAI, MCP, A2A')
    .argument('[cards...]', 'cards, or folders with cards; default: the current folder')
    .addOption(
      repeatable('--agent <name or card>', 'serve only this agent; default: all agents that are not hidden'),
    )
  addTeamOptions(command)
    .optionsGroup('Address and access:')
    .option('--port <number>', 'the port, or 0 for a free one; default: 7788')
    .option('--host <address>', 'the address to listen on; default: 127.0.0.1; all others need --token')
    .addOption(
      repeatable(
        '--token <token>',
        'a token that callers must send, of at least 16 characters; default: accept any caller on this machine',
      ),
    )
    .addOption(
      repeatable(
        '--allow-origin <origin>',
        'accept requests from pages of this origin; behind a proxy, pass its public origin',
      ),
    )
  command.optionsGroup('Protocols:')
  for (const word of HEADEND_FLAGS) command.option(`--no-${word}`, `do not serve ${SERVED[word]}`)
  command
    .addOption(
      new Option(
        '--mcp <transport>',
        'also serve MCP over stdin and stdout, until the client disconnects',
      ).choices(['stdio']),
    )
    .optionsGroup('Saved runs and workers:')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'keep runs in memory only')
    .addOption(executorOption())
    .addOption(depthsOption())
    .optionsGroup('Options:')
    .option(
      '--strict',
      'exit with 2 before listening if a card, key, model or MCP server is missing or broken',
    )
    .option('-w, --watch', 'apply edits to cards at once; active runs keep the team they started with')
    .addOption(
      new Option(
        '--log-format <format>',
        'the format of lines on stderr; default: text on a terminal, else JSON',
      ).choices(['text', 'json']),
    )
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'print an example request for each protocol')
    .option('--no-color', 'switch colours off')
    .action((cards: readonly string[], options: ServeOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { serveCommand } = await import('../commands/serve.ts')
        return serveCommand(cards, options, context)
      }),
    )
  addLongHelp(command, { daily: DAILY, examples: SHORT_EXAMPLES, allExamples: EXAMPLES })
}

const MCP_EXAMPLES = `
Serves the tools in \`exports.tools\` of the card. stdout carries the protocol, everything else goes to stderr. Over stdio, the
server ends when the client closes stdin. Approvals are shown by MCP hosts that support forms; with other hosts, the agent
runs without the tools that need approval.

Examples:
  troupe mcp travel.md                                  # the command that an MCP host starts
  troupe mcp travel.md --print-config claude            # print the entry for .mcp.json
  troupe mcp travel.md --print-config codex             # print the entry for ~/.codex/config.toml
  troupe mcp travel.md --http --port 7788               # serve http://127.0.0.1:7788/mcp to several clients
  claude mcp add travel -- troupe mcp "$PWD/travel.md"
`

const SHORT_MCP_EXAMPLES = `
Examples:
  troupe mcp travel.md                                  # the command that an MCP host starts
  troupe mcp travel.md --print-config claude            # print the entry for .mcp.json
`

export function addMcp(program: Command, launch: Launch): void {
  const command = program
    .command('mcp')
    .description('serve the exported tools of an agent as an MCP server')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent to serve; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(
      new Option('--print-config <host>', 'print the configuration for an MCP host, and exit').choices(
        HOST_NAMES,
      ),
    )
    .option('--http', 'serve over Streamable HTTP on 127.0.0.1, until stopped')
    .option('--port <number>', 'the port for --http, or 0 for a free one', '7788')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'do not save the runs')
    .option(
      '--audit <file>',
      'append a line of JSON to this file for every call: agent, tool, time, outcome, cost',
    )
    .option(
      '-w, --watch',
      'update the tools after every change to the files; edits with errors are not applied',
    )
    .option('-q, --quiet', 'print only errors on stderr')
    .option('-v, --verbose', 'print a line for each event of a call')
    .option('--no-color', 'switch colours off')
    .action((card: string, options: McpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { mcpCommand } = await import('../commands/mcp.ts')
        return mcpCommand(card, options, context)
      }),
    )
  const daily = [
    '--agent',
    '--model',
    '--env-file',
    '--print-config',
    '--http',
    '--port',
    '--watch',
    '--verbose',
  ]
  addLongHelp(command, { daily, examples: SHORT_MCP_EXAMPLES, allExamples: MCP_EXAMPLES })
}

const ACP_EXAMPLES = `
An editor starts this command and communicates with the agent over stdin and stdout; everything else goes to stderr.
A session of the editor is a conversation, and approvals are shown in the editor. The agent can use the files, terminals
and MCP servers of the editor, unless its card has \`clientTools: deny\`.

Examples:
  troupe acp team                                       # serve the entry of a team
  troupe acp planner.md --model openai/gpt-5-mini       # serve one card
`

export function addAcp(program: Command, launch: Launch): void {
  const command = program
    .command('acp')
    .description('serve an agent to an editor (Agent Client Protocol)')
    .argument('<card>', 'a card, or a folder with cards')
    .option(
      '--agent <name>',
      'serve only this agent; default: the entry, or another one that the user chooses',
    )
  addTeamOptions(command)
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'keep runs in memory only')
    .option('-q, --quiet', 'print only errors on stderr')
    .option('-v, --verbose', 'print a line for each event')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', ACP_EXAMPLES)
    .action((card: string, options: AcpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { acpCommand } = await import('../commands/acp.ts')
        return acpCommand(card, options, context)
      }),
    )
}

const SLACK_EXAMPLES = `
Set the tokens in \`slack\` of troupe.json, preferably as \${SLACK_BOT_TOKEN} and \${SLACK_APP_TOKEN}. On SIGTERM the app
finishes its answers; a second SIGTERM ends it at once.

Examples:
  troupe slack ./team --check     # check the tokens and scopes
  troupe slack ./team             # answer mentions, direct messages and the slash command
`

export function addSlack(program: Command, launch: Launch): void {
  const command = program
    .command('slack')
    .description('answer messages in Slack, one conversation per thread')
    .argument('[cards...]', 'cards, or folders with cards; default: the current folder')
    .option('--agent <name>', 'the agent for channels without a rule; default: the entry of the folder')
  addTeamOptions(command)
    .option('--check', 'check the tokens and scopes, and exit')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; requests are saved in slack.db beside the file, or in the state folder',
    )
    .option('--no-store', 'save nothing; requests that are unanswered when the program ends are lost')
    .option('-w, --watch', 'apply edits to cards at once; active runs keep the team they started with')
    .option('-q, --quiet', 'print only errors')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', SLACK_EXAMPLES)
    .action((cards: readonly string[], options: SlackOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { slackCommand } = await import('../commands/slack.ts')
        return slackCommand(cards, options, context)
      }),
    )
}
