import { isJsonObject, type JsonObject, type Json } from '@troupe/schema'
import { BLOCK_LIMITS, checkBlocks } from './check-blocks.ts'
import type { FakeMessage, FakeTask } from './fake-message.ts'
import {
  isRefused,
  knowsChannel,
  refuse,
  textOf,
  type MethodCall,
  type SlackMethod,
  type SlackRefusal,
} from './method-call.ts'
import { isDirect } from './fake-slack.ts'

const TEXT_LIMIT = 4000

/** Methods for whole messages: post, post for one user, update, delete. */
export const messageMethods: Readonly<Record<string, SlackMethod>> = {
  'chat.postMessage': (call) => postMessage(call),
  'chat.postEphemeral': (call) => {
    const onlyFor = textOf(call.args, 'user')
    return onlyFor === undefined ? refuse('user_not_in_channel') : postMessage(call, { onlyFor })
  },
  'chat.update': (call) => {
    const message = findMessage(call)
    if (isRefused(message)) return message
    if (message.state === 'streaming') return refuse('streaming_state_conflict')
    const content = contentOf(call)
    if (isRefused(content)) return content
    call.messages.change(message, content)
    return { channel: message.channel, ts: message.ts }
  },
  'chat.delete': (call) => {
    const message = findMessage(call)
    if (isRefused(message)) return message
    call.messages.remove(message)
    return { channel: message.channel, ts: message.ts }
  },
}

function postMessage(
  call: MethodCall,
  more: Pick<FakeMessage, 'onlyFor'> = {},
): { ts: string; channel: string } | SlackRefusal {
  const channel = textOf(call.args, 'channel')
  if (channel === undefined || !knowsChannel(call)) return refuse('channel_not_found')
  const content = contentOf(call)
  if (isRefused(content)) return content
  const threadTs = textOf(call.args, 'thread_ts')
  const { metadata } = call.args
  const { ts } = call.messages.add({
    team: call.workspace.team,
    channel,
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(isJsonObject(metadata) ? { metadata } : {}),
    tasks: [],
    taskHistory: [],
    state: 'posted',
    ...content,
    ...more,
  })
  return { channel, ts }
}

function contentOf({ args }: MethodCall): Pick<FakeMessage, 'text' | 'blocks'> | SlackRefusal {
  const blocks = checkBlocks(args['blocks'], BLOCK_LIMITS.messageBlocks)
  if (isRefused(blocks)) return blocks
  const text = textOf(args, 'text') ?? ''
  if (text === '' && blocks.length === 0) return refuse('no_text')
  return text.length > TEXT_LIMIT ? refuse('msg_too_long') : { text, blocks }
}

function findMessage({ workspace, args, messages }: MethodCall): FakeMessage | SlackRefusal {
  const key = { team: workspace.team, channel: textOf(args, 'channel') ?? '', ts: textOf(args, 'ts') ?? '' }
  return messages.find(key) ?? refuse('message_not_found')
}

/** Methods for reading channels and threads. */
export const threadMethods: Readonly<Record<string, SlackMethod>> = {
  'conversations.replies': (call) => {
    const threadTs = textOf(call.args, 'ts')
    if (!knowsChannel(call)) return refuse('channel_not_found')
    return {
      messages: visibleMessages(call, (message) => message.threadTs === threadTs || message.ts === threadTs),
    }
  },
  'conversations.history': (call) => {
    if (!knowsChannel(call)) return refuse('channel_not_found')
    return { messages: visibleMessages(call, ({ threadTs }) => threadTs === undefined).toReversed() }
  },
}

function visibleMessages(
  { messages, args, workspace }: MethodCall,
  holds: (message: FakeMessage) => boolean,
): readonly JsonObject[] {
  const all = messages.all().filter(({ team, channel, onlyFor }) => {
    return team === workspace.team && channel === args['channel'] && onlyFor === undefined
  })
  return all.filter(holds).map(({ ts, threadTs, text, blocks, state, metadata }) => ({
    type: 'message',
    ts,
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    text,
    blocks: [...blocks],
    user: workspace.botUser,
    bot_id: workspace.botId,
    ...(state === 'posted' ? {} : { streaming_state: state === 'streaming' ? 'in_progress' : 'completed' }),
    ...(metadata === undefined || args['include_all_metadata'] !== 'true' ? {} : { metadata }),
  }))
}

/** Limit of all Markdown in a streamed message. */
const STREAM_LIMIT = 12_000
const TASK_TEXT_LIMIT = 256
const STATUSES = ['pending', 'in_progress', 'complete', 'error']

interface StreamContent {
  readonly text: string
  readonly tasks: readonly FakeTask[]
  readonly taskHistory: readonly FakeTask[]
  readonly blocks: readonly JsonObject[]
}

const EMPTY: StreamContent = { text: '', tasks: [], taskHistory: [], blocks: [] }

/** Methods for streamed messages: start, append, stop. */
export const streamMethods: Readonly<Record<string, SlackMethod>> = {
  'chat.startStream': (call) => {
    const { args, workspace, messages } = call
    const channel = textOf(args, 'channel')
    if (channel === undefined || !knowsChannel(call)) return refuse('channel_not_found')
    const threadTs = textOf(args, 'thread_ts')
    if (threadTs === undefined) return refuse('invalid_thread_ts')
    if (!isDirect(channel) && textOf(args, 'recipient_user_id') === undefined)
      return refuse('missing_recipient_user_id')
    if (!isDirect(channel) && textOf(args, 'recipient_team_id') === undefined)
      return refuse('missing_recipient_team_id')
    if (args['markdown_text'] === undefined && args['chunks'] === undefined) return refuse('no_text')
    const content = appendContent(EMPTY, args)
    if (isRefused(content)) return content
    const message = messages.add({ team: workspace.team, channel, threadTs, state: 'streaming', ...content })
    return { channel, ts: message.ts }
  },
  'chat.appendStream': (call) => {
    const message = findStream(call)
    if (isRefused(message)) return message
    if (call.args['markdown_text'] === undefined && call.args['chunks'] === undefined)
      return refuse('no_text')
    const content = appendContent(message, call.args)
    if (isRefused(content)) return content
    call.messages.change(message, content)
    return { channel: message.channel, ts: message.ts }
  },
  'chat.stopStream': (call) => {
    const message = findStream(call)
    if (isRefused(message)) return message
    const content = appendContent(message, call.args)
    if (isRefused(content)) return content
    const blocks = checkBlocks(call.args['blocks'], BLOCK_LIMITS.messageBlocks)
    if (isRefused(blocks)) return blocks
    call.messages.change(message, { ...content, blocks: [...content.blocks, ...blocks], state: 'complete' })
    return { channel: message.channel, ts: message.ts }
  },
}

function findStream({ workspace, args, messages }: MethodCall): FakeMessage | SlackRefusal {
  const key = { team: workspace.team, channel: textOf(args, 'channel') ?? '', ts: textOf(args, 'ts') ?? '' }
  const message = messages.find(key)
  if (message === undefined) return refuse('message_not_found')
  return message.state === 'streaming' ? message : refuse('message_not_in_streaming_state')
}

function appendContent(before: StreamContent, args: JsonObject): StreamContent | SlackRefusal {
  const { chunks } = args
  if (chunks !== undefined && (!Array.isArray(chunks) || chunks.length === 0)) return refuse('invalid_chunks')
  const { text, tasks, taskHistory, blocks } = before
  let content: StreamContent | SlackRefusal = {
    text: `${text}${textOf(args, 'markdown_text') ?? ''}`,
    tasks,
    taskHistory,
    blocks,
  }
  for (const chunk of (chunks ?? []) as readonly Json[])
    if (!isRefused(content)) content = withChunk(content, chunk)
  if (isRefused(content)) return content
  return content.text.length > STREAM_LIMIT ? refuse('msg_too_long') : content
}

function withChunk(content: StreamContent, chunk: Json): StreamContent | SlackRefusal {
  if (!isJsonObject(chunk)) return refuse('invalid_chunks')
  if (chunk['type'] === 'markdown_text' && typeof chunk['text'] === 'string')
    return { ...content, text: content.text + chunk['text'] }
  if (chunk['type'] !== 'task_update') return refuse('invalid_chunks')
  const task = toTask(chunk)
  if (task === undefined) return refuse('invalid_chunks')
  const isNew = content.tasks.every(({ id }) => id !== task.id)
  const tasks = isNew
    ? [...content.tasks, task]
    : content.tasks.map((each) => (each.id === task.id ? { ...each, ...task } : each))
  return { ...content, tasks, taskHistory: [...content.taskHistory, task] }
}

function toTask(chunk: JsonObject): FakeTask | undefined {
  const { id, title, status, details, output } = chunk
  if (typeof id !== 'string' || typeof title !== 'string' || typeof status !== 'string') return undefined
  if (title.length > TASK_TEXT_LIMIT || !STATUSES.includes(status)) return undefined
  if (!isShort(details) || !isShort(output)) return undefined
  return {
    id,
    title,
    status,
    ...(details === undefined ? {} : { details }),
    ...(output === undefined ? {} : { output }),
  }
}

function isShort(value: Json | undefined): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= TASK_TEXT_LIMIT)
}
