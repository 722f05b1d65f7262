import { failure, type Clock, type Failure, type RunListener, type RunReport } from '@troupe/schema'
import { createAnswerCollector, type ModelRunEnd } from '../client-calls/collect-answer.ts'
import type { PlannedModelRun } from '../client-calls/model-run.ts'
import { traceOptions } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller } from '../headend/headend.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { RunObserver, StartedRun } from '../run-service/start-run.ts'
import { createEventLog, type EventLog } from '../sse/event-log.ts'
import type { ResponseBase } from './response-object.ts'
import { streamResponse } from './stream-response.ts'

/** The background responses of this process, whose events can be streamed again. */
export interface BackgroundResponses {
  /**
   * Starts a run that continues without its client. Returns its state, or a failure if it is refused. Rejects on
   * misuse.
   */
  start(
    planned: PlannedModelRun,
    request: { readonly base: ResponseBase; readonly caller: Caller },
  ): Promise<{ readonly state: StartedRun['state']; readonly log: EventLog } | Failure>
  /** Returns the events of a response; `undefined` if they are not in memory. */
  find(id: string): EventLog | undefined
  remove(id: string): void
  close(): void
}

/** Time in ms that events stay in memory after the end of their response. */
const KEPT_MS = 10 * 60_000
/** Maximum length of all events of ended responses, in characters. The oldest are dropped. */
const MAX_LENGTH = 64 * 1024 * 1024

/** Creates an empty collection. */
export function createBackgroundResponses(
  runService: Pick<RunService, 'start'>,
  clock: Pick<Clock, 'after' | 'now'>,
): BackgroundResponses {
  const logs = new Map<string, EventLog>()
  const ended = new Map<string, { readonly size: number; cancelTimer(): void }>()

  function remove(id: string): void {
    logs.delete(id)
    ended.get(id)?.cancelTimer()
    ended.delete(id)
  }

  function keepForAWhile(id: string, { size }: EventLog): void {
    ended.set(id, { size, cancelTimer: clock.after(KEPT_MS, () => remove(id)) })
    let total = [...ended.values()].reduce((sum, one) => sum + one.size, 0)
    for (const [oldest, one] of ended) {
      if (total <= MAX_LENGTH) return
      total -= one.size
      remove(oldest)
    }
  }

  return {
    async start(planned, { base, caller }) {
      const { id } = base
      const log = createEventLog()
      logs.set(id, log)
      const { observer, listen, end } = observeRun(planned, () => {
        // the events so far do not end, so that clients continue when the run was resumed
        log.end()
        remove(id)
      })
      streamResponse({ listen, end }, log, { base, clock, isWhole: planned.isJson })
      void end.then(() => {
        if (logs.get(id) === log) keepForAWhile(id, log)
      })
      try {
        const started = await launch(planned, { observer, caller }, runService)
        if (isFailure(started)) remove(id)
        return isFailure(started) ? started : { state: started.state, log }
      } catch (thrown) {
        remove(id)
        throw thrown
      }
    },
    find: (id) => logs.get(id),
    remove,
    close() {
      for (const id of logs.keys()) remove(id)
    },
  }
}

async function launch(
  planned: PlannedModelRun,
  { observer, caller }: { readonly observer: RunObserver; readonly caller: Caller },
  runService: Pick<RunService, 'start'>,
): Promise<StartedRun | Failure> {
  if ('start' in planned) {
    const { agent, input, options } = planned.start
    return failureOf(
      await runService.start({
        agent,
        input,
        principal: caller.principal,
        options: { ...traceOptions(caller), ...options, headless: true },
        observer,
        requireFullStore: true,
      }),
    )
  }
  const { waiting, results } = planned
  if (waiting.launch === undefined)
    return failure(
      'request_invalid',
      'background: the response with these calls was not created in the background.',
      'Send the results without `background`.',
    )
  return failureOf(await waiting.launch(results, observer))
}

/** Returns the failure of a run that ended before anything was stored. */
function failureOf(started: StartedRun | RunReport): StartedRun | Failure {
  if (!('outcome' in started)) return started
  return (
    started.error ??
    failure('internal', `The run ended with the outcome ${started.outcome} before it was stored.`)
  )
}

/** Codes of runs that are resumed later, by this process or the next one. */
const UNFINISHED: ReadonlySet<string | undefined> = new Set(['run_interrupted', 'server_busy'])

/** Creates the observer of a run, and its stream. `onInterrupt` is called if it is interrupted. */
function observeRun(
  { isJson }: Pick<PlannedModelRun, 'isJson'>,
  onInterrupt: () => void,
): {
  readonly observer: RunObserver
  readonly end: Promise<ModelRunEnd>
  listen(listener: RunListener): void
} {
  const collector = createAnswerCollector({ isWhole: isJson })
  const { promise: end, resolve } = Promise.withResolvers<ModelRunEnd>()
  let listener: RunListener | undefined
  return {
    end,
    listen(next) {
      listener = next
    },
    observer: {
      onEvent(event) {
        collector.read(event)
        listener?.(event)
      },
      onSettled(last) {
        const reason = isFailure(last) ? last : last.error
        if (UNFINISHED.has(reason?.code)) onInterrupt()
        else resolve(collector.end(last))
      },
    },
  }
}
