import type { KnownBlock } from '@slack/types'
import { hasAnswer, type RunReport } from '@troupe/schema'
import type { Workspace } from '../app/workspaces.ts'
import { createSpending } from '../budget/create-spending.ts'
import { threadOf, type SlackRequest } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import { answerText } from '../view/answer-text.ts'
import { emptyAnswer, endAnswer, noteAnswer, reduceAnswer, type AnswerView } from '../view/answer-view.ts'
import { answeredBlocks } from '../view/control-blocks.ts'
import { hideDeltas } from '../view/hide-deltas.ts'
import { admitRequest, type Admission } from './admit-request.ts'
import { openAnswerStream, type AnswerStream } from './answer-stream.ts'
import { askInThread } from './ask-in-thread.ts'
import { collectAttachments } from './collect-attachments.ts'
import { findThread, openThread } from './open-thread.ts'
import { postWhole } from './post-whole.ts'
import { runRequest } from './run-request.ts'
import { showControls } from './show-controls.ts'
import type { SlackDesk } from './slack-desk.ts'
import { tellPerson } from './tell-person.ts'
import { wasAnswered } from './was-answered.ts'

/** A request with everything needed to answer it. */
interface Work {
  readonly request: SlackRequest
  readonly threadTs: string
  readonly desk: SlackDesk
  readonly workspace: Workspace
}

type Admitted = Extract<Admission, { readonly admitted: true }>

/**
 * Answers a request in its thread, once, even after a restart. Never rejects: errors go to `onError`, and a
 * request without an answer stays open for the next start.
 */
export async function answerRequest(
  kept: KeptRequest,
  { desk, isRecovered = false }: { readonly desk: SlackDesk; readonly isRecovered?: boolean },
): Promise<void> {
  const { request } = kept
  const workspace = desk.workspaces.get(request.team)
  if (workspace === undefined || desk.isLeaving()) return
  try {
    const found = isRecovered ? await withThread(kept, { desk, workspace }) : kept
    const admission = await admitRequest(request, { desk, workspace })
    if (isRecovered && (await wasAnswered(found, { desk, workspace, ending: endingOf(admission) })))
      return desk.state.settle(request)
    if (!admission.admitted) {
      await tellPerson(request, { desk, workspace, text: admission.reason })
      return desk.state.settle(request)
    }
    const threadTs = threadOf(request, found.place) ?? (await openThread(request, { desk, workspace }))
    await answerInThread({ request, threadTs, desk, workspace }, { admission, isRecovered })
  } catch (thrown) {
    desk.onError(thrown)
  }
}

/** Finds the thread of a command if it was posted but its id was not stored. */
async function withThread(
  kept: KeptRequest,
  tools: { readonly desk: SlackDesk; readonly workspace: Workspace },
): Promise<KeptRequest> {
  const { request, place } = kept
  if (place.begun !== true || threadOf(request, place) !== undefined) return kept
  const rootTs = await findThread(request, tools)
  return rootTs === undefined ? kept : { request, place: { ...place, rootTs } }
}

/** Returns the text that closes an interrupted message. */
function endingOf(admission: Admission): string {
  return admission.admitted
    ? '_This was interrupted. The answer follows below._'
    : `_This was interrupted._ ${admission.reason}`
}

async function answerInThread(
  work: Work,
  { admission, isRecovered }: { readonly admission: Admitted; readonly isRecovered: boolean },
): Promise<void> {
  const { request, threadTs, desk, workspace } = work
  const { agent, budget } = admission
  const definition = desk.host.definition(agent)
  const open = desk.open.begin(request)
  const spending = createSpending(request, desk)
  let view = emptyAnswer({ streams: definition.output?.format !== 'json' })
  const stream = beginStream(work, view)
  const shownOf = hideDeltas(desk.pieces)
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
          const read = await collectAttachments(request, definition, { desk, workspace, signal })
          view = noteAnswer(view, read.left)
          stream.show(view)
          return read.attachments
        },
        onEvent(event) {
          spending.onEvent(event)
          view = shownOf(event).reduce(reduceAnswer, view)
          stream.show(view)
        },
      },
      desk,
    )
    // The run is resumed after the next start.
    if (desk.isLeaving()) return
    await finish(work, { stream, report, view: endAnswer(view, report, desk.hide) })
    desk.state.settle(request)
  } finally {
    desk.open.end(request)
    await removeControls()
  }
}

async function showInView({ request, threadTs, desk, workspace }: Work): Promise<void> {
  const { channel, text, kind, isFirst } = request
  const thread = { workspace, channel, threadTs }
  await desk.view.showStatus(thread)
  if (kind === 'direct' && isFirst === true) await desk.view.showTitle(thread, text)
}

function beginStream({ request, threadTs, desk, workspace }: Work, first: AnswerView): AnswerStream {
  const { channel, user, team } = request
  return openAnswerStream(
    { channel, threadTs, user, team },
    {
      client: workspace.client,
      clock: desk.clock,
      pauseMs: desk.pauseMs ?? PAUSE_MS,
      first,
      hide: desk.hide,
      note: (place) => desk.state.note(request, place),
      onError: desk.onError,
    },
  )
}

const PAUSE_MS = 700

async function finish(
  work: Work,
  {
    stream,
    report,
    view,
  }: { readonly stream: AnswerStream; readonly report: RunReport; readonly view: AnswerView },
): Promise<void> {
  const { request, threadTs, workspace, desk } = work
  const blocks: readonly KnownBlock[] = answeredBlocks(request.id)
  if (view.isCut && hasAnswer(report.outcome)) await uploadAnswer(work, report)
  const isShown = await stream.end(view, blocks)
  if (isShown) return
  const place = { channel: request.channel, threadTs }
  await postWhole(view, { client: workspace.client, ...place, blocks, hide: desk.hide })
}

async function uploadAnswer({ request, threadTs, desk, workspace }: Work, report: RunReport): Promise<void> {
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: 'answer.md',
    content: desk.hide(answerText(report)),
  })
}
