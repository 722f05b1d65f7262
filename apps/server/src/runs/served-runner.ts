import type { RunHost } from '@troupe/headends'
import type { Host } from '@troupe/host'
import {
  isJsonObject,
  troupeError,
  type AgentRunner,
  type Budget,
  type JsonObject,
  type RunOptions,
  type RunReport,
  LOCAL_PRINCIPAL,
  type RunEvent,
} from '@troupe/schema'
import { isAccepted, NOTE_STEP, type AcceptedRun, type RunStore, type SessionKey } from '@troupe/schema/ports'
import { publicEvent } from '@troupe/schema/public'
import { hideFailures, reportForPublic, runForPublic, type OnHiddenFailure } from '@troupe/schema/public'
import { LOCAL } from '../gate/principals.ts'
import type { RunAdmission } from './admission.ts'
import type { SpendingLimits } from './spending.ts'

/** Host operations that a server needs. */
export type ServedHost = Pick<
  Host,
  | keyof AgentRunner
  | 'plan'
  | 'schedules'
  | 'redact'
  | 'accept'
  | 'resume'
  | 'isWaiting'
  | 'decide'
  | 'writeTarget'
  | 'definition'
  | 'embed'
  | 'embeddingProblem'
  | 'models'
  | 'origin'
  | 'reload'
  | 'checkEdit'
  | 'fork'
  | 'holdOnceCalls'
>

/** A runner for the headends, which limits the runs and knows only served agents. */
interface ServedRunner extends AgentRunner, Pick<RunHost, 'accept'> {}

/** Wraps a host for the headends. */
export function servedRunner(
  runner: Pick<ServedHost, keyof AgentRunner | 'accept'>,
  {
    agents,
    admission,
    budget = {},
    spending,
    onEnd,
    onHidden,
  }: {
    readonly agents: readonly string[] | undefined
    readonly admission: RunAdmission
    /** Caps for each run. */
    readonly budget?: Budget
    /** Spending limits per principal; `undefined` if there are none. */
    readonly spending?: SpendingLimits | undefined
    onEnd?(report: RunReport): void
    /** Called with failures whose details are hidden from callers other than the operator. */
    readonly onHidden: OnHiddenFailure
  },
): ServedRunner {
  const served = (): ReturnType<AgentRunner['agents']> =>
    agents === undefined ? runner.agents() : runner.agents().filter(({ name }) => agents.includes(name))
  const caps = Object.entries(budget) as CapEntries

  async function runAdmitted(
    agent: string,
    input: string | JsonObject,
    options: RunOptions,
  ): Promise<RunReport> {
    const { signal, priority } = options
    const release = await admission.enter(signal, { priority })
    try {
      const spendingLimit = await spending?.admit(options.principal ?? LOCAL)
      const limited = spendingLimit === undefined ? options : { ...options, spendingLimit }
      const report = await runner.run(agent, input, applyCaps(limited, caps))
      onEnd?.(report)
      return report
    } finally {
      release()
    }
  }

  /** Accepts a run. Its `start` waits for admission, and releases the run if the server shuts down first. */
  async function acceptAdmitted(
    agent: string,
    input: string | JsonObject,
    options: RunOptions,
  ): Promise<AcceptedRun | RunReport> {
    const { principal = LOCAL, priority } = options
    admission.requireSpace()
    await spending?.admit(principal)
    const accepted = await runner.accept(agent, input, applyCaps(options, caps))
    if (!isAccepted(accepted)) return accepted
    return {
      ...accepted,
      async start(startOptions = {}) {
        let release: (() => void) | undefined
        try {
          // The run was admitted when it was accepted, so a full queue no longer refuses it.
          release = await admission.enter(startOptions.signal, { resumed: true, priority })
          const spendingLimit = await spending?.find(principal)
          const limited = spendingLimit === undefined ? startOptions : { ...startOptions, spendingLimit }
          const report = await accepted.start(limited)
          onEnd?.(report)
          return report
        } finally {
          if (release === undefined) await accepted.release()
          release?.()
        }
      },
    }
  }

  function requireServed(agent: string | undefined): string {
    const name = agent ?? served()[0]?.name
    if (name === undefined || !served().some((one) => one.name === name))
      throw troupeError('agent_unknown', `No agent "${String(name)}" is served.`, {
        fix: 'Use one of the served agents.',
      })
    return name
  }

  return {
    agents: served,
    session: (sessionId, owner) => runner.session(sessionId, owner),
    sessions: (owner) => runner.sessions(owner),
    async run(agent, input, options = {}) {
      const name = requireServed(agent)
      const { principal = LOCAL } = options
      if (principal === LOCAL) return runAdmitted(name, input, options)
      return runForPublic(options, (own) => runAdmitted(name, input, own), onHidden)
    },
    async accept(agent, input, options) {
      const name = requireServed(agent)
      const { principal = LOCAL } = options
      if (principal === LOCAL) return acceptAdmitted(name, input, options)
      const accepted = await hideFailures(() => acceptAdmitted(name, input, options), onHidden)
      if (!isAccepted(accepted)) return reportForPublic(accepted, onHidden)
      return { ...accepted, start: (own = {}) => runForPublic(own, accepted.start, onHidden) }
    },
  }
}

type CapEntries = readonly (readonly [keyof Budget, number])[]

/** Applies caps to the budget of a run. The lower of two caps applies. */
function applyCaps(options: RunOptions, caps: CapEntries): RunOptions {
  if (caps.length === 0) return options
  const own = options.budget ?? {}
  const lower = caps.map(([kind, cap]) => [kind, Math.min(cap, own[kind] ?? Infinity)] as const)
  return { ...options, budget: { ...own, ...Object.fromEntries(lower) } }
}

/** Wraps a store for run control. Hides private details of failures, except in runs of the operator. */
export function publicStore(
  store: RunStore,
): Pick<RunStore, 'roots' | 'list' | 'events' | 'steps' | 'follow' | 'setLabel' | 'sessions' | 'purge'> {
  const { follow } = store
  return {
    roots: (filter) => store.roots(filter),
    list: (query) => store.list(query),
    steps: (rootRunId, runId) => store.steps(rootRunId, runId),
    setLabel: (rootRunId, label) => store.setLabel(rootRunId, label),
    purge: (rootRunIds) => store.purge(rootRunIds),
    sessions: store.sessions,
    ...(follow === undefined
      ? {}
      : {
          follow: (run, range, listener, onError) =>
            follow(run, range, (event) => listener(publicEvent(event)), onError),
        }),
    async events(rootRunId, range) {
      const events = await store.events(rootRunId, range)
      const shown = events.map(publicEvent)
      // Most pages contain no failure, so the owner of the run need not be looked up.
      if (isSame(events, shown)) return events
      const [own] = await store.roots({ principal: LOCAL_PRINCIPAL, rootRunId })
      return own === undefined ? shown : events
    },
  }
}

/** Adds fields to the stored note of a run. Rejects with `store_locked` while a process runs it. */
export async function addNote(
  store: Pick<RunStore, 'open'>,
  { runId, note, owner }: { readonly runId: string; readonly note: JsonObject; readonly owner: string },
): Promise<void> {
  const log = await store.open(runId, owner)
  try {
    const before = (await log.steps(runId)).get(NOTE_STEP)
    log.append({
      runId,
      step: { key: NOTE_STEP, value: { ...(isJsonObject(before) ? before : {}), ...note } },
    })
  } finally {
    await log.close()
  }
}

/** Stores a session without runs. */
export async function createSession(
  store: Pick<RunStore, 'open'>,
  {
    session,
    note,
    owner,
  }: { readonly session: SessionKey; readonly note: JsonObject; readonly owner: string },
): Promise<void> {
  const { sessionId: runId } = session
  const log = await store.open(runId, owner, { session })
  try {
    log.append({ runId, step: { key: NOTE_STEP, value: note } })
    await log.waitForCommit()
  } finally {
    await log.close()
  }
}

function isSame(events: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  return events.every((event, index) => event === shown[index])
}
