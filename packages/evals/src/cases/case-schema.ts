import { parseDuration, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { stubsSchema, type ToolStub } from './tool-stub.ts'

/** The content of a case file, whose checks are not parsed yet. */
export interface CaseFileContent {
  readonly agent: string
  readonly defaults?: RepeatSettings
  readonly calibration?: readonly {
    readonly agent: string
    readonly rubric: string
    readonly labels: readonly {
      readonly input?: string
      readonly output: string
      readonly verdict: 'yes' | 'no'
    }[]
  }[]
  readonly cases: readonly CaseContent[]
}

/** One case as written. */
export interface CaseContent extends RepeatSettings {
  readonly id: string
  readonly description?: string
  readonly input?: string | JsonObject
  readonly messages?: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
  readonly files?: readonly string[]
  readonly vars?: Readonly<Record<string, string | number | boolean>>
  readonly stubs?: { readonly tools?: Readonly<Record<string, ToolStub | readonly ToolStub[]>> }
  readonly assert: readonly Json[]
}

interface RepeatSettings {
  readonly repeat?: number
  readonly timeout?: number
  readonly budget?: number
}

const MOST_REPEATS = 1000
const LONGEST_ID = 100

const text = z.string().min(1)
const duration = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms !== undefined && ms > 0) return ms
  context.addIssue('expected a number of ms or text such as "60s" or "5m"')
  return z.NEVER
})
const settings = {
  repeat: z.int().min(1).max(MOST_REPEATS).optional(),
  timeout: duration.optional(),
  budget: z.number().positive().optional(),
}

const id = z
  .string()
  .regex(/^[\w.:/-]+$/u, 'use letters, digits and . _ : / - only')
  .max(LONGEST_ID)

const labelShape = { input: z.string().optional(), output: z.string(), verdict: z.enum(['yes', 'no']) }
const judgeShape = { agent: text, rubric: text, labels: z.array(z.strictObject(labelShape)).min(1) }
const messageShape = { role: z.enum(['user', 'assistant']), text: z.string() }

const caseShape = {
  id,
  description: z.string().optional(),
  input: z.union([z.string(), z.record(z.string(), z.json())], 'expected text or a mapping').optional(),
  messages: z.array(z.strictObject(messageShape)).min(1).optional(),
  files: z.array(text).optional(),
  vars: z
    .record(text, z.union([z.string(), z.number(), z.boolean()], 'expected text or a number'))
    .optional(),
  stubs: z.strictObject({ tools: z.record(text, stubsSchema).optional() }).optional(),
  assert: z.array(z.json()).min(1),
  ...settings,
}

const caseSchema = z.strictObject(caseShape).superRefine(({ input, messages }, context) => {
  if ((input === undefined) === (messages === undefined))
    context.addIssue('a case needs either `input` or `messages`')
  if (messages !== undefined && messages.at(-1)?.role !== 'user')
    context.addIssue({
      code: 'custom',
      path: ['messages'],
      message: 'the last message must be one of the user',
    })
})

const fileShape = {
  agent: text,
  defaults: z.strictObject(settings).optional(),
  calibration: z.array(z.strictObject(judgeShape)).optional(),
  cases: z.array(caseSchema).min(1),
}

/** Schema of a case file. Items of `assert` are any JSON. */
export const caseFileSchema: z.ZodType<CaseFileContent> = z.strictObject(
  fileShape,
) as unknown as z.ZodType<CaseFileContent>

/** Returns the keys that a mapping at this path may have, for suggestions. */
export function knownCaseKeys(path: readonly PropertyKey[]): readonly string[] {
  const [section, , part] = path
  if (section === undefined) return Object.keys(fileShape)
  if (section === 'defaults') return Object.keys(settings)
  if (section === 'calibration') return Object.keys(part === 'labels' ? labelShape : judgeShape)
  if (part === 'messages') return Object.keys(messageShape)
  if (part === 'stubs') return path.length === 3 ? ['tools'] : ['args', 'return', 'error']
  return Object.keys(caseShape)
}
