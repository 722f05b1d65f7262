import type { Host } from '@troupe/host'
import type { MetaMcp } from '@troupe/meta-mcp'
import { errorMessage } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { printReload, type MessageOptions } from '../reporter/reload.ts'
import { printServing, warn } from './print-serving.ts'

/** Updates the served agent after every valid edit of its files. Returns a function that stops watching. */
export async function watchTools(
  host: Host,
  {
    meta,
    name,
    options,
  }: { readonly meta: MetaMcp; readonly name: string; readonly options: MessageOptions },
  context: CommandContext,
): Promise<() => Promise<void>> {
  const watch = await host.watch({
    onReload: (reload) => {
      printReload(reload, options, context)
      if (reload.outcome !== 'taken') return
      try {
        const agent = host.definition(name)
        meta.update(agent)
        printServing(agent, { tools: meta.tools }, options, context)
      } catch (thrown) {
        warn(`${errorMessage(thrown)} Clients still see the tools that there were.`, context)
      }
    },
  })
  return () => watch.close()
}
