import type { ServerPrompt, PromptMessage } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { tableLines } from '../../reporter/table.ts'
import { printWarnings, withHost, type ServersOptions } from './with-host.ts'
import { dataNote } from '../../reporter/answer.ts'
import { parsePromptArguments } from '../../input/option-values.ts'

/** Runs `troupe servers prompts <name> [paths…]`: lists the prompts that a server currently offers. */
export function promptsCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, options, context, async (host) => {
    const { prompts, warnings } = host.redact(await host.servers.prompts(name))
    printWarnings(warnings, context)
    const text = options.json === true ? JSON.stringify(prompts, null, 2) : toTable(prompts)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

function toTable(prompts: readonly ServerPrompt[]): string {
  if (prompts.length === 0) return 'This server has no prompts.'
  const columns = ['prompt', 'arguments', 'description'].map((title) => ({ title }))
  const rows = prompts.map((prompt) => [
    plainText(prompt.name),
    plainText(argumentsOf(prompt), { max: 80 }) || '-',
    plainText((prompt.description || prompt.title || '').trim().split('\n', 1)[0] ?? '', { max: 100 }),
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
  return withHost(paths, options, context, async (host) => {
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
