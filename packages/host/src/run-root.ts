import {
  createDiscardingLog,
  createLanes,
  createPast,
  createRootScope,
  createWaitingRoom,
  randomId,
  type OpenWaitingRoom,
} from '@troupe/core'
import { createRecorder, writeCassette, type Cassette, type Replay } from '@troupe/cassette'
import { redactValues } from '@troupe/env'
import type { InProcessExecutor } from '@troupe/registry'
import {
  failure,
  troupeError,
  TroupeError,
  type AgentDefinition,
  type ApprovalDecision,
  type Budget,
  type Clock,
  type Failure,
  type Lanes,
  type LogEntry,
  type Redactor,
  type RootApprover,
  type RootLog,
  type RootPast,
  type RootScope,
  type RootTape,
  type RunExecutor,
  type RunOptions,
  type RunReport,
  type RunEvent,
  type RunRequest,
  type RunResult,
  type RunStore,
} from '@troupe/schema'
import type { RememberedAnswers } from './approval/remembered-answers.ts'
import { reportBase } from './broken-report.ts'
import { beginTurn, sessionOf } from './conversation/begin-turn.ts'
import { isRefusal, type Conversations, type Turn } from './conversation/conversations.ts'
import type { RememberedConversations } from './conversation/remembered-conversations.ts'
import { storedConversations } from './conversation/stored-conversations.ts'
import { denyExpired, keepDecision } from './kept-approvals.ts'
import { collectUnpriced, failedReport, toReport } from './to-report.ts'

/** What all runs below a root have in common with it. */
export interface RootTeam {
  /** Starts its children. */
  readonly executor: RunExecutor
  readonly redactor: Redactor | undefined
  /** How much of a run of the agent is kept. */
  keeps(agent: string): AgentDefinition['store']
  /** Where the card of an agent stands. */
  placeOf(agent: string): string
}

/** One root run to start. */
export interface RootRun {
  readonly team: RootTeam
  readonly definition: AgentDefinition
  readonly input: string
  readonly options: RunOptions
  /** Starts the root itself; its children go to the executor of its team. */
  readonly starter: Pick<InProcessExecutor, 'run'>
  /** It stands for itself: no conversation goes on from it. */
  readonly isSingle?: true
}

/** The roots of a host: started here and, when the host closes, ended here. */
export interface RootRuns {
  /** Resolves for every outcome. Rejects when the store does not open a log for the run, or the host is closed. */
  start(run: RootRun): Promise<RunReport>
  /** Goes on with a root that was interrupted. The same, and rejects when another process runs it. */
  resume(
    run: Omit<RootRun, 'input'> & { readonly request: RunRequest; readonly store: RunStore },
  ): Promise<RunReport>
  /** Begins a root with what another one had done, and goes on from there. */
  fork(
    run: Omit<RootRun, 'input'> & {
      readonly request: RunRequest
      readonly prefix: readonly LogEntry[]
      readonly store: RunStore
    },
  ): Promise<RunReport>
  /** Plays a recorded root. Nothing of it is kept. */
  replay(
    run: Omit<RootRun, 'input'> & { readonly cassette: Cassette; readonly open: OpenReplay },
  ): Promise<RunReport>
  /** Decides on a call that waits: in the run where it is at work here, else in what is kept of it. Rejects with `approval_unknown`, `store_locked`. */
  decide(
    store: RunStore,
    call: { readonly rootRunId: string; readonly approvalId: string; readonly decision: ApprovalDecision },
  ): Promise<void>
  /** Stops the roots in flight and waits for their ends. */
  end(): Promise<void>
}

/** Makes the replay of a root, and what starts its runs; `stop` is called when it is not as it was recorded. */
export type OpenReplay = (stop: (reason: Failure) => void) => {
  readonly replay: Replay
  readonly executor: InProcessExecutor
}

/** The roots of one host: they share lanes, so that limits of a provider hold across them (decision 6), and nothing else. */
export function createRootRuns(parts: {
  readonly store: RunStore | undefined
  readonly clock: Clock
  readonly random: () => number
  readonly remembered: RememberedConversations
  readonly answers: RememberedAnswers
}): RootRuns {
  const lanes = createLanes(parts)
  const owner = randomId('host')
  const running = new Map<Promise<unknown>, AbortController>()
  const rooms = new Map<string, OpenWaitingRoom>()
  const stored = parts.store === undefined ? undefined : storedConversations(parts.store)
  const openLog = (runId: string, { team, definition, options }: RootRun): RootLog | Promise<RootLog> => {
    const detail = team.keeps(definition.name)
    return parts.store === undefined || detail === 'none'
      ? createDiscardingLog(runId)
      : parts.store.open(runId, owner, { detail, session: sessionOf(options, runId) })
  }
  const conversationsOf = ({ team, definition }: RootRun): Conversations =>
    team.keeps(definition.name) === 'full' ? (stored ?? parts.remembered) : parts.remembered
  const track = (begin: (stop: AbortController) => Promise<RunReport>): Promise<RunReport> => {
    const stop = new AbortController()
    const work = begin(stop)
    running.set(work, stop)
    return work.finally(() => running.delete(work))
  }
  const self: RootRuns = {
    start: (run) =>
      track(async (stop) => {
        const runId = run.options.runId ?? randomId('run')
        const turn = await beginTurn(run, { runId, conversations: conversationsOf(run) })
        if (isRefusal(turn)) return refuse(run, runId, turn)
        let result: RunResult | undefined
        const onResult = (ended: RunResult): void => void (result = ended)
        try {
          const log = await openLog(runId, run)
          const request = { ...toRequest(run, runId), ...(await pastOf(turn, log)) }
          const work = { ...run, request, log, onResult }
          const shared = { ...parts, lanes, rooms, stop }
          return await (run.options.record === undefined
            ? runRoot(work, shared)
            : recordRoot(work, run.options.record, shared))
        } catch (thrown) {
          if (TroupeError.isInstance(thrown) && thrown.code === 'session_busy')
            return refuse(run, runId, thrown.failure)
          throw thrown
        } finally {
          turn.end(result)
        }
      }),
    replay: (run) =>
      track(async (stop) => {
        const { cassette, open, definition, options } = run
        const { input, attachments, output, sessionId, headless, runId } = cassette
        const own = { ...options, ...definedOf({ attachments, output, sessionId, headless }) }
        const { history } = cassette
        const request = {
          ...toRequest({ ...run, input, definition, options: own }, runId),
          ...definedOf({ history }),
        }
        const { replay, executor } = open((reason) => stop.abort(reason))
        const team = { ...run.team, executor }
        const log = replay.log(createDiscardingLog(runId))
        const work = { ...run, options: own, team, starter: executor, request, log, tape: replay }
        const report = await runRoot(work, { ...parts, lanes, rooms, stop })
        const { mismatch } = replay
        return mismatch === undefined ? report : { ...report, outcome: 'failed', error: mismatch }
      }),
    fork: async ({ prefix, ...run }) => {
      const { request, store, definition, team } = run
      const detail = team.keeps(definition.name)
      if (detail !== 'full')
        throw troupeError(
          'run_not_resumable',
          `${definition.name} has \`store: ${detail}\`: its runs cannot be forked.`,
        )
      const { sessionId, principal } = request
      const log = await store.open(request.runId, owner, { session: { sessionId, principal } })
      for (const entry of prefix) log.write(entry)
      await log.durable()
      await log.close()
      return self.resume(run)
    },
    resume: (run) =>
      track(async (stop) => {
        const { request, store } = run
        const log = await store.open(request.runId, owner)
        const past = createPast(
          await eventsToGoOn({ store, log, rootRunId: request.runId }, parts.clock.now()),
          (runId) => log.steps(runId),
        )
        return runRoot({ ...run, log, past }, { ...parts, lanes, rooms, stop })
      }),
    async decide(store, { rootRunId, ...call }) {
      if (rooms.get(rootRunId)?.decide(call.approvalId, call.decision) === true) return
      // not that of the hosts: a root that is at work here has no such call
      const log = await store.open(rootRunId, randomId('decision'))
      try {
        await keepDecision(log, await store.events(rootRunId), { ...call, now: parts.clock.now() })
      } finally {
        await log.close()
      }
    },
    end: async () => {
      for (const stop of running.values()) stop.abort(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(running.keys())
    },
  }
  return self
}

/** Runs a root and writes it down. */
async function recordRoot(
  run: Parameters<typeof runRoot>[0],
  record: NonNullable<RunOptions['record']>,
  shared: Parameters<typeof runRoot>[1],
): Promise<RunReport> {
  const { redactor } = run.team
  const { headless = false, wait = false } = run.options
  const seal = (text: string): string => redactor?.seal(text) ?? text
  const { history } = run.request
  const recorder = createRecorder({
    seal,
    headless,
    ...(history === undefined ? {} : { history: redactValues(history, seal) }),
  })
  // the recorder wants steps, also where no store keeps what a run that waits goes on from
  const options = { ...run.options, wait: wait && run.log.keeps }
  const report = await runRoot({ ...run, options, log: recorder.log(run.log), tape: recorder }, shared)
  if (report.error?.code !== 'run_waiting') await record(writeCassette(recorder.cassette()))
  return report
}

/** The report of a run that its conversation does not let begin. */
function refuse({ definition, options }: RootRun, runId: string, reason: Failure): RunReport {
  return failedReport(reason, reportBase(definition, { ...options, runId }))
}

/** What the run starts from, now that its log is open. */
async function pastOf(turn: Turn, log: RootLog): Promise<Pick<RunRequest, 'history' | 'continues'>> {
  try {
    return await turn.past()
  } catch (thrown) {
    await log.close()
    throw thrown
  }
}

function definedOf<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

async function runRoot(
  run: Omit<RootRun, 'input'> & {
    readonly request: RunRequest
    readonly log: RootLog
    /** A root that goes on; its listener hears from the beginning. */
    readonly past?: RootPast
    /** Records the root, or plays it. */
    readonly tape?: RootTape
    onResult?(result: RunResult): void
  },
  shared: {
    readonly clock: Clock
    readonly random: () => number
    readonly lanes: Lanes
    readonly rooms: Map<string, OpenWaitingRoom>
    readonly answers: RememberedAnswers
    readonly stop: AbortController
  },
): Promise<RunReport> {
  const { starter, team, request, log, past, tape } = run
  const { headless = request.headless } = run.options
  const definition = withTimeout(run.definition, run.options.timeout)
  const { runId } = request
  const waiting = mayWait(run) ? createWaitingRoom({ clock: shared.clock, leave }) : undefined
  const approve = approverOf({ ...run, headless, waits: waiting !== undefined }, shared.answers)
  const options = { ...run.options, ...definedOf({ headless, approve }) }
  if (waiting !== undefined) shared.rooms.set(runId, waiting)
  const unsubscribe =
    options.onEvent === undefined
      ? undefined
      : log.subscribe(options.onEvent, {
          deltas: options.deltas ?? true,
          ...(past === undefined ? {} : { after: 0 }),
        })
  const unlink = link(options.signal, (reason) => {
    // before it stops: what it says of its end is not what a resume shall find
    const { resumable = false } = options
    const goesOn = typeof resumable === 'function' ? resumable(reason) : resumable
    if (goesOn && log.keeps) log.leave?.()
    shared.stop.abort(reason)
  })
  const unpriced = collectUnpriced()
  let closing: unknown
  function leave(approvalIds: readonly string[]): void {
    // what the run says of its end from here on is not kept: it goes on some time
    closing = log.close()
    shared.stop.abort(waitingFailure(runId, approvalIds))
  }
  try {
    const result = await starter.run(definition, request, {
      root: toRoot(definition, options, { ...shared, ...team, log, past, tape, waiting }),
      control: { signal: shared.stop.signal, deadline: undefined, account: unpriced },
    })
    run.onResult?.(result)
    const { format } = request.output ?? definition.output
    return toReport(result, { format, sessionId: request.sessionId, unpriced })
  } finally {
    unlink()
    unsubscribe?.()
    shared.rooms.delete(runId)
    await closing
    await log.close()
  }
}

/** Whoever approves is not asked twice for what holds longer than its call; where nobody is there, only what is not known waits. */
function approverOf(
  {
    options: { approve },
    team,
    request,
    headless,
    waits,
  }: Pick<RootRun, 'options' | 'team'> & {
    readonly request: RunRequest
    readonly headless: boolean | undefined
    readonly waits: boolean
  },
  answers: RememberedAnswers,
): RootApprover | undefined {
  const { sessionId, principal } = request
  const root = { session: { sessionId, principal }, placeOf: team.placeOf }
  if (approve !== undefined) return answers.forRoot(approve, root)
  return waits && headless !== true ? (call) => answers.known(call, root) : undefined
}

/** Only what is kept as a whole can be left and taken up again. */
function mayWait({ options, log }: Pick<RootRun, 'options'> & { readonly log: RootLog }): boolean {
  const { wait, approve, ask } = options
  return wait === true && (approve === undefined || ask === undefined) && log.keeps
}

function waitingFailure(runId: string, approvalIds: readonly string[]): Failure {
  const [first = '', ...others] = approvalIds
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return failure(
    'run_waiting',
    `The run waits for a decision on ${first}${more}.`,
    `Decide, and it goes on: troupe runs approve ${runId} ${first}`,
  )
}

/** What has happened so far; calls that nobody has decided on in time are denied by now. */
async function eventsToGoOn(
  { store, log, rootRunId }: { readonly store: RunStore; readonly log: RootLog; readonly rootRunId: string },
  now: number,
): Promise<readonly RunEvent[]> {
  const events = await store.events(rootRunId)
  if (!(await denyExpired(log, events, now))) return events
  await log.durable()
  return store.events(rootRunId)
}

function toRequest({ definition, input, options }: RootRun, runId: string): RunRequest {
  return {
    runId,
    rootRunId: runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input,
    ...(options.attachments === undefined ? {} : { attachments: options.attachments }),
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.model === undefined ? {} : { team: { model: options.model } }),
    ...(options.headless === true ? { headless: true as const } : {}),
    ...(definition.type === 'agent' ? {} : { composed: true }),
    ancestry: [],
    ...sessionOf(options, runId),
  }
}

function toRoot(
  definition: AgentDefinition,
  {
    approve,
    ask,
    budget,
    headless,
  }: Pick<RunOptions, 'ask' | 'budget' | 'headless'> & Pick<RootScope, 'approve'>,
  parts: {
    readonly log: RootLog
    readonly executor: RunExecutor
    readonly clock: Clock
    readonly random: () => number
    readonly lanes: Lanes
    readonly redactor: Redactor | undefined
    readonly past: RootPast | undefined
    readonly tape: RootTape | undefined
    readonly waiting: OpenWaitingRoom | undefined
  },
): RootScope {
  const { limits } = definition
  const root = createRootScope({ ...parts, limits, approve, headless, ask, budget: checked(budget) })
  // the root, or all that had begun
  const begun = parts.past?.size ?? 1
  for (let count = 0; count < begun; count += 1) root.purse.openRun(root.maxRuns)
  return root
}

/** Nothing below 0 and nothing that is no number: such a cap would be no cap. */
function checked(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key}: ${String(value)} is not a number above 0.`)
  }
  return budget
}

function withTimeout(definition: AgentDefinition, timeout: number | undefined): AgentDefinition {
  return timeout === undefined
    ? definition
    : Object.freeze({ ...definition, limits: { ...definition.limits, timeout } })
}

/** Calls `stop` when the caller's signal aborts; the answer lets go of the signal. */
function link(signal: AbortSignal | undefined, stop: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => undefined
  const abort = (): void => stop(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}
