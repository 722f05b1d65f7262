import type { ServerPrompt } from '@troupe/mcp'
import { closest, troupeError } from '@troupe/schema'

/** A prompt requested from a server. */
export interface RequestedPrompt {
  readonly server: string
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

/** Throws `mcp_unknown_prompt`, or `mcp_prompt_arguments` for missing or unknown arguments. */
export function checkPrompt({ server, name, args }: RequestedPrompt, offered: readonly ServerPrompt[]): void {
  const prompt = offered.find((each) => each.name === name)
  if (prompt === undefined) throw unknownPrompt({ server, name }, offered)
  const known = prompt.arguments.map((argument) => argument.name)
  const extra = Object.keys(args).find((given) => !known.includes(given))
  if (extra !== undefined) throw unknownArgument({ prompt: name, argument: extra }, known)
  const missing = prompt.arguments.filter((each) => each.required && !Object.hasOwn(args, each.name))
  if (missing.length === 0) return
  const descriptions = missing.map((each) =>
    each.description === '' ? each.name : `${each.name} (${each.description})`,
  )
  throw troupeError('mcp_prompt_arguments', `The prompt "${name}" needs ${descriptions.join(' and ')}.`)
}

function unknownPrompt(
  { server, name }: Pick<RequestedPrompt, 'server' | 'name'>,
  offered: readonly ServerPrompt[],
): Error {
  const names = offered.map((each) => each.name)
  return troupeError(
    'mcp_unknown_prompt',
    `The MCP server "${server}" has no prompt "${name}"${hint(name, names)} It has: ${names.join(', ') || 'none'}.`,
  )
}

function unknownArgument(
  { prompt, argument }: { readonly prompt: string; readonly argument: string },
  known: readonly string[],
): Error {
  const taken = known.length === 0 ? 'It takes none.' : `It takes: ${known.join(', ')}.`
  return troupeError(
    'mcp_prompt_arguments',
    `The prompt "${prompt}" takes no argument "${argument}"${hint(argument, known)} ${taken}`,
  )
}

function hint(name: string, names: readonly string[]): string {
  const meant = closest(name, names)
  return meant === undefined ? '.' : `; did you mean "${meant}"?`
}
