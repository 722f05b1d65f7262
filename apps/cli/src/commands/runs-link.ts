import { randomUUID } from 'node:crypto'
import { openRequests, troupeError } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { formatDuration, plainText } from '@troupe/timeline'
import { parseVariables } from '../input/option-values.ts'
import { withRun } from '../run-store/open-store.ts'
import { readOrigin } from '../team/run-note.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { findPage } from '../terminal/find-page.ts'
import { findApproval, type RunsApproveOptions } from './runs-approve.ts'

/** Receiver of the link in the log of decisions. */
const SENT_TO = 'an unknown person'

/**
 * Runs `troupe runs approve RUN [APPROVAL] --link`: prints a link with which its holder allows or denies the call
 * once, and until when it is valid.
 */
export function runsLinkCommand(
  { run, approval }: { readonly run: string; readonly approval: string | undefined },
  options: RunsApproveOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, clock } = context
  return withRun(run, { options, context }, async ({ rootRunId, session }, store) => {
    const { approvalId } = findApproval(openRequests(await store.events(rootRunId)), rootRunId, approval)
    if (session === undefined)
      throw troupeError('run_unknown', `The run ${rootRunId} is not stored in full, so it has no link.`)
    const page = await findPageAddress(rootRunId, { store, options }, context)
    const { createStoredLink } = await import('@troupe/server')
    const { url, expiresAt } = await createStoredLink(
      { runId: rootRunId, principal: session.principal, approvalId, sentTo: SENT_TO, page },
      { store, clock, newId: () => `link_${randomUUID()}` },
    )
    if (options.json === true) {
      terminal.stdout.write(`${JSON.stringify({ runId: rootRunId, approvalId, url, expiresAt })}\n`)
      return EXIT.completed
    }
    terminal.stdout.write(`${plainText(url)}\n`)
    if (options.quiet !== true)
      terminal.stderr.write(
        `The link can be used once, within ${formatDuration(expiresAt - clock.now())}. Its holder can decide without a token.\n`,
      )
    return EXIT.completed
  })
}

/**
 * Returns the address of the page: `server.publicUrl` of the team of the run, else that of a server on this
 * machine that uses the same store.
 */
async function findPageAddress(
  rootRunId: string,
  { store, options }: { readonly store: RunStore; readonly options: RunsApproveOptions },
  context: CommandContext,
): Promise<string> {
  const [{ configuredServer }, { readServerConfig }, { note }] = await Promise.all([
    import('@troupe/host'),
    import('@troupe/server'),
    readOrigin(store, rootRunId),
  ])
  const { home, env } = context
  const config = note?.options.config
  const { publicUrl, port } = readServerConfig(
    configuredServer({
      cards: note?.cards ?? ['.'],
      cwd: note?.cwd ?? context.cwd,
      env,
      envOverrides: parseVariables(options.env ?? []),
      envFiles: note?.options.envFile ?? [],
      ...(config === undefined ? {} : { config }),
      ...(home === undefined ? {} : { home }),
    }),
  )
  const page = publicUrl ?? (await findPage(rootRunId, { port }))
  if (page !== undefined) return page.replace(/\/+$/u, '')
  throw troupeError('usage_invalid', 'The address of the page is not known, so there can be no link.', {
    fix: 'Set `server.publicUrl` in troupe.json to the address of a server that uses the same store.',
  })
}
