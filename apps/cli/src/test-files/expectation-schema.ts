import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/** An expectation of a test, in its long form. */
export type Expectation =
  | { readonly type: 'contains' | 'not-contains' | 'regex' | 'not-regex'; readonly value: string }
  | { readonly type: 'equals' | 'not-equals'; readonly value: Json }
  | { readonly type: 'json-schema'; readonly value: string | JsonObject }
  | ToolCallsExpectation
  | { readonly type: 'not-tool-called'; readonly value: readonly string[] }
  | { readonly type: 'agents'; readonly used: readonly string[] }
  | { readonly type: 'turns'; readonly max: number }
  | { readonly type: 'no-problems' }

/** Expected calls of tools, of one of them with arguments and a number, or of several in order. */
export interface ToolCallsExpectation {
  readonly type: 'tool-calls'
  readonly value?: readonly string[]
  readonly order?: readonly string[]
  /** Patterns of arguments: `{ regex: … }` for a text, else the value itself. */
  readonly args?: JsonObject
  readonly count?: number | { readonly min?: number; readonly max?: number }
}

const text = z.string()
const name = z.string().min(1)
const names = z.union(
  [name.transform((one) => [one]), z.array(name).min(1)],
  'expected a name, or a list of names',
)
const json = z.json()
const object = z.record(z.string(), z.json())
const count = z.int().min(0)

const TEXT = { value: text }
const JSON_VALUE = { value: json }

/** Keys by type of expectation. The first key is the one that the short form sets. */
const KEYS: Readonly<Record<Expectation['type'], z.core.$ZodShape>> = {
  contains: TEXT,
  'not-contains': TEXT,
  equals: JSON_VALUE,
  'not-equals': JSON_VALUE,
  regex: TEXT,
  'not-regex': TEXT,
  'json-schema': { value: z.union([text, object], 'expected a JSON Schema, or the path of one') },
  'tool-calls': {
    value: names.optional(),
    order: z.array(name).min(2).optional(),
    args: object.optional(),
    count: z
      .union(
        [count, z.strictObject({ min: count.optional(), max: count.optional() })],
        'expected a number, or min and max',
      )
      .optional(),
  },
  'not-tool-called': { value: names },
  agents: { used: names },
  turns: { max: z.int().min(1) },
  'no-problems': {},
}

/** Types whose value may itself be a mapping. */
const WITH_MAPPINGS: ReadonlySet<string> = new Set(['equals', 'not-equals', 'json-schema'])

/** The types of expectations. */
export const EXPECTATION_TYPES: readonly string[] = Object.keys(KEYS)

/** Keys of expectations, for suggestions. */
export const EXPECTATION_KEYS: readonly string[] = [
  'type',
  ...new Set(Object.values(KEYS).flatMap((shape) => Object.keys(shape))),
]

function isType(value: unknown): value is Expectation['type'] {
  return typeof value === 'string' && Object.hasOwn(KEYS, value)
}

/** Converts an expectation to its long form: `contains: nine` becomes `{ type: contains, value: nine }`. */
function toLongForm(item: unknown): unknown {
  if (typeof item === 'string') return { type: item }
  if (!isJsonObject(item) || Object.hasOwn(item, 'type')) return item
  const [entry, ...others] = Object.entries(item)
  if (entry === undefined || others.length > 0) return item
  const [type, value] = entry
  if (isJsonObject(value) && !WITH_MAPPINGS.has(type)) return { ...value, type }
  const [key = 'value'] = isType(type) ? Object.keys(KEYS[type]) : []
  return { type, [key]: value }
}

const SCHEMAS = new Map(
  (Object.keys(KEYS) as Expectation['type'][]).map((type) => [
    type,
    z.strictObject({ type: z.literal(type), ...KEYS[type] }),
  ]),
)

/** Schema of an expectation in its short or long form. */
export const expectationSchema: z.ZodType<Expectation> = z.unknown().transform((item, context) => {
  const long = toLongForm(item)
  if (!isJsonObject(long)) {
    context.addIssue('expected an expectation, such as `contains: nine`')
    return z.NEVER
  }
  const { type } = long
  const schema = isType(type) ? SCHEMAS.get(type) : undefined
  if (schema === undefined) {
    context.addIssue({ code: 'custom', message: UNKNOWN_TYPE, params: { type } })
    return z.NEVER
  }
  const parsed = schema.safeParse(long)
  for (const issue of parsed.error?.issues ?? []) context.addIssue({ ...issue })
  if (!parsed.success) return z.NEVER
  const expectation = parsed.data as unknown as Expectation
  const problem = expectation.type === 'tool-calls' ? toolCallsProblem(expectation) : undefined
  if (problem !== undefined) context.addIssue(problem)
  return expectation
}) as never

/** Message of the issue of an unknown type. Its params have the type. */
export const UNKNOWN_TYPE = 'unknown expectation'

function toolCallsProblem({ value, order, args, count: times }: ToolCallsExpectation): string | undefined {
  if ((value === undefined) === (order === undefined)) return '`tool-calls` needs either `value` or `order`'
  const isDetailed = args !== undefined || times !== undefined
  return isDetailed && value?.length !== 1 ? '`args` and `count` need one tool as `value`' : undefined
}
