import { createOnceCalls, type OpenOnceCalls, type OpenWaitingRoom, type Stop } from '@troupe/core'
import {
  failure,
  type Account,
  type AgentDefinition,
  type Failure,
  type RunControl,
  type RunReport,
} from '@troupe/schema'
import { collectUnpriced, toReport } from '../runs/to-report.ts'
import { onAbort } from './on-abort.ts'
import type { OpenedRoot } from './root-run.ts'
import { openRoom } from './root-room.ts'
import type { RootsContext } from './roots-context.ts'
import { toRootScope, type RootPeople } from './to-root-scope.ts'

/** Runs a root, whatever it is: one that starts, goes on, is recorded or is played. Its log is closed when the answer is there. */
export async function runRoot(root: OpenedRoot, context: RootsContext, stop: Stop): Promise<RunReport> {
  const { starter, request, log, options } = root
  const definition = withTimeout(root.definition, options.timeout)
  const unpriced = collectUnpriced()
  const room = openRoom(root, context, stop)
  const stopWatching = watch(root)
  const unlink = onAbort(options.signal, (reason) => interrupt(root, stop, reason))
  const onceCalls = openOnceCalls(root, context, stop)
  try {
    const scope = toRootScope({ ...root, definition }, context, {
      ...toPeople(root, context, room.waiting),
      onceCalls,
    })
    const control = new RootControl(stop, unpriced)
    const result = await starter.run(definition, request, { root: scope, control })
    root.onResult?.(result)
    const { format } = request.output ?? definition.output
    return toReport(result, { format, sessionId: request.sessionId, unpriced })
  } finally {
    unlink()
    context.onceCalls.delete(onceCalls)
    // a root that is left says so when that is kept
    await room.close()
    stopWatching()
    await log.close()
  }
}

/** Tracks the `once` calls of a root. One that reaches a call that may not start is interrupted before it. */
function openOnceCalls(root: OpenedRoot, context: RootsContext, stop: Stop): OpenOnceCalls {
  const onceCalls = createOnceCalls(() =>
    interrupt(root, stop, failure('run_cancelled', 'The process is ending.')),
  )
  if (context.holdsOnceCalls) onceCalls.close()
  context.onceCalls.add(onceCalls)
  return onceCalls
}

/** What holds a root. A class, as every root has one, and its signal is only made where somebody reads it. */
class RootControl implements RunControl {
  readonly stop: Stop
  readonly deadline = undefined
  readonly account: Account

  constructor(stop: Stop, account: Account) {
    this.stop = stop
    this.account = account
  }

  get signal(): AbortSignal {
    return this.stop.signal
  }
}

/** Whoever approves is not asked twice for what holds longer than its call; where nobody is there, only what is not known waits. */
function toPeople(
  { team, request, options }: OpenedRoot,
  { answers }: RootsContext,
  waiting: OpenWaitingRoom | undefined,
): RootPeople {
  // what a root was begun with holds when it goes on
  const { approve, ask, headless = request.headless } = options
  const { sessionId, principal } = request
  const root = { session: { sessionId, principal }, placeOf: team.placeOf }
  const people = { ask, headless, waiting }
  if (approve !== undefined) return { ...people, approve: answers.forRoot(approve, root) }
  const waits = waiting !== undefined && headless !== true
  return { ...people, approve: waits ? (call) => answers.known(call, root) : undefined }
}

function withTimeout(definition: AgentDefinition, timeout: number | undefined): AgentDefinition {
  return timeout === undefined
    ? definition
    : Object.freeze({ ...definition, limits: { ...definition.limits, timeout } })
}

/** Tells the caller's listener; of a root that goes on from its beginning. */
function watch({ options: { onEvent, deltas = true }, log, past }: OpenedRoot): () => void {
  if (onEvent === undefined) return () => undefined
  return log.subscribe(onEvent, { deltas, ...(past === undefined ? {} : { after: 0 }) })
}

/** Stops the root at the request of its caller: for good, or so that it can be resumed. */
function interrupt({ options, log, request }: OpenedRoot, stop: Stop, reason: unknown): void {
  const { resumable = false } = options
  const goesOn = typeof resumable === 'function' ? resumable(reason) : resumable
  if (!goesOn || !log.keeps || log.leave === undefined) {
    // a caller may abort with anything: the run makes a failure of it
    stop.stop(reason as Failure)
    return
  }
  // detach the log first, so that the end of the run is not saved and a resume finds none
  log.leave()
  stop.stop(interrupted(request.runId, reason))
}

function interrupted(runId: string, reason: unknown): Failure {
  const { code, message } = (reason ?? {}) as Partial<Failure>
  // the reason of a bare `abort()` says nothing
  const why = typeof code === 'string' ? `: ${message}` : '.'
  return failure(
    'run_interrupted',
    `The run was interrupted${why}`,
    `Resume it: troupe run --resume ${runId}`,
  )
}
