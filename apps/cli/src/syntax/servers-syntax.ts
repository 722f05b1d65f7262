import type { Command } from 'commander'
import type { LockCommandOptions } from '../commands/servers/lock.ts'
import type { ServersOptions } from '../commands/servers/with-host.ts'
import type { PromptOptions } from '../commands/servers/prompts.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const NAME = 'the name of the server, as in troupe.json or the card'

const EXAMPLES = `
Examples:
  troupe servers list                   the MCP servers of this folder
  troupe servers tools github ./team    what a server offers
  troupe servers prompts github         the prompts of a server
  troupe servers login github           log in to a server that wants it
  troupe servers lock                   note the tools of all servers in troupe.lock
`

const LIST_EXAMPLES = `
Examples:
  troupe servers list
  troupe servers list ./team --json | jq '.[].name'

Nothing is started; \`troupe doctor\` tries every server.
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

Arguments in brackets may be left out.
`

const PROMPT_EXAMPLES = `
Examples:
  troupe servers prompt github review --arg pr=7
  troupe servers prompt github review --arg pr=7 | troupe run reviewer.md -

The text goes to stdout; pictures and other data are only named on stderr, --json has them.
`

const LOGIN_EXAMPLES = `
Examples:
  troupe servers login github           prints the page to open, and waits

No browser is opened. The login is kept below ~/.troupe/logins, where only you can read it, and is renewed by itself.
`

const LOGOUT_EXAMPLES = `
Examples:
  troupe servers logout github
`

const LOCK_EXAMPLES = `
Examples:
  troupe servers lock                       write troupe.lock beside troupe.json
  troupe servers lock --server github       only one server, after having looked at its changes
  troupe servers lock --check               write nothing; for continuous integration

A tool that is not as the file has it is told of in every run; with --frozen, or "toolLock": "frozen", it is left out.

Exit codes: 0 done, 1 a server could not be asked, 2 with --check: the file is not up to date
`

/** Adds `troupe servers` with its commands. */
export function addServers(program: Command, launch: Launch): void {
  const servers = program
    .command('servers')
    .description('the MCP servers of a team: tools, prompts, logins, the lock')
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
  addShared(servers.command('list').description('list them; none is started'), LIST_EXAMPLES).action(
    (paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { listCommand } = await import('../commands/servers/list.ts')
        return listCommand(paths, options, context)
      }),
  )
}

function addServerTools(servers: Command, launch: Launch): void {
  const command = servers
    .command('tools')
    .description('what a server offers just now')
    .argument('<name>', NAME)
  addShared(command, TOOLS_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { toolsCommand } = await import('../commands/servers/tools.ts')
        return toolsCommand({ name, paths }, options, context)
      }),
  )
}

function addPrompts(servers: Command, launch: Launch): void {
  const command = servers
    .command('prompts')
    .description('the prompts that a server offers just now')
    .argument('<name>', NAME)
  addShared(command, PROMPTS_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { promptsCommand } = await import('../commands/servers/prompts.ts')
        return promptsCommand({ name, paths }, options, context)
      }),
  )
}

function addPrompt(servers: Command, launch: Launch): void {
  const command = servers
    .command('prompt')
    .description('print a prompt, filled in by its server')
    .argument('<name>', NAME)
    .argument('<prompt>', 'the name of the prompt, as `troupe servers prompts` lists it')
    .addOption(repeatable('--arg <key=value>', 'what it is filled in with'))
  addShared(command, PROMPT_EXAMPLES).action(
    (name: string, prompt: string, paths: readonly string[], options: PromptOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { promptCommand } = await import('../commands/servers/prompts.ts')
        return promptCommand({ name, prompt, paths }, options, context)
      }),
  )
}

function addLogin(servers: Command, launch: Launch): void {
  const command = servers.command('login').description('log in to a server').argument('<name>', NAME)
  addShared(command, LOGIN_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { loginCommand } = await import('../commands/servers/login.ts')
        return loginCommand({ name, paths }, options, context)
      }),
  )
}

function addLogout(servers: Command, launch: Launch): void {
  const command = servers
    .command('logout')
    .description('forget the login of a server')
    .argument('<name>', NAME)
  addShared(command, LOGOUT_EXAMPLES).action(
    (name: string, paths: readonly string[], options: ServersOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { logoutCommand } = await import('../commands/servers/login.ts')
        return logoutCommand({ name, paths }, options, context)
      }),
  )
}

function addLock(servers: Command, launch: Launch): void {
  const command = servers
    .command('lock')
    .description('note the tools that the servers offer in troupe.lock')
    .addOption(repeatable('--server <name>', 'only this server'))
    .option('--check', 'write nothing; 2 when the file is not up to date')
  addShared(command, LOCK_EXAMPLES).action(
    (paths: readonly string[], options: LockCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { lockCommand } = await import('../commands/servers/lock.ts')
        return lockCommand(paths, options, context)
      }),
  )
}

function addShared(command: Command, examples: string): Command {
  return addTeamOptions(command.argument('[paths...]', 'cards, or folders with cards; default: this folder'))
    .option('--json', 'print JSON')
    .option('--no-color', 'without colours')
    .addHelpText('after', examples)
}
