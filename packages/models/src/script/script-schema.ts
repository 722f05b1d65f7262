import { parseDuration, type JsonObject } from '@troupe/schema'
import { z } from 'zod'

/**
 * A tool call of a step. Arguments given as text are sent unchanged, so that a script can simulate malformed
 * arguments.
 */
export interface ScriptCall {
  readonly tool: string
  readonly args: JsonObject | string
}

/** A simulated error. */
export interface ScriptFailure {
  readonly status: number
  readonly message?: string
  /** In ms. */
  readonly retryAfter?: number
}

/** Token counts to report instead of estimates. */
interface ScriptUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** One answer of the scripted model: text, tool calls or both, or a failure. */
export interface ScriptStep {
  readonly say?: string
  readonly call?: readonly ScriptCall[]
  readonly fail?: ScriptFailure
  /** In ms. */
  readonly delay?: number
  readonly usage?: ScriptUsage
}

/** A step that applies whenever `when` matches the last user text. */
export interface ScriptRule extends ScriptStep {
  readonly when: RegExp
}

/** A parsed script. Steps by agent (`*` for any other agent), and rules for calls without a step. */
export interface ModelScript {
  readonly file: string
  readonly agents: ReadonlyMap<string, readonly ScriptStep[]>
  readonly rules: readonly ScriptRule[]
}

const DAY = 86_400_000

const duration = z
  .union([z.number(), z.string()])
  .refine((value) => (parseDuration(value) ?? DAY + 1) <= DAY, {
    message: 'expected a number of ms or text such as "50ms" or "2s", at most 24h',
  })
  .transform((value) => parseDuration(value) ?? 0)
const text = z.union([z.string(), z.number(), z.boolean()], 'expected text').transform(String)
const count = z.int().min(0).optional()

const stepFields = {
  say: text.optional(),
  call: z
    .array(
      z.strictObject({
        tool: z.string().min(1),
        args: z.union([z.record(z.string(), z.json()), z.string()], 'expected a map of arguments').optional(),
      }),
    )
    .min(1)
    .optional(),
  fail: z
    .strictObject({
      status: z.int().min(400).max(599),
      message: z.string().optional(),
      retryAfter: duration.optional(),
    })
    .optional(),
  delay: duration.optional(),
  usage: z
    .strictObject({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count })
    .optional(),
}

const pattern = z.string().transform((source, context) => {
  try {
    // the script is a local file of the user, as trusted as the card that names it
    return new RegExp(source, 'u')
  } catch (error) {
    context.addIssue(`not a regular expression: ${(error as Error).message}`)
    return z.NEVER
  }
})

type StepFields = { readonly say?: unknown; readonly call?: unknown; readonly fail?: unknown }

function doesSomething({ say, call, fail }: StepFields): boolean {
  return say !== undefined || call !== undefined || fail !== undefined
}

function doesNotFailToo({ say, call, fail }: StepFields): boolean {
  return fail === undefined || (say === undefined && call === undefined)
}

const NOTHING = 'a step needs `say`, `call` or `fail`'
const BOTH = 'a step with `fail` cannot have `say` or `call`'

const step = z.strictObject(stepFields).refine(doesSomething, NOTHING).refine(doesNotFailToo, BOTH)
const rule = z
  .strictObject({ when: pattern, ...stepFields })
  .refine(doesSomething, NOTHING)
  .refine(doesNotFailToo, BOTH)

/** Schema of a script file. Rejects unknown keys. */
export const scriptSchema: z.ZodType<ScriptFile> = z
  .strictObject({
    agents: z.record(z.string(), z.array(step)).optional(),
    rules: z.array(rule).optional(),
  })
  .refine(({ agents, rules }) => agents !== undefined || rules !== undefined, {
    message: 'a script needs `agents`, `rules` or both',
  }) as unknown as z.ZodType<ScriptFile>

/** A validated script file. `args` may be missing. */
interface ScriptFile {
  readonly agents?: Readonly<Record<string, readonly ScriptFileStep[]>>
  readonly rules?: readonly (ScriptFileStep & { readonly when: RegExp })[]
}

/** A step of a {@link ScriptFile}. */
export type ScriptFileStep = Omit<ScriptStep, 'call'> & {
  readonly call?: readonly (Omit<ScriptCall, 'args'> & { readonly args?: ScriptCall['args'] })[]
}

/** Returns the JSON Schema (draft 2020-12) of model scripts, for editors. */
export function scriptJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(scriptSchema, { io: 'input', unrepresentable: 'any' })
  return { ...(schema as unknown as JsonObject), title: 'Troupe model script' }
}
