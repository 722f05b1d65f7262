import { z } from 'zod'
import type { QuerySchema } from '../request/read-json.ts'

/** Query of a list of items. */
interface ItemsQuery {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly after?: string | undefined
}

const LIMIT = 'must be an integer from 1 to 100'

/** Schema of the query of a list of items. Other parameters are ignored. */
export const itemsQueryShape: QuerySchema<ItemsQuery> = z.object({
  limit: z.coerce.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(100, LIMIT).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional().meta({ description: 'The id of the last item of the previous page.' }),
})

/** Schema of an item. */
export const itemShape: z.ZodType = z
  .looseObject({ id: z.string(), type: z.string() })
  .meta({ id: 'ConversationItem' })

/** Schema of a page of items. */
export const itemsShape: z.ZodType = z.object({
  object: z.literal('list'),
  data: z.array(itemShape),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

/** An item in a list. */
export interface ListedItem {
  readonly id: string
  readonly [field: string]: unknown
}

/** Creates a page of items in OpenAI's format: the first ones of `rest`. */
export function listObject(rest: readonly ListedItem[], limit: number): Readonly<Record<string, unknown>> {
  const data = rest.slice(0, limit)
  return {
    object: 'list',
    data,
    has_more: rest.length > limit,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

/** Returns the parameters of a URL, of which other protocols may add some. */
export function queryOf(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(url).searchParams)
}
