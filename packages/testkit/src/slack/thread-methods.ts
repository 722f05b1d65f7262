import type { JsonObject } from '@troupe/schema'
import type { FakeMessage } from './fake-message.ts'
import { knowsChannel, textOf, type MethodCall, type SlackMethod } from './method-call.ts'
import { refuse } from './slack-refusal.ts'

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
