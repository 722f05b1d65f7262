import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isDirect } from './fake-slack.ts'
import {
  knowsChannel,
  refuse,
  textOf,
  type MethodCall,
  type SlackMethod,
  type SlackRefusal,
  isRefused,
} from './method-call.ts'
import { BLOCK_LIMITS, checkBlocks } from './check-blocks.ts'

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

const TRIGGER_LIFE_MS = 3000
const VIEW_TITLE_LIMIT = 24

/** Opens modals. Each trigger can be used once, within three seconds. */
interface FakeViews {
  readonly methods: Readonly<Record<string, SlackMethod>>
  /** Opened views, in order. */
  readonly views: readonly JsonObject[]
  /** Returns a new trigger id, as created by a user action. */
  trigger(): string
}

/** Creates the modal methods. `now` returns the time in ms. */
export function createFakeViews(now: () => number): FakeViews {
  const triggers = new Map<string, { readonly at: number; used: boolean }>()
  const views: JsonObject[] = []
  return {
    views,
    trigger() {
      const id = `${triggers.size + 1}.trigger`
      triggers.set(id, { at: now(), used: false })
      return id
    },
    methods: {
      'views.open': ({ args }) => {
        const trigger = triggers.get(textOf(args, 'trigger_id') ?? '')
        if (trigger === undefined) return refuse('invalid_trigger_id')
        if (trigger.used) return refuse('exchanged_trigger_id')
        if (now() - trigger.at > TRIGGER_LIFE_MS) return refuse('expired_trigger_id')
        const { view } = args
        if (!isJsonObject(view) || !isJsonObject(view['title'])) return refuse('invalid_arguments')
        if ((textOf(view['title'], 'text') ?? '').length > VIEW_TITLE_LIMIT)
          return refuse('invalid_arguments')
        const blocks = checkBlocks(view['blocks'], BLOCK_LIMITS.modalBlocks)
        if (isRefused(blocks)) return blocks
        trigger.used = true
        views.push(view)
        return { view: { id: `V${views.length}` } }
      },
    },
  }
}
