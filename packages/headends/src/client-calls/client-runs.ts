import {
  failure,
  toFailure,
  type ApprovalDecision,
  type ClientTool,
  type Failure,
  type RunListener,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import {
  connectRun,
  MAX_CLIENT_WAIT_MS,
  MAX_CLIENT_WAITS,
  runForCaller,
  traceOptions,
  type CallerRun,
  type RunOwner,
} from '../client-runs/run-for-caller.ts'
import type { HeadendContext } from '../headend/headend.ts'
import type { AgentRunRef, StoredWaitingRun } from '../run-service/client-calls.ts'
import type { RunService } from '../run-service/run-service.ts'
import { createAnswerCollector, isWaitingAnswer, type ModelRunEnd } from './collect-answer.ts'

/** The runs of one headend that may call tools of their clients. */
export interface ClientRuns {
  /** Starts a run. Resolves with its end, or if it has `clientTools` when it waits for them. Never rejects. */
  start(
    run: CallerRun & { readonly options: { readonly runId: string } },
    to: AnswerTarget,
  ): Promise<ModelRunEnd>
  /** Returns a run of the principal and the agent that waits for its client, or `undefined`. */
  find(ref: AgentRunRef): Promise<WaitingClientRun | undefined>
  /** Cancels the runs that wait in this process, and each that would from now on. */
  drain(): void
}

/** The request that gets an answer of a run. The run is cancelled if it is aborted before the answer. */
export interface AnswerTarget extends RunOwner {
  /** True if the text is sent in one piece. */
  readonly isWhole: boolean
  readonly onEvent?: RunListener | undefined
}

/** The open calls of a run. */
export interface OpenRun {
  readonly runId: string
  readonly tools: readonly ClientTool[]
  /** Approval ids of the calls without a result. */
  readonly open: readonly string[]
  /** Approval ids of all calls of the client so far. */
  readonly known: ReadonlySet<string>
  cancel(): Promise<void>
}

/** A run that waits for results of its client. */
export interface WaitingClientRun extends OpenRun {
  readonly sessionId: string
  /** Passes the results to the run. Resolves like `start`. */
  resume(results: ClientDecisions, to: AnswerTarget): Promise<ModelRunEnd>
  /** Resumes the run without a connection. `undefined` for a run that belongs to a connection. */
  readonly launch?: StoredWaitingRun['launch']
}

/** Decisions with the results of calls, by approval id. */
export type ClientDecisions = ReadonlyMap<string, ApprovalDecision>

/** Creates the runs of a headend. */
export function createClientRuns(
  context: Pick<HeadendContext, 'runner' | 'connected' | 'clock'>,
  { clientCalls, stop }: Pick<RunService, 'clientCalls' | 'stop'>,
): ClientRuns {
  const held = new Map<string, WaitingClientRun & { readonly principal: string; readonly agent: string }>()
  let isDraining = false

  function hold(run: ClientRun, answer: { readonly open: readonly string[] }): void {
    const { runId, sessionId, principal, agent, tools } = run
    const cancelTimer = context.clock.after(MAX_CLIENT_WAIT_MS, () => void waiting.cancel())
    const release = (): void => {
      cancelTimer()
      if (held.get(runId) === waiting) held.delete(runId)
    }
    const waiting = {
      runId,
      sessionId,
      principal,
      agent,
      tools,
      open: answer.open,
      known: new Set([...run.known, ...answer.open]),
      async resume(results: ClientDecisions, to: AnswerTarget) {
        release()
        const end = answerRun({ ...run, known: waiting.known }, to)
        try {
          for (const [approvalId, decision] of results)
            await clientCalls.decide(runId, { approvalId, decision })
        } catch (thrown) {
          run.stop.abort(failure('run_cancelled', 'The results of its client could not be used.'))
          return toFailure(thrown)
        }
        return end
      },
      async cancel() {
        release()
        run.stop.abort(failure('run_cancelled', 'The client did not continue the run.'))
        await run.done
      },
    }
    held.set(runId, waiting)
    // run control may cancel the run meanwhile
    void run.done.then(release)
    const own = [...held.values()].filter((other) => other.principal === principal)
    const [surplus] = isDraining ? [waiting] : own.slice(0, Math.max(0, own.length - MAX_CLIENT_WAITS))
    void surplus?.cancel()
  }

  /** Passes the events of a run to one request, until the run ends or waits. */
  async function answerRun(
    run: ClientRun,
    { request, isWhole, onEvent }: AnswerTarget,
  ): Promise<ModelRunEnd> {
    const collector = createAnswerCollector({ isWhole })
    const unlink = run.listen(request, (event) => {
      collector.read(event)
      onEvent?.(event)
    })
    const suspended = run.nextSuspension()
    const end = await Promise.race([run.done, suspended])
    unlink()
    const answer = collector.end(end)
    if (end !== undefined) return answer
    if (isWaitingAnswer(answer)) hold(run, { open: answer.calls.map(({ approvalId }) => approvalId) })
    else run.stop.abort(answer)
    return answer
  }

  return {
    start(run, to) {
      const { runId, sessionId = runId, clientTools } = run.options
      if (clientTools === undefined) {
        const { onEvent } = to
        const options = onEvent === undefined ? run.options : { ...run.options, onEvent }
        return runForCaller({ ...run, options }, to, context)
      }
      const connected = connect(
        {
          runId,
          sessionId,
          principal: to.caller.principal,
          agent: run.agent,
          tools: clientTools.tools,
        },
        (own) =>
          connectRun(
            (signal) =>
              context.runner.run(run.agent, run.input, {
                headless: true,
                ...traceOptions(to.caller),
                ...run.options,
                ...own,
                principal: to.caller.principal,
                signal,
              }),
            { runId, request: own, caller: to.caller },
            context,
          ),
      )
      return answerRun(connected, to)
    },
    async find(ref) {
      const waiting = held.get(ref.runId)
      if (waiting !== undefined)
        return waiting.principal === ref.principal && waiting.agent === ref.agent ? waiting : undefined
      const stored = await clientCalls.find(ref)
      if (stored === undefined) return undefined
      const { resume, ...run } = stored
      return {
        ...run,
        cancel: async () => void (await stop(ref.runId, ref.principal)),
        resume(results, to) {
          const connected = connect({ ...run, principal: ref.principal, agent: ref.agent }, (own) =>
            connectRun(
              (signal) => resume(results, { ...own, signal }),
              { runId: ref.runId, request: own, caller: to.caller },
              context,
            ),
          )
          return answerRun(connected, to)
        },
      }
    },
    drain() {
      isDraining = true
      for (const waiting of held.values()) void waiting.cancel()
    },
  }
}

/** A run in progress, whose events and suspensions go to one request after the other. */
interface ClientRun {
  readonly runId: string
  readonly sessionId: string
  readonly principal: string
  readonly agent: string
  readonly tools: readonly ClientTool[]
  /** Approval ids of earlier calls of the client. */
  readonly known: ReadonlySet<string>
  readonly stop: AbortController
  /** Resolves with the end of the run, which starts when this is read first, so that no event is missed. */
  readonly done: Promise<RunReport | Failure>
  /** Passes events to a listener until the returned function is called. Aborts the run with the request. */
  listen(request: RunOwner['request'], listener: RunListener): () => void
  /** Resolves when the run waits the next time and stays in this process. */
  nextSuspension(): Promise<undefined>
}

function connect(
  run: Pick<ClientRun, 'runId' | 'sessionId' | 'principal' | 'agent' | 'tools'>,
  start: (
    options: Required<Pick<RunOptions, 'onEvent' | 'onSuspend' | 'signal'>>,
  ) => Promise<RunReport | Failure>,
): ClientRun {
  const stop = new AbortController()
  let listener: RunListener = ignoreEvent
  let suspension = Promise.withResolvers<undefined>()
  let done: Promise<RunReport | Failure> | undefined
  const { runId, sessionId, principal, agent, tools } = run
  return {
    runId,
    sessionId,
    principal,
    agent,
    tools,
    known: new Set(),
    stop,
    get done() {
      done ??= start({
        signal: stop.signal,
        onEvent: (event) => listener(event),
        onSuspend: () => suspension.resolve(undefined),
      })
      return done
    },
    listen({ signal }, next) {
      listener = next
      const onDisconnect = (): void => stop.abort(failure('run_cancelled', 'The client disconnected.'))
      signal.addEventListener('abort', onDisconnect, { once: true })
      if (signal.aborted) onDisconnect()
      return () => {
        listener = ignoreEvent
        signal.removeEventListener('abort', onDisconnect)
      }
    },
    nextSuspension() {
      suspension = Promise.withResolvers()
      return suspension.promise
    },
  }
}

function ignoreEvent(): void {
  // no request reads the run
}
