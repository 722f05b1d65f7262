import type { KnownBlock } from '@slack/types'
import { hasAnswer, type RunReport } from '@troupe/schema'
import type { Workspace } from '../app/workspaces.ts'
import { threadOf, type SlackRequest } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import { answerText } from '../view/answer-text.ts'
import { emptyAnswer, endAnswer, reduceAnswer, type AnswerView } from '../view/answer-view.ts'
import { answeredBlocks, workingBlocks } from '../view/control-blocks.ts'
import { admitRequest, subjectsOf, type Admission } from './admit-request.ts'
import { openAnswerStream, type AnswerStream } from './answer-stream.ts'
import { askInThread } from './ask-in-thread.ts'
import { openThread } from './open-thread.ts'
import { postWhole } from './post-whole.ts'
import { runRequest } from './run-request.ts'
import type { SlackDesk } from './slack-desk.ts'
import { tellPerson } from './tell-person.ts'
import { wasAnswered } from './was-answered.ts'

/** One request with all that it takes to answer it. */
interface Work {
  readonly request: SlackRequest
  readonly threadTs: string
  readonly desk: SlackDesk
  readonly workspace: Workspace
}

/**
 * Answers a request in its thread: once, also after a restart. Never rejects: what goes wrong is told to `onError`, and the request stays open for the next
 * start unless it was answered.
 */
export async function answerRequest(
  kept: KeptRequest,
  { desk, isRecovered = false }: { readonly desk: SlackDesk; readonly isRecovered?: boolean },
): Promise<void> {
  const { request, place } = kept
  const workspace = desk.workspaces.get(request.team)
  if (workspace === undefined || desk.isLeaving()) return
  try {
    if (isRecovered && (await wasAnswered(kept, { desk, workspace }))) return desk.state.settle(request)
    const admission = await admitRequest(request, { desk, workspace })
    if (!admission.admitted && !isRecovered) {
      await tellPerson(request, { desk, workspace, text: admission.reason })
      return desk.state.settle(request)
    }
    const threadTs = threadOf(request, place) ?? (await openThread(request, { desk, workspace }))
    await answerInThread({ request, threadTs, desk, workspace }, { admission, isRecovered })
  } catch (thrown) {
    desk.onError(thrown)
  }
}

async function answerInThread(
  work: Work,
  { admission, isRecovered }: { readonly admission: Admission; readonly isRecovered: boolean },
): Promise<void> {
  const { request, threadTs, desk } = work
  const agent = admission.admitted ? admission.agent : undefined
  const definition = desk.host.definition(agent)
  const open = desk.open.begin(request)
  count(request, desk, { requests: isRecovered ? 0 : 1, tokens: 0, micros: 0 })
  let view = emptyAnswer({ streams: definition.output?.format !== 'json' })
  const stream = await beginStream(work, view)
  const controls = await showControls(work, definition.name)
  try {
    const report = await runRequest(
      {
        request,
        agent,
        threadTs,
        budget: admission.admitted ? admission.budget : {},
        isRecovered,
        open,
        approve: askInThread({ request, threadTs, open }, work),
        onEvent(event) {
          view = reduceAnswer(view, event)
          stream.show(view)
        },
      },
      desk,
    )
    // the run goes on after the next start
    if (desk.isLeaving()) return
    count(request, desk, { requests: 0, ...spentBy(report) })
    await finish(work, { stream, report, view: endAnswer(view, report) })
    desk.state.settle(request)
  } finally {
    desk.open.end(request)
    await removeControls(work, controls)
  }
}

async function beginStream(
  { request, threadTs, desk, workspace }: Work,
  first: AnswerView,
): Promise<AnswerStream> {
  const { channel, user, team } = request
  const stream = await openAnswerStream(
    { channel, threadTs, user, team },
    {
      client: workspace.client,
      clock: desk.clock,
      pauseMs: desk.pauseMs ?? PAUSE_MS,
      first,
      hide: desk.hide,
      onError: desk.onError,
    },
  )
  if (stream.ts !== undefined) desk.state.note(request, { answerTs: stream.ts })
  return stream
}

const PAUSE_MS = 700

async function showControls(
  { request, threadTs, desk, workspace }: Work,
  agent: string,
): Promise<string | undefined> {
  const { channel, id } = request
  try {
    const blocks = [...workingBlocks(agent, id)]
    const text = `${agent} is at work`
    const { ts } = await workspace.client.chat.postMessage({ channel, thread_ts: threadTs, text, blocks })
    if (ts !== undefined) desk.state.note(request, { controlsTs: ts })
    return ts
  } catch (thrown) {
    // the answer comes all the same
    desk.onError(thrown)
    return undefined
  }
}

async function removeControls({ request, workspace, desk }: Work, ts: string | undefined): Promise<void> {
  if (ts === undefined) return
  await workspace.client.chat.delete({ channel: request.channel, ts }).catch(desk.onError)
}

async function finish(
  work: Work,
  {
    stream,
    report,
    view,
  }: { readonly stream: AnswerStream; readonly report: RunReport; readonly view: AnswerView },
): Promise<void> {
  const { request, threadTs, workspace } = work
  const blocks: readonly KnownBlock[] = answeredBlocks(request.id)
  if (view.isCut && hasAnswer(report.outcome)) await uploadAnswer(work, report)
  const isShown = await stream.end(view, blocks)
  if (!isShown)
    await postWhole(view, {
      client: workspace.client,
      channel: request.channel,
      threadTs,
      blocks,
      hide: work.desk.hide,
    })
}

async function uploadAnswer({ request, threadTs, desk, workspace }: Work, report: RunReport): Promise<void> {
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: 'answer.md',
    content: desk.hide(answerText(report)),
  })
}

function spentBy({ usage }: RunReport): { readonly tokens: number; readonly micros: number } {
  const { inputTokens, outputTokens, cost } = usage
  return { tokens: inputTokens + outputTokens, micros: Math.round((cost ?? 0) * 1_000_000) }
}

function count(
  request: SlackRequest,
  { state, config }: SlackDesk,
  spent: { readonly requests: number; readonly tokens: number; readonly micros: number },
): void {
  const { user, channel } = subjectsOf(request)
  if (Object.keys(config.limits.user).length > 0) state.spend(user, spent)
  if (Object.keys(config.limits.channel).length > 0) state.spend(channel, spent)
}
