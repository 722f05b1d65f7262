import type { Host } from '@troupe/host'
import { errorMessage } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { RunPageLink } from '../reporter/live-reporter.ts'
import type { CommandContext } from '../terminal/context.ts'
import { findPage } from '../terminal/find-page.ts'

/** Returns the page of a run on a server of this machine that uses the same store. Opening it prints its address. */
export function runPage(host: Host, { terminal, openUrl }: CommandContext): RunPageLink {
  const { stream } = terminal.notes
  return {
    async find(runId) {
      const { port } = host.settings('server') ?? {}
      const page = await findPage(runId, { port: typeof port === 'number' ? port : undefined })
      return page === undefined ? undefined : `${page}#/runs/${encodeURIComponent(runId)}`
    },
    open(url) {
      stream.write(`${url}\n`)
      openUrl(url).catch((thrown: unknown) => {
        stream.write(`warning: ${url} could not be opened: ${plainText(errorMessage(thrown))}\n`)
      })
    },
  }
}
