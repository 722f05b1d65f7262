import type { Command } from 'commander'
import type { LockCommandOptions, ServersOptions, PromptOptions } from '../commands/servers.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const NAME = 'the name of the server in troupe.json or the card'

const EXAMPLES = `
Examples:
  troupe servers list                   # list the MCP servers of this folder
  troupe servers tools github ./team    # list the tools of a server
  troupe servers prompts github         # list the prompts of a server
  troupe servers login github           # log in to a server
  troupe servers lock                   # write the tools of all servers to troupe.lock
`

const LIST_EXAMPLES = `
Examples:
  troupe servers list
  troupe servers list ./team --json | jq '.[].name'

No server is started. \`troupe doctor\` connects to every server.
`

const TOOLS_EXAMPLES = `
Examples:
  troupe servers tools github
  troupe servers tools github ./team --json | jq '.[].name'
`

const PROMPTS_EXAMPLES = `
Examples:
  troupe servers prompts github
  troupe servers prompts github ./team --json | jq '.[].arguments'

Arguments in brackets are optional.
`

const PROMPT_EXAMPLES = `
Examples:
  troupe servers prompt github review --arg pr=7
  troupe servers prompt github review --arg pr=7 | troupe run reviewer.md -

The text goes to stdout. Images and other data are only listed on stderr; use --json to get them.
`

const LOGIN_EXAMPLES = `
Examples:
  troupe servers login github           # print the URL of the login page, and wait for the login

No browser is opened. The login is stored in ~/.troupe/logins, readable only by you, and renewed automatically.
`

const LOGOUT_EXAMPLES = `
Examples:
  troupe servers logout github
`

const LOCK_EXAMPLES = `
Examples:
  troupe servers lock                       # write troupe.lock beside troupe.json
  troupe servers lock --server github       # update one server, after you have reviewed its changes
  troupe servers lock --check               # write nothing; for continuous integration

Every run warns about a tool that differs from the file. With --frozen, or "toolLock": "frozen", the tool is left out.

Exit codes: 0 done, 1 a server could not be reached, 2 with --check: the file is out of date
`

/** Adds `troupe servers` with its commands. */
export function addServers(program: Command, launch: Launch): void {
  const servers = program
    .command('servers')
    .description('manage the MCP servers of a team')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  addList(servers, launch)
  addServerTools(servers, launch)
  addPrompts(servers, launch)
  addPrompt(servers, launch)
  addLogin(servers, launch)
  addLogout(servers, launch)
  addLock(servers, launch)
}

function addList(servers: Command, launch: Launch): void {
  addShared(
    servers.command('list').description('list the MCP servers of a team, without starting them'),
    LIST_EXAMPLES,
  ).action((paths: readonly string[], options: ServersOptions & CommonOptions) =>
    launch(options, async (context) => {
      const { listCommand } = await import('../commands/servers.ts')
      return listCommand(paths, options, context)
    }),
  )
}

function addServerTools(servers: Command, launch: Launch): void {
  const command = servers
    .command('tools')
    .description('list the tools that a server currently offers')
    .argument('<name>', NAME)
  addShared(command, TOOLS_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { toolsCommand } = await import('../commands/servers.ts')
        return toolsCommand({ name, paths }, options, context)
      }),
  )
}

function addPrompts(servers: Command, launch: Launch): void {
  const command = servers
    .command('prompts')
    .description('list the prompts that a server currently offers')
    .argument('<name>', NAME)
  addShared(command, PROMPTS_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { promptsCommand } = await import('../commands/servers.ts')
        return promptsCommand({ name, paths }, options, context)
      }),
  )
}

function addPrompt(servers: Command, launch: Launch): void {
  const command = servers
    .command('prompt')
    .description('print a prompt, rendered by its server')
    .argument('<name>', NAME)
    .argument('<prompt>', 'the name of the prompt in `troupe servers prompts`')
    .addOption(repeatable('--arg <key=value>', 'an argument of the prompt'))
  addShared(command, PROMPT_EXAMPLES).action(
    (name: string, prompt: string, paths: readonly string[], options: PromptOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { promptCommand } = await import('../commands/servers.ts')
        return promptCommand({ name, prompt, paths }, options, context)
      }),
  )
}

function addLogin(servers: Command, launch: Launch): void {
  const command = servers.command('login').description('log in to a server').argument('<name>', NAME)
  addShared(command, LOGIN_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { loginCommand } = await import('../commands/servers.ts')
        return loginCommand({ name, paths }, options, context)
      }),
  )
}

function addLogout(servers: Command, launch: Launch): void {
  const command = servers
    .command('logout')
    .description('delete the stored login of a server')
    .argument('<name>', NAME)
  addShared(command, LOGOUT_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { logoutCommand } = await import('../commands/servers.ts')
        return logoutCommand({ name, paths }, options, context)
      }),
  )
}

function addLock(servers: Command, launch: Launch): void {
  const command = servers
    .command('lock')
    .description('write the tools that the servers offer to troupe.lock')
    .addOption(repeatable('--server <name>', 'lock only this server'))
    .option('--check', 'write nothing; exit with 2 if the file is out of date')
  addShared(command, LOCK_EXAMPLES).action(
    (paths: readonly string[], options: LockCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { lockCommand } = await import('../commands/servers.ts')
        return lockCommand(paths, options, context)
      }),
  )
}

function addShared(command: Command, examples: string): Command {
  return addTeamOptions(
    command.argument('[paths...]', 'cards, or folders with cards; default: the current folder'),
  )
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', examples)
}
