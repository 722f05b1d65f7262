import { isJsonObject, type Json } from '@troupe/schema'
import { isDirect } from './fake-workspace.ts'
import {
  knowsChannel,
  refuse,
  textOf,
  type MethodCall,
  type SlackMethod,
  type SlackRefusal,
} from './method-call.ts'

/** Methods about the app's identity and its channels. */
export const workspaceMethods: Readonly<Record<string, SlackMethod>> = {
  'auth.test': ({ workspace: { team, botUser, botId } }) => ({
    team_id: team,
    team: team.toLowerCase(),
    user_id: botUser,
    bot_id: botId,
    url: 'https://fake.slack.test/',
  }),
  'conversations.info': ({ workspace, args }) => {
    const channel = workspace.channels.find(({ id }) => id === textOf(args, 'channel'))
    if (channel === undefined) return refuse('channel_not_found')
    return { channel: { id: channel.id, name: channel.name ?? '', is_im: isDirect(channel.id) } }
  },
}

const MAX_PROMPTS = 4
const TITLE_LIMIT = 255
const STATUS_LIMIT = 100

/** Methods for the agent's status, title and suggested prompts. */
export const agentViewMethods: Readonly<Record<string, SlackMethod>> = {
  'assistant.threads.setStatus': (call) => {
    const { status } = call.args
    if (typeof status !== 'string' || status.length > STATUS_LIMIT) return refuse('invalid_arguments')
    return inThread(call) ?? {}
  },
  'assistant.threads.setTitle': (call) => {
    const title = textOf(call.args, 'title')
    if (title === undefined || title.length > TITLE_LIMIT) return refuse('invalid_arguments')
    return notDirect(call) ?? inThread(call) ?? {}
  },
  'assistant.threads.setSuggestedPrompts': (call) => {
    const { prompts } = call.args
    if (!Array.isArray(prompts) || prompts.length === 0 || prompts.length > MAX_PROMPTS)
      return refuse('invalid_arguments')
    if (!(prompts as readonly Json[]).every(isPrompt)) return refuse('invalid_arguments')
    return notDirect(call) ?? {}
  },
}

function notDirect(call: MethodCall): SlackRefusal | undefined {
  if (!knowsChannel(call, 'channel_id')) return refuse('channel_not_found')
  return isDirect(textOf(call.args, 'channel_id') ?? '') ? undefined : refuse('channel_not_supported')
}

function inThread(call: MethodCall): SlackRefusal | undefined {
  if (!knowsChannel(call, 'channel_id')) return refuse('channel_not_found')
  return textOf(call.args, 'thread_ts') === undefined ? refuse('invalid_thread_ts') : undefined
}

function isPrompt(prompt: Json): boolean {
  return (
    isJsonObject(prompt) && textOf(prompt, 'title') !== undefined && textOf(prompt, 'message') !== undefined
  )
}
