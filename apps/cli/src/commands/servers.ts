import { relative } from 'node:path'
import type { ListedServer, OfferedTools, ServerPrompt, PromptMessage, LockedServer } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { ToolDefinition } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { withHost, type TeamOptions } from '../team/load-host.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { firstLine, tableLines } from '../reporter/table.ts'
import { dataNote } from '../reporter/end.ts'
import { parsePromptArguments } from '../input/option-values.ts'

/** The options of every `troupe servers` command. */
export interface ServersOptions extends TeamOptions {
  readonly json?: boolean
}

/** Prints warnings about a server on stderr. Secrets must already be removed. */
function printWarnings(warnings: readonly string[], { terminal }: CommandContext): void {
  for (const warning of warnings) terminal.stderr.write(`warning: ${plainText(warning)}\n`)
}

/** Runs `troupe servers list [paths…]`: lists the MCP servers of a team without starting them. */
export function listCommand(
  paths: readonly string[],
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, { options }, context, async (host) => {
    const servers = host.redact(await host.servers.list())
    const text = options.json === true ? JSON.stringify(servers, null, 2) : serverTable(servers)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

function serverTable(servers: readonly ListedServer[]): string {
  if (servers.length === 0) return 'This team has no MCP servers.'
  const columns = ['server', 'login', 'locked', 'agents', 'target'].map((title) => ({ title }))
  const rows = servers.map(({ name, disabled, login, locked, agents, target }) => [
    disabled ? `${name} (disabled)` : name,
    login ?? '-',
    locked === undefined ? '-' : `${locked} tools`,
    agents.join(', ') || '-',
    target,
  ])
  return tableLines(
    columns,
    rows.map((cells) => cells.map((cell) => plainText(cell, { max: 80 }))),
  ).join('\n')
}

/**
 * Runs `troupe servers tools <name> [paths…]`: lists the tools that a server currently offers, compared with
 * troupe.lock.
 */
export function toolsCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, { options }, context, async (host) => {
    const offered = await host.servers.tools(name)
    printWarnings(host.redact(offered.warnings), context)
    const rows = host.redact(offered.tools.map((tool) => toRow(tool, offered)))
    const text = options.json === true ? JSON.stringify(rows, null, 2) : serverToolTable(rows)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

interface ServerToolRow {
  readonly name: string
  readonly effect: string
  readonly lock: 'locked' | 'changed' | 'new' | 'none'
  readonly description: string
  readonly inputSchema: ToolDefinition['inputSchema']
}

function toRow(
  { name, server = '', effect, description, inputSchema }: ToolDefinition,
  { lock }: OfferedTools,
): ServerToolRow {
  const ownName = name.slice(`${server}__`.length)
  const lockState = lock === undefined ? 'none' : lockStateOf(ownName, lock)
  return { name, effect, lock: lockState, description, inputSchema }
}

function lockStateOf(
  ownName: string,
  { added, changed }: NonNullable<OfferedTools['lock']>,
): ServerToolRow['lock'] {
  if (changed.includes(ownName)) return 'changed'
  return added.includes(ownName) ? 'new' : 'locked'
}

function serverToolTable(rows: readonly ServerToolRow[]): string {
  if (rows.length === 0) return 'This server has no tools.'
  const columns = ['tool', 'effect', 'lock', 'description'].map((title) => ({ title }))
  const cells = rows.map(({ name, effect, lock, description }) => [
    plainText(name),
    effect,
    lock === 'none' ? '-' : lock,
    firstLine(description),
  ])
  return tableLines(columns, cells).join('\n')
}

/** Runs `troupe servers prompts <name> [paths…]`: lists the prompts that a server currently offers. */
export function promptsCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, { options }, context, async (host) => {
    const { prompts, warnings } = host.redact(await host.servers.prompts(name))
    printWarnings(warnings, context)
    const text = options.json === true ? JSON.stringify(prompts, null, 2) : promptTable(prompts)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

function promptTable(prompts: readonly ServerPrompt[]): string {
  if (prompts.length === 0) return 'This server has no prompts.'
  const columns = ['prompt', 'arguments', 'description'].map((title) => ({ title }))
  const rows = prompts.map((prompt) => [
    plainText(prompt.name),
    plainText(argumentsOf(prompt), { max: 80 }) || '-',
    firstLine(prompt.description || prompt.title || ''),
  ])
  return tableLines(columns, rows).join('\n')
}

/** Returns the names of the arguments, optional ones in brackets. */
function argumentsOf({ arguments: args }: ServerPrompt): string {
  return args.map(({ name, required }) => (required ? name : `[${name}]`)).join(', ')
}

export interface PromptOptions extends ServersOptions {
  /** Arguments, each as `key=value`. */
  readonly arg?: readonly string[]
}

/**
 * Runs `troupe servers prompt <name> <prompt> [paths…]`: prints the text of a prompt, rendered by its server.
 */
export function promptCommand(
  {
    name,
    prompt,
    paths,
  }: { readonly name: string; readonly prompt: string; readonly paths: readonly string[] },
  options: PromptOptions,
  context: CommandContext,
): Promise<number> {
  const args = parsePromptArguments(options.arg ?? [])
  const { stdout, stderr } = context.terminal
  return withHost(paths, { options }, context, async (host) => {
    const request = { prompt, args, signal: context.stop.signal }
    const { messages, warnings } = host.redact(await host.servers.prompt(name, request))
    printWarnings(warnings, context)
    if (options.json === true) {
      stdout.write(`${JSON.stringify(messages, null, 2)}\n`)
      return EXIT.completed
    }
    const text = textOf(messages)
    stdout.write(`${stdout.isTTY === true ? plainText(text, { lines: true }) : text}\n`)
    for (const note of notesOf(messages)) stderr.write(`${note}\n`)
    return EXIT.completed
  })
}

/** Returns the text of a prompt. Texts are labelled with their role if there are other roles than `user`. */
function textOf(messages: readonly PromptMessage[]): string {
  const isConversation = messages.some(({ role }) => role !== 'user')
  const texts = messages.flatMap((message) => {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    if (text === '') return []
    return [isConversation ? `${message.role}:\n${text}` : text]
  })
  return texts.join('\n\n')
}

function notesOf(messages: readonly PromptMessage[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'data' ? [dataNote(part)] : [])),
  )
}

/**
 * Runs `troupe servers login <name> [paths…]`: prints the login page, waits for the redirect of the browser,
 * and stores the login.
 */
export function loginCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context.terminal
  return withHost(paths, { options }, context, async (host) => {
    const { tools } = await host.servers.logIn(name, {
      signal: context.stop.signal,
      show: (url) =>
        stderr.write(
          `Open this page to log in to ${plainText(name)}:\n\n  ${url.href}\n\nWaiting for the login. Press Ctrl-C to cancel.\n`,
        ),
    })
    stdout.write(
      options.json === true
        ? `${JSON.stringify({ server: name, tools })}\n`
        : `Logged in to ${plainText(name)}: ${tools} tools.\n`,
    )
    return EXIT.completed
  })
}

/** Runs `troupe servers logout <name> [paths…]`: deletes the stored login of a server. */
export function logoutCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, { options }, context, async (host) => {
    const wasLoggedIn = await host.servers.logOut(name)
    const message = wasLoggedIn ? 'Logged out of' : 'No login was stored for'
    context.terminal.stdout.write(
      options.json === true
        ? `${JSON.stringify({ server: name, removed: wasLoggedIn })}\n`
        : `${message} ${plainText(name)}.\n`,
    )
    return EXIT.completed
  })
}

export interface LockCommandOptions extends ServersOptions {
  /** True to write nothing and exit with 2 if the file is out of date. */
  readonly check?: boolean
  /** Names of the servers to lock. Default: all. */
  readonly server?: readonly string[]
}

/**
 * Runs `troupe servers lock [paths…]`: writes the tools of the servers to troupe.lock. Returns 1 if a server
 * could not be reached.
 */
export function lockCommand(
  paths: readonly string[],
  options: LockCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { check = false, server: names } = options
  return withHost(paths, { options }, context, async (host) => {
    const { file, servers } = await host.servers.lock({
      write: !check,
      ...(names === undefined ? {} : { names }),
    })
    const redacted = host.redact(servers)
    const text =
      options.json === true
        ? JSON.stringify({ file, written: !check, servers: redacted }, null, 2)
        : [...redacted.flatMap(linesOf), endLine(relative(context.cwd, file), check)].join('\n')
    context.terminal.stdout.write(`${text}\n`)
    if (servers.some(({ failure }) => failure !== undefined)) return EXIT.failed
    return check && servers.some(hasDrift) ? EXIT.usage : EXIT.completed
  })
}

function linesOf({ name, tools, failure, ...drift }: LockedServer): readonly string[] {
  if (failure !== undefined) return [`${plainText(name)}: ${plainText(failure.message)}`]
  const signs = { added: '+', changed: '~', removed: '-' } as const
  const changes = (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    drift[kind].map((tool) => `  ${signs[kind]} ${plainText(tool)}`),
  )
  return [`${plainText(name)}: ${tools} tools${changes.length === 0 ? ', as locked' : ''}`, ...changes]
}

function endLine(file: string, check: boolean): string {
  return check ? `Nothing was written to ${file}.` : `Wrote ${file}.`
}

function hasDrift({ added, changed, removed }: LockedServer): boolean {
  return added.length + changed.length + removed.length > 0
}
