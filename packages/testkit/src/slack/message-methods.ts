import { isJsonObject, type JsonObject } from '@troupe/schema'
import { BLOCK_LIMITS, checkBlocks } from './check-blocks.ts'
import type { FakeMessage } from './fake-message.ts'
import {
  isRefused,
  knowsChannel,
  refuse,
  textOf,
  type MethodCall,
  type SlackMethod,
  type SlackRefusal,
} from './method-call.ts'

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
