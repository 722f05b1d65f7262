import type { Host } from '@troupe/host'
import {
  troupeError,
  type AgentRunner,
  type Budget,
  type JsonObject,
  type RunOptions,
  type RunReport,
  LOCAL_PRINCIPAL,
  type RunEvent,
} from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { publicEvent } from '@troupe/schema/public'
import { runForPublic, type OnHiddenFailure } from '@troupe/schema/public'
import { LOCAL } from '../gate/principals.ts'
import type { RunAdmission } from './admission.ts'
import type { SpendingLimits } from './spending.ts'

/** Host operations that a server needs. */
export type ServedHost = Pick<
  Host,
  | keyof AgentRunner
  | 'plan'
  | 'redact'
  | 'resume'
  | 'decide'
  | 'definition'
  | 'models'
  | 'origin'
  | 'reload'
  | 'fork'
  | 'holdOnceCalls'
>

/** Wraps a runner for the headends. It limits the runs, and only served agents are known to it. */
export function servedRunner(
  runner: AgentRunner,
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
): AgentRunner {
  const served = (): ReturnType<AgentRunner['agents']> =>
    agents === undefined ? runner.agents() : runner.agents().filter(({ name }) => agents.includes(name))
  const caps = Object.entries(budget) as CapEntries

  async function runAdmitted(
    agent: string,
    input: string | JsonObject,
    options: RunOptions,
  ): Promise<RunReport> {
    const release = await admission.enter(options.signal)
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

  return {
    agents: served,
    session: (sessionId, owner) => runner.session(sessionId, owner),
    sessions: (owner) => runner.sessions(owner),
    async run(agent, input, options = {}) {
      const name = agent ?? served()[0]?.name
      if (name === undefined || !served().some((one) => one.name === name))
        throw troupeError('agent_unknown', `No agent "${String(name)}" is served.`)
      const { principal = LOCAL } = options
      if (principal === LOCAL) return runAdmitted(name, input, options)
      return runForPublic(options, (own) => runAdmitted(name, input, own), onHidden)
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
export function publicStore(store: RunStore): Pick<RunStore, 'roots' | 'list' | 'events' | 'steps'> {
  return {
    roots: (filter) => store.roots(filter),
    list: (query) => store.list(query),
    steps: (rootRunId, runId) => store.steps(rootRunId, runId),
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

function isSame(events: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  return events.every((event, index) => event === shown[index])
}
