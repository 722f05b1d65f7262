import { isJsonObject, parseDuration, type Json, type JsonObject } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import { z } from 'zod'
import type { ArgumentMatchers } from './value-matcher.ts'

/** Bounds of a number. At least one of them is set. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** One expectation by type, without `not` and `gate`. */
export type CheckFields =
  | { readonly type: 'contains' | 'regex'; readonly value: string }
  | { readonly type: 'equals'; readonly value: Json }
  | { readonly type: 'json-schema'; readonly value: string | JsonObject }
  | {
      readonly type: 'json-path'
      readonly path: string
      readonly equals?: Json
      readonly contains?: string
      readonly regex?: string
    }
  | { readonly type: 'tool-called'; readonly value: string | readonly string[] }
  | {
      readonly type: 'tool-calls'
      readonly tool?: string
      readonly order?: readonly string[]
      readonly args?: ArgumentMatchers
      readonly count?: number | Bounds
    }
  | { readonly type: 'agents'; readonly used: readonly string[] }
  | ({ readonly type: 'cost' | 'tokens' | 'latency' | 'turns' } & Bounds)
  | { readonly type: 'no-problems' }
  | { readonly type: 'judge'; readonly agent: string; readonly rubric: string }
  | { readonly type: 'javascript'; readonly value: string }

/** The fields of one type of check. */
export type FieldsOf<Type extends CheckFields['type']> = Extract<CheckFields, { readonly type: Type }>

/** Name of a kind of check. */
export type CheckType = CheckFields['type']

/** An expectation on a run. */
export interface EvalCheck {
  readonly fields: CheckFields
  /** True if the expectation is negated. */
  readonly not: boolean
  /** False if the check is shown but does not decide. */
  readonly gate: boolean
}

const text = z.string().min(1)
const count = z.number().min(0)
const bounds = { min: count.optional(), max: count.optional() }
const isBound = ({ min, max }: { readonly min?: unknown; readonly max?: unknown }): boolean =>
  min !== undefined || max !== undefined
const NO_BOUND = 'set `max`, `min` or both'
const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms !== undefined) return ms
  context.addIssue('expected a number of ms or text such as "500ms" or "30s"')
  return z.NEVER
})
const names = z.array(text).min(1)

const SHAPES = {
  contains: z.strictObject({ value: text }),
  equals: z.strictObject({ value: z.json() }),
  regex: z.strictObject({ value: text }),
  'json-schema': z.strictObject({
    value: z.union([text, z.record(z.string(), z.json())], 'expected a JSON Schema, or the path of one'),
  }),
  'json-path': z
    .strictObject({
      path: text,
      equals: z.json().optional(),
      contains: text.optional(),
      regex: text.optional(),
    })
    .refine(
      ({ equals, contains, regex }) =>
        [equals, contains, regex].filter((each) => each !== undefined).length <= 1,
      { message: 'set at most one of `equals`, `contains` and `regex`' },
    ),
  'tool-called': z.strictObject({ value: z.union([text, names], 'expected the name of a tool, or a list') }),
  'tool-calls': z
    .strictObject({
      tool: text.optional(),
      order: names.optional(),
      args: z.record(z.string(), z.json(), 'expected a mapping of arguments').optional(),
      count: z
        .union(
          [z.int().min(0), z.strictObject(bounds).refine(isBound, NO_BOUND)],
          'expected a number, or `{min, max}`',
        )
        .optional(),
    })
    .refine((fields) => Object.keys(fields).length > 0, 'set `tool`, `order`, `args` or `count`'),
  agents: z.strictObject({ used: names }),
  cost: z.strictObject(bounds).refine(isBound, NO_BOUND),
  tokens: z.strictObject(bounds).refine(isBound, NO_BOUND),
  latency: z.strictObject({ min: duration.optional(), max: duration.optional() }).refine(isBound, NO_BOUND),
  turns: z.strictObject(bounds).refine(isBound, NO_BOUND),
  'no-problems': z.strictObject({}),
  judge: z.strictObject({ agent: text, rubric: text }),
  javascript: z.strictObject({ value: text }),
} satisfies Record<CheckType, z.ZodType>

const TYPES = Object.keys(SHAPES) as readonly CheckType[]
/** Types whose only key may be written as `type: value`. */
const WITH_VALUE: ReadonlySet<string> = new Set<CheckType>([
  'contains',
  'equals',
  'regex',
  'json-schema',
  'tool-called',
  'javascript',
])
const COMMON = ['type', 'gate']
const NOT = 'not-'

/** A problem of a check. `key` is the key as it is written in the file. */
export interface CheckIssue {
  readonly key?: string
  readonly message: string
}

/** Parses one item of `assert`. Returns the problems if it is not valid. */
export function parseCheck(item: Json): EvalCheck | readonly CheckIssue[] {
  const written = toFields(item)
  if ('message' in written) return [written]
  const { type: name, gate, fields, valueKey } = written
  const not = name.startsWith(NOT)
  const type = findType(name)
  if (type === undefined) return [unknownType(name, valueKey)]
  if (typeof gate !== 'boolean') return [{ key: 'gate', message: 'gate: expected true or false' }]
  const parsed = SHAPES[type].safeParse(fields)
  if (parsed.success) return { fields: { type, ...parsed.data } as CheckFields, not, gate }
  const known = [...COMMON, ...keysOf(type)]
  const { issues } = parsed.error
  // A misspelt key is the reason why another one is missing.
  const misspelt = issues.filter(({ code }) => code === 'unrecognized_keys')
  return (misspelt.length > 0 ? misspelt : issues).flatMap((issue) =>
    toIssues(issue, { type: name, known, valueKey }),
  )
}

interface WrittenCheck {
  readonly type: string
  readonly gate: Json
  readonly fields: JsonObject
  /** The key that stands for `value` in the short form. */
  readonly valueKey?: string
}

/** Reads the three forms of a check: `no-problems`, `contains: nine` and `{type: contains, value: nine}`. */
function toFields(item: Json): WrittenCheck | CheckIssue {
  if (typeof item === 'string') return { type: item, gate: true, fields: {} }
  if (!isJsonObject(item)) return { message: 'expected a check such as `contains: nine`' }
  const { gate = true, type, ...fields } = item
  if (typeof type === 'string') return { type, gate, fields }
  if (type !== undefined) return { key: 'type', message: 'type: expected the name of a check' }
  const [entry, ...others] = Object.entries(fields)
  if (entry === undefined || others.length > 0)
    return { message: 'expected `type`, or one key that is the name of a check, such as `contains: nine`' }
  const [name, value] = entry
  if (findType(name) === undefined) return { type: name, gate, fields: {}, valueKey: name }
  const short = isShort(name) ? { value } : isJsonObject(value) ? value : undefined
  if (short === undefined) return { key: name, message: `${name}: expected a mapping of its keys` }
  return { type: name, gate, fields: short, valueKey: name }
}

/** Returns the type of a check by its name, which may be negated. */
function findType(name: string): CheckType | undefined {
  return TYPES.find((type) => type === withoutNot(name))
}

function withoutNot(name: string): string {
  return name.startsWith(NOT) ? name.slice(NOT.length) : name
}

function isShort(name: string): boolean {
  return WITH_VALUE.has(withoutNot(name))
}

function unknownType(name: string, valueKey: string | undefined): CheckIssue {
  const near = closest(name, [...TYPES, ...TYPES.map((type) => `${NOT}${type}`)])
  const hint = near === undefined ? '' : `; did you mean \`${near}\`?`
  return { key: valueKey ?? 'type', message: `unknown check \`${name.slice(0, 100)}\`${hint}` }
}

function keysOf(type: CheckType): readonly string[] {
  return Object.keys(SHAPES[type].shape)
}

function toIssues(
  issue: z.core.$ZodIssue,
  {
    type,
    known,
    valueKey,
  }: { readonly type: string; readonly known: readonly string[]; readonly valueKey: string | undefined },
): readonly CheckIssue[] {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
    return issue.keys.map((key) => {
      const near = closest(key, known)
      const hint = near === undefined ? '' : `; did you mean \`${near}\`?`
      return { key, message: `${type}: unknown key \`${key.slice(0, 100)}\`${hint}` }
    })
  const [first] = issue.path
  const key = first === undefined ? undefined : String(first)
  const written = key === 'value' && valueKey !== undefined ? valueKey : key
  const where = issue.path.length === 0 || written === valueKey ? '' : `${issue.path.map(String).join('.')}: `
  return [
    {
      ...(written === undefined ? {} : { key: written }),
      message: `${type}: ${where}${lowerFirst(issue.message)}`,
    },
  ]
}

/** Starts a message of zod with a small letter, as part of a sentence. */
export function lowerFirst(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1)
}
