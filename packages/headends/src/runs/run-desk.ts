import {
  failure,
  getOwn,
  toFailure,
  troupeError,
  type ApprovalDecision,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type RunStore,
  type StoredRoot,
} from '@troupe/schema'
import type { HeadendContext } from '../headend.ts'
import { createRunHub, type RunHub } from './run-hub.ts'
import type { RunFork, RunHost } from './run-host.ts'
import { readRequest, type KeptRequest } from './kept-request.ts'
import { readSummary, readView, type RunSummary, type RunView } from './run-summary.ts'

/** A run to start. */
export interface DeskRun {
  readonly agent: string
  readonly input: string | JsonObject
  readonly principal: string
  readonly options: Omit<
    RunOptions,
    'signal' | 'onEvent' | 'approve' | 'ask' | 'wait' | 'resumable' | 'principal'
  >
}

/** A run that was asked for: it is at work, or it waits for room. Its report comes when it has ended. */
export interface StartedRun {
  readonly runId: string
  readonly state: 'running' | 'queued'
}

/** The prompt of one agent of a run. */
export interface RunPrompt {
  readonly agent: string
  readonly prompt: string
}

/** Runs that belong to nobody's connection: they are started, watched, stopped and decided on by their ids. */
export interface RunDesk extends Pick<RunHub, 'join'> {
  /** Resolves when the run is at work or waits for room; a run that ends before anything of it is kept gives its report. Rejects on misuse. */
  start(run: DeskRun): Promise<StartedRun | RunReport>
  /** The runs of a principal, the last begun first. */
  list(principal: string, limit: number): Promise<readonly RunSummary[]>
  /** Rejects with `run_unknown`, also for a run of somebody else; so do all that follow. */
  view(runId: string, principal: string): Promise<RunView>
  /** How a run stands, without what it gave. */
  look(runId: string, principal: string): Promise<Pick<RunView, 'state' | 'lastSeq'>>
  /** Ends a run for good. One that has ended stays as it is. */
  stop(runId: string, principal: string): Promise<void>
  /** Starts the same again, as a new run. */
  retry(runId: string, principal: string): Promise<StartedRun | RunReport>
  /** Goes on from a turn of a run as a new run: what came before is taken over and not paid again. */
  fork(
    fork: Pick<RunFork, 'at' | 'acceptChanges' | 'prompts'> & { readonly runId: string },
    principal: string,
  ): Promise<StartedRun | RunReport>
  /** The prompts that the agents of a run had, as far as they are known now. */
  prompts(runId: string, principal: string): Promise<readonly RunPrompt[]>
  /** Decides on a call that waits; the run goes on. */
  decide(
    call: { readonly runId: string; readonly approvalId: string; readonly decision: ApprovalDecision },
    principal: string,
  ): Promise<void>
  /** Goes on with runs of this desk that no process works on any more: after a crash. Resolves with how many there are. */
  recover(): Promise<number>
  isLive(runId: string): boolean
  /** Interrupts all runs; what is kept of them can be resumed. */
  close(): Promise<void>
}

/** A run at work here. */
interface LiveRun {
  readonly principal: string
  /** How it stands until something of it is kept; none: something is. */
  readonly queued?: RunView
  readonly stop: AbortController
  readonly done: Promise<unknown>
}

/** What is kept with a run of a desk, so that it is known again. */
const NOTE = { detached: true } as const
/** How long a caller waits for the first news of its run, in ms. */
const FIRST_NEWS_MS = 250

/** Who pays for runs that do not come through the runner of the context: those that are gone on with, and forks. */
export interface RunPurse {
  /** Rejects where the principal may not begin another run. */
  open(principal: string): Promise<void>
  close(principal: string, report: RunReport): void
}

/** Opens a desk over a host that keeps its runs in this store. */
export function createRunDesk({
  host,
  store,
  context,
  purse,
}: {
  /** Whose `run` is that of the context. */
  readonly host: RunHost
  readonly store: RunStore
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'onError'>
  readonly purse?: RunPurse
}): RunDesk {
  const hub = createRunHub()
  const live = new Map<string, LiveRun>()
  // runs that were decided on while they were being left
  const decided = new Set<string>()

  /** Runs something of this id until it ends or is left, and tells those who watch. */
  function work(
    runId: string,
    { principal, queued }: Pick<LiveRun, 'principal' | 'queued'>,
    begin: (options: Pick<RunOptions, 'signal' | 'onEvent' | 'wait' | 'resumable'>) => Promise<RunReport>,
  ): { readonly news: Promise<void>; readonly done: Promise<RunReport> } {
    const stop = new AbortController()
    let tellNews: (() => void) | undefined
    const news = new Promise<void>((resolve) => {
      tellNews = resolve
    })
    const done = begin({
      signal: stop.signal,
      wait: true,
      resumable: true,
      onEvent(event) {
        tellNews?.()
        hub.tell(event)
      },
    }).finally(() => live.delete(runId))
    const ended = done.then(
      ({ error }) => {
        if (decided.delete(runId) && error?.code === 'run_waiting') goOn(runId, principal)
      },
      () => decided.delete(runId),
    )
    live.set(runId, { principal, stop, done: ended, ...(queued === undefined ? {} : { queued }) })
    return { news, done }
  }

  async function start({ agent, input, principal, options }: DeskRun): Promise<StartedRun | RunReport> {
    const runId = options.runId ?? context.newId('run')
    const queued = queuedView(runId, { agent, input, options }, context.clock.now())
    const { news, done } = work(runId, { principal, queued }, (own) =>
      context.runner.run(agent, input, {
        ...options,
        ...own,
        runId,
        principal,
        note: { ...options.note, ...NOTE },
      }),
    )
    return begun(runId, { news, done })
  }

  /** What is known of a run that was just begun. */
  async function begun(
    runId: string,
    { news, done }: { readonly news: Promise<void>; readonly done: Promise<RunReport> },
  ): Promise<StartedRun | RunReport> {
    const first = await firstOf(done, news)
    if (first !== undefined && first.error?.code !== 'run_waiting' && !(await isKept(runId))) return first
    return { runId, state: first === undefined && !(await isKept(runId)) ? 'queued' : 'running' }
  }

  /** The report, where it comes before any other news. A report that comes later is nobody's answer. */
  async function firstOf(done: Promise<RunReport>, news: Promise<void>): Promise<RunReport | undefined> {
    let cancel: (() => void) | undefined
    const late = new Promise<undefined>((resolve) => {
      cancel = context.clock.after(FIRST_NEWS_MS, () => resolve(undefined))
    })
    try {
      return await Promise.race([done, news.then(() => undefined), late])
    } finally {
      cancel?.()
      done.catch((thrown: unknown) => context.onError?.(thrown))
    }
  }

  async function isKept(runId: string): Promise<boolean> {
    return (await store.events(runId, { limit: 1 })).length > 0
  }

  function goOn(runId: string, principal: string): void {
    if (live.has(runId)) return
    const { done } = work(runId, { principal }, (options) => host.resume(runId, options))
    done.then(
      (report) => purse?.close(principal, report),
      (thrown: unknown) => context.onError?.(thrown),
    )
  }

  /** How a run stands of which nothing is kept yet. */
  async function queuedAt(runId: string, principal: string): Promise<RunView | undefined> {
    const waiting = live.get(runId)
    if (waiting?.principal !== principal || waiting.queued === undefined) return undefined
    return (await isKept(runId)) ? undefined : waiting.queued
  }

  /** The root of an id, where it belongs to the principal. */
  async function find(runId: string, principal: string): Promise<StoredRoot> {
    const [root] = await store.roots({ principal, rootRunId: runId })
    if (root === undefined) throw troupeError('run_unknown', `There is no run ${runId.slice(0, 100)}.`)
    return root
  }

  async function end(runId: string): Promise<void> {
    const stopped = AbortSignal.abort(failure('run_cancelled', 'The run was stopped.'))
    try {
      await host.resume(runId, { signal: stopped, onEvent: hub.tell })
    } catch (thrown) {
      const { code } = toFailure(thrown)
      // nothing of it is kept, or only that it was: it has ended with its work
      if (code !== 'run_unknown' && code !== 'run_not_resumable') throw thrown
    }
  }

  return {
    join: hub.join,
    start,
    isLive: (runId) => live.has(runId),
    async list(principal, limit) {
      const roots = (await store.roots({ principal })).toReversed()
      const summaries: RunSummary[] = []
      for (const root of roots) {
        if (summaries.length === limit) break
        const summary = await readSummary(store, root)
        if (summary !== undefined) summaries.push(summary)
      }
      return summaries
    },
    async look(runId, principal) {
      const queued = await queuedAt(runId, principal)
      if (queued !== undefined) return queued
      const root = await find(runId, principal)
      const summary = await readSummary(store, root)
      if (summary === undefined) throw troupeError('run_unknown', `There is no run ${runId}.`)
      return { state: summary.state, lastSeq: root.lastSeq }
    },
    async view(runId, principal) {
      const queued = await queuedAt(runId, principal)
      if (queued !== undefined) return queued
      const root = await find(runId, principal)
      const view = await readView(store, root)
      if (view === undefined) throw troupeError('run_unknown', `There is no run ${runId}.`)
      return view
    },
    async stop(runId, principal) {
      const running = live.get(runId)
      if (running?.principal === principal) {
        running.stop.abort(failure('run_cancelled', 'The run was stopped.'))
        await running.done
      }
      const root = await find(runId, principal)
      if ((await readSummary(store, root))?.durationMs === undefined) await end(runId)
    },
    async retry(runId, principal) {
      await find(runId, principal)
      const kept = await readRequest(store, runId)
      if (kept === undefined)
        throw troupeError('run_not_resumable', `Only metadata is kept of the run ${runId}.`)
      const { agent, input, output, attachments, team, note } = kept
      const options = {
        ...(output === undefined ? {} : { output }),
        ...(attachments === undefined ? {} : { attachments }),
        ...(team?.model === undefined ? {} : { model: team.model }),
      }
      return start({
        agent: agent.name,
        input,
        principal,
        options: { ...options, note: { ...note, retryOf: runId } },
      })
    },
    async prompts(runId, principal) {
      await find(runId, principal)
      const { team } = (await readRequest(store, runId)) ?? {}
      const names = new Set((await store.events(runId)).map(({ agent }) => agent))
      return [...names].flatMap((agent) => {
        const prompt = getOwn(team?.prompts ?? {}, agent) ?? host.prompt(agent)
        return prompt === undefined ? [] : [{ agent, prompt }]
      })
    },
    async fork({ runId, ...fork }, principal) {
      await find(runId, principal)
      const { name } = (await readRequest(store, runId))?.agent ?? { name: '' }
      if (!context.runner.agents().some((agent) => agent.name === name))
        throw troupeError('agent_unknown', `No agent "${name}" is served.`)
      await purse?.open(principal)
      const newId = context.newId('run')
      const working = work(newId, { principal }, async (own) => {
        const note = { ...NOTE, forkOf: { runId, at: fork.at } }
        const { report } = await host.fork(runId, { ...own, ...fork, note, runId: newId })
        purse?.close(principal, report)
        return report
      })
      return begun(newId, working)
    },
    async decide({ runId, approvalId: given, decision }, principal) {
      const root = await find(runId, principal)
      const { approvals = [] } = (await readView(store, root)) ?? {}
      const approvalId = approvals.find((open) => isNamed(open.approvalId, given))?.approvalId ?? given
      try {
        await host.decide(runId, approvalId, decision)
      } catch (thrown) {
        const running = live.get(runId)
        if (running === undefined || toFailure(thrown).code !== 'store_locked') throw thrown
        // it was just leaving
        await running.done
        await host.decide(runId, approvalId, decision)
      }
      if (live.has(runId)) decided.add(runId)
      else goOn(runId, principal)
    },
    async recover() {
      const open = (await store.roots()).filter((root) => !root.open)
      let count = 0
      for (const root of open) {
        if ((await readSummary(store, root))?.state !== 'interrupted') continue
        const kept = await readRequest(store, root.rootRunId).catch(nothingOfDamaged)
        if (kept?.note?.['detached'] !== true || !isServed(kept, context)) continue
        goOn(root.rootRunId, kept.principal)
        count += 1
      }
      return count
    },
    async close() {
      const running = [...live.values()]
      for (const { stop } of running) stop.abort(failure('run_cancelled', 'The server has ended.'))
      await Promise.all(running.map(({ done }) => done))
    },
  }
}

/** What cannot be read cannot go on, and is no reason for others not to. */
function nothingOfDamaged(thrown: unknown): undefined {
  if (toFailure(thrown).code !== 'store_corrupt') throw thrown
}

/** The agent is served, and is what it was; whether it is where the run changed its team only the host can say. */
function isServed({ agent, team }: KeptRequest, { runner }: Pick<HeadendContext, 'runner'>): boolean {
  return runner
    .agents()
    .some(({ name, digest }) => name === agent.name && (team !== undefined || digest === agent.digest))
}

/** Ids of approvals end in `#` and a number, which addresses lose unless they are written with care. */
function isNamed(approvalId: string, given: string): boolean {
  return approvalId === given || approvalId.startsWith(`${given}#`)
}

/** A run of which nothing is kept yet. */
function queuedView(
  runId: string,
  { agent, input, options }: Pick<DeskRun, 'agent' | 'input' | 'options'>,
  startedAt: number,
): RunView {
  return {
    runId,
    agent,
    state: 'queued',
    sessionId: options.sessionId ?? runId,
    startedAt,
    input: typeof input === 'string' ? input : JSON.stringify(input),
    detail: 'full',
    approvals: [],
    lastSeq: 0,
  }
}
