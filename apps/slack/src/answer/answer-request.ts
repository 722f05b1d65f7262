import type { KnownBlock } from '@slack/types'
import { hasAnswer, type RunReport, isJsonObject, type JsonObject } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import { threadOf, type SlackRequest } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import {
  answerText,
  emptyAnswer,
  endAnswer,
  addNotes,
  reduceAnswer,
  type AnswerView,
} from '../view/answer-view.ts'
import { answeredBlocks } from '../view/control-blocks.ts'
import { hideDeltas } from '../view/hide-chunks.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { oneLine, escapeSlack } from '../view/slack-text.ts'
import { platformError, toJson } from '../context/slack-api.ts'
import { createSpendingRecorder, admitRequest, type RequestAdmission } from './admit-request.ts'
import { openAnswerStream, type AnswerStream } from './answer-stream.ts'
import { askInThread, postAnswer, showControls, sendPrivately } from './post-messages.ts'
import { collectAttachments } from './collect-attachments.ts'
import { runRequest } from './run-request.ts'
import { closeLeftovers } from './close-leftovers.ts'

/** A request with everything needed to answer it. */
interface AnswerTask {
  readonly request: SlackRequest
  readonly threadTs: string
  readonly context: SlackContext
  readonly workspace: Workspace
}

type AcceptedAdmission = Extract<RequestAdmission, { readonly admitted: true }>

/**
 * Answers a request in its thread, once, even after a restart. Never rejects: errors go to `onError`, and a
 * request without an answer stays open for the next start.
 */
export async function answerRequest(
  storedRequest: StoredSlackRequest,
  { context, isRecovered = false }: { readonly context: SlackContext; readonly isRecovered?: boolean },
): Promise<void> {
  const { request } = storedRequest
  const workspace = context.workspaces.get(request.team)
  if (workspace === undefined || context.isClosing()) return
  try {
    const found = isRecovered ? await withThread(storedRequest, { context, workspace }) : storedRequest
    const admission = await admitRequest(request, { context, workspace })
    if (isRecovered && (await closeLeftovers(found, { context, workspace, ending: endingOf(admission) })))
      return context.state.settle(request)
    if (!admission.admitted) {
      await sendPrivately(request, { context, workspace, text: admission.reason })
      return context.state.settle(request)
    }
    const threadTs = threadOf(request, found.progress) ?? (await openThread(request, { context, workspace }))
    await answerInThread({ request, threadTs, context, workspace }, { admission, isRecovered })
  } catch (thrown) {
    context.onError(thrown)
  }
}

/** Finds the thread of a command if it was posted but its id was not stored. */
async function withThread(
  storedRequest: StoredSlackRequest,
  tools: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<StoredSlackRequest> {
  const { request, progress } = storedRequest
  if (progress.begun !== true || threadOf(request, progress) !== undefined) return storedRequest
  const rootTs = await findThread(request, tools)
  return rootTs === undefined ? storedRequest : { request, progress: { ...progress, rootTs } }
}

/** Returns the text that closes an interrupted message. */
function endingOf(admission: RequestAdmission): string {
  return admission.admitted
    ? '_This answer was interrupted. The full answer follows below._'
    : `_This answer was interrupted._ ${admission.reason}`
}

async function answerInThread(
  work: AnswerTask,
  { admission, isRecovered }: { readonly admission: AcceptedAdmission; readonly isRecovered: boolean },
): Promise<void> {
  const { request, threadTs, context, workspace } = work
  const { agent, budget } = admission
  const definition = context.host.definition(agent)
  const open = context.open.begin(request)
  const spendingRecorder = createSpendingRecorder(request, context)
  let view = emptyAnswer({ streams: definition.output?.format !== 'json' })
  const stream = beginStream(work, view)
  const toShownEvents = hideDeltas(context.pieces)
  const removeControls = await showControls(work, definition.name)
  // Posting the buttons would clear the status, so set it afterwards.
  await showInView(work)
  try {
    const report = await runRequest(
      {
        request,
        agent,
        threadTs,
        budget,
        isRecovered,
        open,
        approve: askInThread({ request, threadTs, open }, work),
        async attachments() {
          const { signal } = open
          const read = await collectAttachments(request, definition, { context, workspace, signal })
          view = addNotes(view, read.skipped)
          stream.show(view)
          return read.attachments
        },
        onEvent(event) {
          spendingRecorder.onEvent(event)
          view = toShownEvents(event).reduce(reduceAnswer, view)
          stream.show(view)
        },
      },
      context,
    )
    // The run is resumed after the next start.
    if (context.isClosing()) return
    await finish(work, { stream, report, view: endAnswer(view, report, context.hide) })
    context.state.settle(request)
  } finally {
    context.open.end(request)
    await removeControls()
  }
}

async function showInView({ request, threadTs, context, workspace }: AnswerTask): Promise<void> {
  const { channel, text, kind, isFirst } = request
  const thread = { workspace, channel, threadTs }
  await context.view.showStatus(thread)
  if (kind === 'direct' && isFirst === true) await context.view.showTitle(thread, text)
}

function beginStream({ request, threadTs, context, workspace }: AnswerTask, first: AnswerView): AnswerStream {
  const { channel, user, team } = request
  return openAnswerStream(
    { channel, threadTs, user, team },
    {
      client: workspace.client,
      clock: context.clock,
      pauseMs: context.pauseMs ?? PAUSE_MS,
      first,
      hide: context.hide,
      note: (progress) => context.state.note(request, progress),
      onError: context.onError,
    },
  )
}

const PAUSE_MS = 700

async function finish(
  work: AnswerTask,
  {
    stream,
    report,
    view,
  }: { readonly stream: AnswerStream; readonly report: RunReport; readonly view: AnswerView },
): Promise<void> {
  const { request, threadTs, workspace, context } = work
  const blocks: readonly KnownBlock[] = answeredBlocks(request.id)
  if (view.isCut && hasAnswer(report.outcome)) await uploadAnswer(work, report)
  const isShown = await stream.end(view, blocks)
  if (isShown) return
  const target = { channel: request.channel, threadTs }
  await postAnswer(view, { client: workspace.client, ...target, blocks, hide: context.hide })
}

async function uploadAnswer(
  { request, threadTs, context, workspace }: AnswerTask,
  report: RunReport,
): Promise<void> {
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: 'answer.md',
    content: context.hide(answerText(report)),
  })
}

interface SlackThreadContext {
  readonly context: SlackContext
  readonly workspace: Workspace
}

/** Metadata type of the message that opens a thread, to find it again. */
const EVENT_TYPE = 'troupe_request'
const SEARCH_LIMIT = 100

/**
 * Opens a thread for a command with a message that shows the question to everyone. Returns the timestamp of
 * the message.
 */
async function openThread(
  request: SlackRequest,
  { context, workspace }: SlackThreadContext,
): Promise<string> {
  const { channel, user, text, id } = request
  const question = `<@${user}> asked: ${escapeSlack(oneLine(context.hide(text), 1000), { atLineStart: false })}`
  context.state.note(request, { begun: true })
  const { ts = '' } = await workspace.client.chat.postMessage({
    channel,
    text: question,
    metadata: { event_type: EVENT_TYPE, event_payload: { id } },
  })
  context.state.note(request, { rootTs: ts })
  return ts
}

/**
 * Finds the message that opened a thread but was not stored. Returns `undefined` if there is none, or if the
 * app may not read the channel.
 */
async function findThread(
  request: SlackRequest,
  { context, workspace }: SlackThreadContext,
): Promise<string | undefined> {
  try {
    const { messages = [] } = await workspace.client.conversations.history({
      channel: request.channel,
      limit: SEARCH_LIMIT,
      include_all_metadata: true,
    })
    const root = toJson(messages).find((message) => isAbout(message, request))
    if (typeof root?.['ts'] !== 'string') return undefined
    context.state.note(request, { rootTs: root['ts'] })
    return root['ts']
  } catch (thrown) {
    if (platformError(thrown) !== 'missing_scope') context.onError(thrown)
    return undefined
  }
}

function isAbout({ metadata }: JsonObject, { id }: SlackRequest): boolean {
  if (!isJsonObject(metadata) || metadata['event_type'] !== EVENT_TYPE) return false
  const { event_payload: payload } = metadata
  return isJsonObject(payload) && payload['id'] === id
}
