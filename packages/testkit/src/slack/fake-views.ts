import { isJsonObject, type JsonObject } from '@troupe/schema'
import { BLOCK_LIMITS, checkBlocks } from './check-blocks.ts'
import { isRefused, refuse, textOf, type SlackMethod } from './method-call.ts'

const TRIGGER_LIFE_MS = 3000
const TITLE_LIMIT = 24

/** Opens modals. Each trigger can be used once, within three seconds. */
export interface FakeViews {
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
        if ((textOf(view['title'], 'text') ?? '').length > TITLE_LIMIT) return refuse('invalid_arguments')
        const blocks = checkBlocks(view['blocks'], BLOCK_LIMITS.modalBlocks)
        if (isRefused(blocks)) return blocks
        trigger.used = true
        views.push(view)
        return { view: { id: `V${views.length}` } }
      },
    },
  }
}
