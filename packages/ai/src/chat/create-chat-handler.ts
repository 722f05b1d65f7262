import { randomId, systemClock } from '@troupe/core'
import {
  createByteLimit,
  createChatRuns,
  errorResponse,
  isFailure,
  type ChatAnswer,
} from '@troupe/headends/chat'
import {
  failure,
  LOCAL_PRINCIPAL,
  troupeError,
  type AgentRunner,
  type Failure,
  type MaybePromise,
  type RunOptions,
} from '@troupe/schema'
import { reportHiddenFailures, runForPublic } from '@troupe/schema/public'
import { createUIMessageStreamResponse } from 'ai'
import { createChunkStream, type ChatStreamOptions } from './chunk-stream.ts'

/** Options of {@link createChatHandler}. */
export interface ChatHandlerOptions
  extends ChatStreamOptions, Pick<RunOptions, 'budget' | 'model' | 'priority' | 'spendingLimit' | 'timeout'> {
  /**
   * Returns the user of a request, whom its runs and approvals belong to. Requests without a user are rejected with
   * 401. Default: all requests belong to `local`.
   */
  readonly principal?: (request: Request) => MaybePromise<string | undefined>
  /** Maximum size of a request in bytes. Default: 4 MiB. */
  readonly maxBodyBytes?: number
  /** Maximum number of runs, including those that wait for a person. Further requests get an error. Default: 100. */
  readonly maxRuns?: number
}

/** Answers the requests of a chat, and cancels the runs that wait for a person. */
export interface ChatHandler {
  (request: Request): Promise<Response>
  /** Cancels the runs that wait for a person. Call it before you close the host. */
  close(): void
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_RUNS = 100
/** Time without data after which a heartbeat is sent, in ms. */
const KEEP_ALIVE_MS = 15_000

/**
 * Creates the handler of the requests of `useChat` for one agent: a route of Next, or of any framework with web
 * requests. A run that waits for an approval or an answer is held in memory for the request that brings it.
 */
export function createChatHandler(
  runner: AgentRunner,
  agent: string,
  options: ChatHandlerOptions = {},
): ChatHandler {
  const {
    principal = () => LOCAL_PRINCIPAL,
    maxBodyBytes = MAX_BODY_BYTES,
    maxRuns = MAX_RUNS,
    sendEvents = false,
    onError,
    ...runOptions
  } = options
  const runs = createChatRuns({
    runner: limitedRunner(runner, { maxRuns, onError, runOptions }),
    clock: systemClock,
    newId: randomId,
  })

  async function answer(request: Request): Promise<ChatAnswer | Failure> {
    const user = await principal(request)
    if (user === undefined) return failure('token_required', 'The request has no user.')
    const caller = { principal: user, role: 'user', cut: () => undefined } as const
    return runs.answer(limitBody(request, maxBodyBytes), caller, agent)
  }

  async function handle(request: Request): Promise<Response> {
    const answered = await answer(request)
    if (isFailure(answered)) return errorResponse(answered)
    const { runId, send } = answered
    const stream = createChunkStream((sink, stopped) => send(sink, { signal: stopped }), {
      sendEvents,
      signal: request.signal,
    })
    const headers = { 'troupe-run-id': runId }
    return createUIMessageStreamResponse({ stream, headers, keepAliveMs: KEEP_ALIVE_MS })
  }

  return Object.assign(handle, { close: runs.drain })
}

/** Returns the runner with a limit, with options for all runs, and without private failures in what users see. */
function limitedRunner(
  runner: AgentRunner,
  {
    maxRuns,
    onError,
    runOptions,
  }: Required<Pick<ChatHandlerOptions, 'maxRuns'>> & {
    readonly onError: ChatHandlerOptions['onError']
    readonly runOptions: RunOptions
  },
): AgentRunner {
  const onHidden = reportHiddenFailures(onError)
  let active = 0
  return {
    agents: () => runner.agents(),
    session: (...args) => runner.session(...args),
    sessions: (...args) => runner.sessions(...args),
    async run(agent, input, options) {
      if (active >= maxRuns)
        throw troupeError('server_busy', `${maxRuns} runs are in progress or wait for a person.`)
      active += 1
      try {
        const all = { ...options, ...runOptions }
        return await runForPublic(all, (shown) => runner.run(agent, input, shown), onHidden)
      } finally {
        active -= 1
      }
    },
  }
}

function limitBody(request: Request, maxBytes: number): Request {
  const { url, method, headers, signal, body } = request
  if (body === null) return request
  return new Request(url, {
    method,
    headers,
    signal,
    body: body.pipeThrough(createByteLimit(maxBytes)),
    duplex: 'half',
  })
}
