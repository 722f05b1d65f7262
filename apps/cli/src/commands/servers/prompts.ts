import type { ServerPrompt } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { tableLines } from '../../reporter/table.ts'
import type { ServersOptions } from './options.ts'
import { printWarnings } from './print-warnings.ts'
import { withHost } from './with-host.ts'

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
