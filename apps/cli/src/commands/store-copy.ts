import { toFailure, troupeError, type ErrorCode, type Failure, type RunEvent } from '@troupe/schema'
import type { RootRunRecord, RunStore, RunTreeLog, SessionKey } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { printFailure } from '../reporter/end.ts'
import { namedLocation, openStore, storeExists } from '../run-store/open-store.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

export interface StoreCopyOptions {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Result of copying the runs of a store. */
interface CopySummary {
  copied: number
  events: number
  /** Number of runs that the target has already. */
  existing: number
  /** Number of runs that a process has open. */
  open: number
  readonly failed: (Pick<Failure, 'code' | 'message'> & { readonly runId: string })[]
}

/**
 * Runs `troupe store copy FROM TO`: copies the closed root runs of a store with their events, steps,
 * sessions, labels and names of conversations. Skips runs that the target has already. Returns 1 if a run could not be copied.
 */
export async function storeCopyCommand(
  { from, to }: { readonly from: string; readonly to: string },
  options: StoreCopyOptions,
  context: CommandContext,
): Promise<number> {
  const location = namedLocation(from, context)
  if (!storeExists(location))
    throw troupeError('store_unavailable', `${location.name}: no runs are saved there.`)
  const source = await openStore(location, context)
  try {
    const target = await openStore(namedLocation(to, context), context)
    try {
      const summary = await copyRuns({ source, target }, options, context)
      const text = options.json === true ? JSON.stringify(summary) : summaryLine(summary)
      context.terminal.stdout.write(`${text}\n`)
      return context.stop.exitCode ?? (summary.failed.length === 0 ? EXIT.completed : EXIT.failed)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function summaryLine({ copied, events, existing, open, failed }: CopySummary): string {
  const parts = [
    `${copied} ${copied === 1 ? 'run' : 'runs'} copied (${events} events)`,
    ...(existing === 0 ? [] : [`${existing} skipped because the target has them`]),
    ...(open === 0 ? [] : [`${open} skipped because they are in progress`]),
    ...(failed.length === 0 ? [] : [`${failed.length} not copied because of errors`]),
  ]
  return parts.join(', ')
}

/** The stores of a copy. */
interface CopiedStores {
  readonly source: RunStore
  readonly target: RunStore
}

/** Time in ms after which a line of progress is printed. */
const PROGRESS_MS = 2000

/** Errors of one run, after which the other runs can still be copied. */
const RUN_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'store_corrupt',
  'store_full',
  'store_locked',
  'session_busy',
  'usage_invalid',
])

/** Copies runs in the order in which they started, so that the target lists them in the same order. */
async function copyRuns(
  stores: CopiedStores,
  { quiet }: StoreCopyOptions,
  context: CommandContext,
): Promise<CopySummary> {
  const { terminal, clock, stop } = context
  const summary: CopySummary = { copied: 0, events: 0, existing: 0, open: 0, failed: [] }
  const roots = await stores.source.roots()
  const present = new Map((await stores.target.roots()).map((root) => [root.rootRunId, root]))
  let printedAt = clock.monotonic()
  for (const [index, root] of roots.entries()) {
    if (stop.exitCode !== undefined) break
    if (quiet !== true && clock.monotonic() - printedAt >= PROGRESS_MS) {
      printedAt = clock.monotonic()
      terminal.stderr.write(`${index} of ${roots.length} runs\n`)
    }
    try {
      await copyUnlessPresent(root, { ...stores, present: present.get(root.rootRunId) }, summary)
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (!RUN_ERRORS.has(reason.code)) throw thrown
      const { code, message } = reason
      summary.failed.push({ runId: root.rootRunId, code, message })
      printFailure({ ...reason, message: plainText(`${root.rootRunId}: ${message}`) }, terminal, 'error')
    }
  }
  await copySessionEntries(stores)
  return summary
}

/** Copies names and other properties of sessions, except of those that have some in the target. */
async function copySessionEntries({ source, target }: CopiedStores): Promise<void> {
  const keyOf = ({ principal, sessionId }: SessionKey): string => JSON.stringify([principal, sessionId])
  const present = new Set((await target.sessions.list()).map(keyOf))
  for (const entry of await source.sessions.list())
    if (!present.has(keyOf(entry))) await target.sessions.set(entry, entry)
}

async function copyUnlessPresent(
  root: RootRunRecord,
  { source, target, present }: CopiedStores & { readonly present: RootRunRecord | undefined },
  summary: CopySummary,
): Promise<void> {
  if (root.open) summary.open += 1
  else if (present !== undefined && !(await isUnfinishedCopy(root, present, { source, target })))
    summary.existing += 1
  else {
    if (present !== undefined) await target.purge([root.rootRunId])
    summary.events += await copyRun(root, { source, target })
    summary.copied += 1
  }
}

/**
 * Returns true if the run of the target is the beginning of the one of the source, because an earlier copy was
 * interrupted, or the run was resumed in the source.
 */
async function isUnfinishedCopy(
  { rootRunId, lastSeq }: RootRunRecord,
  present: RootRunRecord,
  { source, target }: CopiedStores,
): Promise<boolean> {
  if (present.open || present.lastSeq >= lastSeq) return false
  if (present.lastSeq === 0) return true
  const range = { after: present.lastSeq - 1, limit: 1 }
  const [ours, theirs] = [await source.events(rootRunId, range), await target.events(rootRunId, range)]
  return JSON.stringify(ours) === JSON.stringify(theirs)
}

/**
 * Copies a run and returns the number of its events. They are all read first, so that nothing is written of a
 * damaged run. The steps are written before the events, so that a run with all events is complete.
 */
async function copyRun(root: RootRunRecord, { source, target }: CopiedStores): Promise<number> {
  const { rootRunId, session, detail, label } = root
  // a run that is accepted but has not started has a step and no event
  const runIds = new Set([rootRunId])
  for await (const page of eventPages(source, rootRunId)) for (const { runId } of page) runIds.add(runId)
  const log = await target.open(rootRunId, 'troupe store copy', {
    detail,
    ...(session === undefined ? {} : { session }),
  })
  let isCopied = false
  try {
    for (const runId of runIds) await copySteps(runId, { log, steps: await source.steps(rootRunId, runId) })
    let count = 0
    for await (const page of eventPages(source, rootRunId)) {
      for (const { seq: _, ...event } of page) log.append({ runId: event.runId, event })
      await log.waitForCommit()
      count += page.length
    }
    if (label !== undefined) await target.setLabel(rootRunId, label)
    isCopied = true
    return count
  } finally {
    await log.close()
    if (!isCopied) await target.purge([rootRunId])
  }
}

async function copySteps(
  runId: string,
  { log, steps }: { readonly log: RunTreeLog; readonly steps: Awaited<ReturnType<RunStore['steps']>> },
): Promise<void> {
  for (const [key, value] of steps) log.append({ runId, step: { key, value } })
  await log.waitForCommit()
}

const PAGE = 500

async function* eventPages(store: RunStore, rootRunId: string): AsyncGenerator<readonly RunEvent[]> {
  for (let after = 0; ; after += PAGE) {
    const page = await store.events(rootRunId, { after, limit: PAGE })
    if (page.length > 0) yield page
    if (page.length < PAGE) return
  }
}
