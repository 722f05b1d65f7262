import type { ElicitResult } from '@modelcontextprotocol/client'
import {
  getOwn,
  isJsonObject,
  visibleText,
  type Json,
  type JsonObject,
  type ToolContext,
} from '@troupe/schema'
import { formFields, type ElicitationField } from './elicitation-field.ts'

const MAX_MESSAGE = 2000
const MAX_FIELDS = 20
const MAX_TRIES = 3
const SKIP = '(skip)'

type Value = NonNullable<ElicitResult['content']>[string]

/** An elicitation of a server during a call. */
export interface Elicitation {
  readonly server: string
  readonly params: JsonObject
  /** The call that caused it; `undefined` if that is not known. */
  readonly call: ToolContext | undefined
  /** Called with the reason if the elicitation is declined without asking a person. */
  warn(text: string): void
}

/**
 * Asks the person behind the call, first whether to answer at all, then for each field. Declines with a
 * warning if no person can be asked. Never rejects.
 */
export async function answerElicitation({ server, params, call, warn }: Elicitation): Promise<ElicitResult> {
  const message = readMessage(params)
  const decline = (why: string): ElicitResult => {
    warn(`The MCP server "${server}" requested input, which was declined: ${why}. Its message: ${message}`)
    return { action: 'decline' }
  }
  const schema = getOwn(params, 'requestedSchema')
  const fields = isJsonObject(schema) ? formFields(schema) : undefined
  if (fields === undefined || fields.length > MAX_FIELDS)
    return decline('its form cannot be asked as questions')
  if (call === undefined)
    return decline('several calls share its connection; `shared: false` gives each run its own')
  call.progress('waiting for an answer')
  const names = fields.map((field) => field.name).join(', ')
  const wanted = fields.length === 0 ? '' : ` Requested: ${visibleText(names).text}.`
  const first = await call.ask({
    question: `The MCP server "${server}" asks: ${message}${wanted}`,
    choices: ['answer', 'decline'],
  })
  if (!first.answered) return decline(first.reason)
  if (first.text !== 'answer') return { action: 'decline' }
  const content = await askFields(fields, call)
  return content === undefined ? { action: 'cancel' } : { action: 'accept', content }
}

function readMessage(params: JsonObject): string {
  const { message } = params
  const { text } = visibleText(typeof message === 'string' ? message : '')
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
}

/** Asks for each field. Returns `undefined` if one has no usable answer. */
async function askFields(
  fields: readonly ElicitationField[],
  call: ToolContext,
): Promise<Record<string, Value> | undefined> {
  const content: [string, Value][] = []
  for (const field of fields) {
    const answer = await askField(field, call)
    if (answer === undefined) return undefined
    if (answer.value !== undefined) content.push([field.name, answer.value as Value])
  }
  return Object.fromEntries(content)
}

/**
 * Asks for one field. Returns an object without `value` if an optional field is left empty, or `undefined` if
 * there is no usable answer.
 */
async function askField(
  field: ElicitationField,
  call: ToolContext,
): Promise<{ readonly value?: Json } | undefined> {
  let { question } = field
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const said = await call.ask({ question, ...choicesOf(field) })
    if (!said.answered) return undefined
    if (said.text === '' || said.text === SKIP) {
      if (field.defaultValue !== undefined) return { value: field.defaultValue }
      if (!field.required) return {}
    }
    const parsed = field.parse(said.text)
    if ('value' in parsed) return parsed
    question = `${field.question} – ${parsed.problem}`
  }
  return undefined
}

/** Adds a choice to skip if the field is optional. */
function choicesOf({ choices, required, defaultValue }: ElicitationField): {
  readonly choices?: readonly string[]
} {
  if (choices === undefined) return {}
  return { choices: required && defaultValue === undefined ? choices : [SKIP, ...choices] }
}
