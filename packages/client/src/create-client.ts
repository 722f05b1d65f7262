import { invalidResponse } from './api-error.ts'
import type { RunInput, StartRunOptions, ToolName, TroupeClient } from './client.ts'
import { followChanges } from './follow-changes.ts'
import { followRun, isRootEnd, type FollowOptions, type RootRunEnd } from './follow-run.ts'
import type { ApprovalList, DecisionPage, Run, RunEvent, RunReport } from './openapi.generated.ts'
import { createTransport, type ClientOptions } from './transport.ts'

/** Creates a client of a server. Sends nothing yet. */
export function createClient(options: ClientOptions): TroupeClient {
  const transport = createTransport(options)
  const { request } = transport
  const connection = { transport, maxReconnects: options.maxReconnects }

  const start: TroupeClient['start'] = (agent, input, { signal, idempotencyKey, ...body } = {}) =>
    request<'startRun'>('/api/runs', {
      method: 'POST',
      body: { agent, input, ...body },
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      signal,
    })
  const resume: TroupeClient['resume'] = (runId, follow = {}) => followRun(runId, follow, connection)
  const cancel: TroupeClient['cancel'] = (runId, { signal } = {}) =>
    request<'stopRun'>(`${runPath(runId)}/stop`, { ...POST, signal })
  const get: TroupeClient['runs']['get'] = (runId, { signal } = {}) =>
    request<'readRun'>(runPath(runId), { signal })
  const listRuns: TroupeClient['runs']['list'] = ({ signal, ...query } = {}) =>
    request<'listRuns'>('/api/runs', { query, signal })

  /** Starts a run that is cancelled if the caller stops following it before its end. */
  async function* follow(
    runId: string,
    followOptions: FollowOptions,
  ): AsyncGenerator<RunEvent, void, undefined> {
    let isOver = false
    try {
      for await (const event of resume(runId, followOptions)) {
        isOver = isRootEnd(event)
        yield event
      }
      isOver = true
    } catch (thrown) {
      // After a lost connection the run continues, so that the caller can resume it.
      isOver = followOptions.signal?.aborted !== true
      throw thrown
    } finally {
      if (!isOver) await cancel(runId)
    }
  }

  async function* stream(
    agent: string,
    input: RunInput,
    { onConnection, signal, ...body }: StartRunOptions & Pick<FollowOptions, 'onConnection'> = {},
  ): AsyncGenerator<RunEvent, void, undefined> {
    signal?.throwIfAborted()
    // Without the signal, because the id is needed to cancel the run.
    const { runId } = await start(agent, input, body)
    yield* follow(runId, { signal, onConnection })
  }

  async function run(
    agent: string,
    input: RunInput,
    { signal, ...body }: StartRunOptions = {},
  ): Promise<RunReport> {
    signal?.throwIfAborted()
    const started = await start(agent, input, body)
    if ('outcome' in started) return started
    const { runId } = started
    let end: RootRunEnd | undefined
    for await (const event of follow(runId, { signal })) if (isRootEnd(event)) end = event
    return toReport(await get(runId, { signal }), end)
  }

  return {
    run,
    stream,
    start,
    resume,
    changes: (changeOptions = {}) => followChanges(changeOptions, connection),
    cancel,
    async signIn(token, { signal } = {}) {
      await transport.open('/api/sign-in', { method: 'POST', body: { token }, signal })
    },
    runs: {
      list: listRuns,
      get,
      events: (runId, { signal, ...query } = {}) =>
        request<'followRun'>(`${runPath(runId)}/events`, { query, signal }),
      retry: (runId, { signal } = {}) => request<'retryRun'>(`${runPath(runId)}/retry`, { ...POST, signal }),
      fork: (runId, body, { signal } = {}) =>
        request<'forkRun'>(`${runPath(runId)}/fork`, { method: 'POST', body, signal }),
      label: (runId, body, { signal } = {}) =>
        request<'labelRun'>(`${runPath(runId)}/label`, { method: 'PUT', body, signal }),
      unlabel: (runId, { signal } = {}) =>
        request<'unlabelRun'>(`${runPath(runId)}/label`, { method: 'DELETE', signal }),
      export: async (runId, { signal } = {}) =>
        (
          await transport.open(`${runPath(runId)}/export`, { headers: { accept: 'text/html' }, signal })
        ).text(),
      content: (runId, { seq, part }, { signal } = {}) =>
        transport.open(`${runPath(runId)}/content/${seq}/${part}`, { headers: { accept: '*/*' }, signal }),
      prompts: (runId, { signal } = {}) => request<'readPrompts'>(`${runPath(runId)}/prompts`, { signal }),
    },
    approvals: {
      list: async ({ signal, ...query } = {}) =>
        (await request<'listApprovals'>('/api/approvals', { query, signal })) as ApprovalList,
      decisions: async ({ signal, ...filter } = {}) => {
        const query = { ...filter, state: 'decided' } as const
        return (await request<'listApprovals'>('/api/approvals', { query, signal })) as DecisionPage
      },
      decide: ({ runId, approvalId }, body, { signal } = {}) =>
        request<'decide'>(`${runPath(runId)}/approvals/${encodeURIComponent(approvalId)}`, {
          method: 'POST',
          body,
          signal,
        }),
      target: async ({ runId, approvalId }, { signal } = {}) => {
        const path = `${runPath(runId)}/approvals/${encodeURIComponent(approvalId)}/target`
        return (await request<'readWriteTarget'>(path, { signal })).target
      },
      createLink: ({ runId, approvalId }, body, { signal } = {}) =>
        request<'createLink'>(`${runPath(runId)}/approvals/${encodeURIComponent(approvalId)}/link`, {
          method: 'POST',
          body,
          signal,
        }),
      openLink: (token, { signal } = {}) =>
        request<'openLink'>('/api/links/open', { method: 'POST', body: { token }, signal }),
      decideByLink: (body, { signal } = {}) =>
        request<'decideByLink'>('/api/links/decide', { method: 'POST', body, signal }),
    },
    push: {
      read: ({ signal } = {}) => request<'readPush'>('/api/push', { signal }),
      subscribe: (body, { signal } = {}) =>
        request<'subscribePush'>('/api/push/subscription', { method: 'PUT', body, signal }),
      unsubscribe: (body, { signal } = {}) =>
        request<'unsubscribePush'>('/api/push/unsubscribe', { method: 'POST', body, signal }),
    },
    sessions: {
      list: ({ signal, ...query } = {}) => request<'listSessions'>('/api/sessions', { query, signal }),
      get: (sessionId, { signal } = {}) => request<'readSession'>(sessionPath(sessionId), { signal }),
      change: (sessionId, body, { signal } = {}) =>
        request<'changeSession'>(sessionPath(sessionId), { method: 'PATCH', body, signal }),
      async delete(sessionId, { signal } = {}) {
        await request<'deleteSession'>(sessionPath(sessionId), { method: 'DELETE', signal })
      },
      runs: (sessionId, filter = {}) => listRuns({ ...filter, session: sessionId }),
    },
    agents: {
      list: ({ signal } = {}) => request<'listAgents'>('/api/agents', { signal }),
      template: async (agent, { signal } = {}) =>
        (await request<'readTemplate'>(`${agentPath(agent)}/template`, { signal })).template,
      stats: ({ signal, ...query } = {}) => request<'readAgentStats'>('/api/agents/stats', { query, signal }),
    },
    cards: {
      get: (agent, { signal } = {}) => request<'readCard'>(cardPath(agent), { signal }),
      schema: (agent, { signal } = {}) => request<'readCardSchema'>(`${cardPath(agent)}/schema`, { signal }),
      check: async (agent, text, { signal } = {}) => {
        const path = `${cardPath(agent)}/check`
        return (await request<'checkCard'>(path, { method: 'POST', body: { text }, signal })).problems
      },
      save: (agent, body, { signal } = {}) =>
        request<'saveCard'>(cardPath(agent), { method: 'PUT', body, signal }),
      test: (agent, body, { signal } = {}) =>
        request<'tryCard'>(`${cardPath(agent)}/try`, { method: 'POST', body, signal }),
      revisions: async (agent, { signal } = {}) =>
        (await request<'listCardRevisions'>(`${cardPath(agent)}/revisions`, { signal })).revisions,
      revision: async ({ agent, revision }, { signal } = {}) => {
        const path = `${cardPath(agent)}/revisions/${encodeURIComponent(revision)}`
        return (await request<'readCardRevision'>(path, { signal })).text
      },
    },
    models: { list: ({ signal } = {}) => request<'listModelChoices'>('/api/models', { signal }) },
    tools: {
      list: (agent, { signal } = {}) => request<'listTools'>(`${agentPath(agent)}/tools`, { signal }),
      add: (agent, body, { signal } = {}) =>
        request<'addTool'>(`${agentPath(agent)}/tools`, { method: 'POST', body, signal }),
      replace: (ref, body, { signal } = {}) =>
        request<'replaceTool'>(toolPath(ref), { method: 'PUT', body, signal }),
      delete: (ref, { signal, ...query } = {}) =>
        request<'deleteTool'>(toolPath(ref), { method: 'DELETE', query, signal }),
      preview: (ref, args, { signal } = {}) =>
        request<'previewTool'>(`${toolPath(ref)}/preview`, { method: 'POST', body: { args }, signal }),
      test: (ref, body, { signal } = {}) =>
        request<'testTool'>(`${toolPath(ref)}/test`, { method: 'POST', body, signal }),
    },
    evals: {
      list: ({ signal } = {}) => request<'listEvals'>('/api/evals', { signal }),
      get: (id, { signal, ...query } = {}) => request<'readEval'>(evalPath(id), { query, signal }),
      events: (id, runId, { signal } = {}) =>
        request<'readEvalRun'>(`${evalPath(id)}/runs/${encodeURIComponent(runId)}`, { signal }),
    },
    schedules: {
      list: ({ signal } = {}) => request<'listSchedules'>('/api/schedules', { signal }),
      run: (name, { signal } = {}) =>
        request<'runSchedule'>(`${schedulePath(name)}/run`, { ...POST, signal }),
      pause: (name, { signal } = {}) =>
        request<'pauseSchedule'>(`${schedulePath(name)}/pause`, { ...POST, signal }),
      resume: (name, { signal } = {}) =>
        request<'resumeSchedule'>(`${schedulePath(name)}/resume`, { ...POST, signal }),
    },
  }
}

/** A request without parameters. */
const POST = { method: 'POST', body: {} } as const

function runPath(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`
}

function sessionPath(sessionId: string): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}`
}

function evalPath(id: string): string {
  return `/api/evals/${encodeURIComponent(id)}`
}

function agentPath(agent: string): string {
  return `/api/agents/${encodeURIComponent(agent)}`
}

function cardPath(agent: string): string {
  return `${agentPath(agent)}/card`
}

function toolPath({ agent, tool }: ToolName): string {
  return `${agentPath(agent)}/tools/${encodeURIComponent(tool)}`
}

function schedulePath(name: string): string {
  return `/api/schedules/${encodeURIComponent(name)}`
}

/**
 * Returns the report of a run that has ended. The answer comes from its last event, because the store has none
 * of an agent with `store: metadata`.
 */
function toReport(run: Run, end: RootRunEnd | undefined): RunReport {
  const { runId, agent, sessionId, state, problems = [], problemCount = 0 } = run
  const { durationMs = 0, activeMs = durationMs, usage } = run
  const { output, error } = end ?? run
  // A run that cannot be read in the store has neither.
  if (usage === undefined || output === undefined)
    throw invalidResponse(`The run ${runId} has the state ${state} and no result.`)
  return {
    runId,
    agent,
    outcome: state as RunReport['outcome'],
    output,
    ...(error === undefined ? {} : { error }),
    usage,
    problems,
    problemCount,
    sessionId,
    durationMs,
    activeMs,
  }
}
