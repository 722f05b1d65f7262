import {
  NO_PROBLEMS,
  toFailure,
  type Approver,
  type Attachment,
  type Budget,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import { runIdOf, type SlackRequest } from '../intake/slack-request.ts'
import type { OpenRequest } from '../context/open-requests.ts'
import type { SlackContext } from '../context/slack-context.ts'

/** The parameters of the run that answers a request. */
interface RequestedRun {
  readonly request: SlackRequest
  readonly agent: string | undefined
  readonly threadTs: string
  readonly budget: Budget
  /** True if an earlier process may have started the run. */
  readonly isRecovered: boolean
  readonly open: OpenRequest
  readonly approve: Approver
  onEvent(event: RunEvent): void
  /** Returns the attachments that the agent gets besides the text. */
  attachments(): Promise<readonly Attachment[]>
}

/**
 * Runs the agent as the next turn of the thread's conversation, or resumes the run that was started before.
 * Never rejects.
 */
export async function runRequest(run: RequestedRun, context: SlackContext): Promise<RunReport> {
  try {
    return run.isRecovered ? await resumeRequest(run, context) : await startRequest(run, context)
  } catch (thrown) {
    return failedReport(run, toFailure(thrown))
  }
}

async function resumeRequest(run: RequestedRun, context: SlackContext): Promise<RunReport> {
  const { request, open, approve, onEvent, budget } = run
  try {
    const { signal } = open
    const resumable = context.isClosing
    return await context.host.resume(runIdOf(request), { signal, resumable, approve, onEvent, budget })
  } catch (thrown) {
    if (toFailure(thrown).code !== 'run_unknown') throw thrown
    return startRequest(run, context)
  }
}

async function startRequest(run: RequestedRun, { host, isClosing }: SlackContext): Promise<RunReport> {
  const attachments = await run.attachments()
  const { request, agent, threadTs, open, approve, onEvent, budget } = run
  return host.run(agent, request.text, {
    runId: runIdOf(request),
    ...conversationOf(request, threadTs),
    signal: open.signal,
    resumable: isClosing,
    approve,
    onEvent,
    budget,
    ...(attachments.length === 0 ? {} : { attachments }),
    note: { slack: { team: request.team, channel: request.channel, user: request.user } },
  })
}

/** Returns the conversation of a thread, which is shared by everyone who writes in it. */
function conversationOf(
  { team, channel }: SlackRequest,
  threadTs: string,
): { readonly sessionId: string; readonly principal: string } {
  return { sessionId: `slack:${channel}:${threadTs}`, principal: `slack:${team}` }
}

function failedReport(
  { request, agent = '' }: RequestedRun,
  error: NonNullable<RunReport['error']>,
): RunReport {
  return {
    runId: runIdOf(request),
    agent,
    outcome: 'failed',
    output: { format: 'text', text: '' },
    error,
    usage: { ...NOTHING_USED, byAgent: {} },
    sessionId: '',
    ...NO_PROBLEMS,
    durationMs: 0,
    activeMs: 0,
  }
}

const NOTHING_USED = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpriced: [],
  estimated: false,
  modelCalls: 0,
  toolCalls: 0,
}
