import type { ElicitResult } from '@modelcontextprotocol/client'
import { getOwn, isJsonObject, type Json, type JsonObject, type ToolContext } from '@troupe/schema'
import { visibleText } from '@troupe/schema/text'
import { AsyncLocalStorage } from 'node:async_hooks'

const MAX_MESSAGE = 2000
const MAX_FIELDS = 20
const MAX_TRIES = 3
const SKIP = '(skip)'

type Value = NonNullable<ElicitResult['content']>[string]

/** An elicitation of a server during a call. */
interface Elicitation {
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
    return decline('its form cannot be turned into questions')
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

const MAX_TEXT = 500

/** One field of an elicitation form. */
interface ElicitationField {
  readonly name: string
  readonly required: boolean
  /** Question shown to the person. */
  readonly question: string
  /** Possible answers; `undefined` if any text is allowed. */
  readonly choices?: readonly string[]
  readonly defaultValue?: Json
  /** Parses an answer into a value or a problem. */
  parse(text: string): { readonly value: Json } | { readonly problem: string }
}

/** Returns the fields of a form in order, or `undefined` if one of them has an unsupported type. */
function formFields(schema: JsonObject): readonly ElicitationField[] | undefined {
  const { properties, required } = schema
  if (!isJsonObject(properties)) return []
  const names = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, property]) =>
    isJsonObject(property) ? formField(name, property, names.has(name)) : undefined,
  )
  return fields.every((field) => field !== undefined) ? fields : undefined
}

function formField(name: string, property: JsonObject, required: boolean): ElicitationField | undefined {
  const kind = kindOf(property)
  if (kind === undefined) return undefined
  const fallback = getOwn(property, 'default')
  const described = [text(property['title']) ?? text(name) ?? 'value', text(property['description'])]
  const hint =
    fallback !== undefined
      ? ` (default: ${typeof fallback === 'string' ? shown(fallback) : shown(JSON.stringify(fallback))})`
      : required
        ? ''
        : ' (optional)'
  return {
    name,
    required,
    question: `${described.filter((part) => part !== undefined).join(': ')}${hint}`,
    ...(fallback === undefined ? {} : { defaultValue: fallback }),
    ...kind,
  }
}

type FieldKind = Pick<ElicitationField, 'choices' | 'parse'>

function kindOf(property: JsonObject): FieldKind | undefined {
  const options = optionsOf(property)
  if (options !== undefined) return singleChoice(options)
  const { type } = property
  if (type === 'string') return { parse: (value) => boundedText(value, property) }
  if (type === 'number' || type === 'integer') return { parse: (value) => boundedNumber(value, property) }
  if (type === 'boolean')
    return singleChoice([
      { shown: 'yes', value: true },
      { shown: 'no', value: false },
    ])
  const items = type === 'array' && isJsonObject(property['items']) ? optionsOf(property['items']) : undefined
  return items === undefined ? undefined : multipleChoice(items)
}

interface Option {
  readonly shown: string
  readonly value: Json
}

/** Returns the options from any of the forms used by the protocol revisions. */
function optionsOf(schema: JsonObject): readonly Option[] | undefined {
  const titled = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(titled))
    return titled.filter(isJsonObject).map((option) => ({
      shown: text(option['title']) ?? shown(JSON.stringify(option['const'] ?? null)),
      value: option['const'] ?? null,
    }))
  const { enum: values, enumNames } = schema
  if (!Array.isArray(values)) return undefined
  const names = Array.isArray(enumNames) ? enumNames : []
  return values.map((value, index) => ({ shown: text(names[index]) ?? shown(String(value)), value }))
}

function singleChoice(options: readonly Option[]): FieldKind {
  return {
    choices: options.map((option) => option.shown),
    parse: (said) => {
      const option = options.find((each) => each.shown === said)
      return option === undefined ? { problem: 'it is not one of the choices' } : { value: option.value }
    },
  }
}

/**
 * Creates a multiple-choice field, answered with a comma-separated list because a question has a single
 * answer.
 */
function multipleChoice(options: readonly Option[]): FieldKind {
  const list = options.map((option) => option.shown).join(', ')
  return {
    parse: (said) => {
      const words = said.split(',').map((word) => word.trim())
      const chosen = options.filter((option) => words.includes(option.shown))
      return chosen.length === new Set(words).size
        ? { value: chosen.map((option) => option.value) }
        : { problem: `write one or more of these, separated by commas: ${list}` }
    },
  }
}

function boundedText(
  value: string,
  { minLength, maxLength }: JsonObject,
): ReturnType<ElicitationField['parse']> {
  if (typeof minLength === 'number' && value.length < minLength)
    return { problem: `it must have at least ${minLength} characters` }
  if (typeof maxLength === 'number' && value.length > maxLength)
    return { problem: `it must have at most ${maxLength} characters` }
  return { value }
}

function boundedNumber(
  said: string,
  { type, minimum, maximum }: JsonObject,
): ReturnType<ElicitationField['parse']> {
  const value = said.trim() === '' ? Number.NaN : Number(said)
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value)))
    return { problem: `it is not a ${type === 'integer' ? 'whole number' : 'number'}` }
  if (typeof minimum === 'number' && value < minimum) return { problem: `it must be at least ${minimum}` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `it must be at most ${maximum}` }
  return { value }
}

/** Returns the visible text of a server's string in limited length, or `undefined` if there is none. */
function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? shown(value) : undefined
}

function shown(value: string): string {
  const { text: visible } = visibleText(value)
  return visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible
}

/**
 * The calls in progress on one connection, to find out which of them an elicitation belongs to. Several runs
 * may share the connection.
 */
interface ActiveCalls {
  /** Runs `work` as a call, so that elicitations inside it belong to the call. */
  run<T>(context: ToolContext, work: () => Promise<T>): Promise<T>
  /** Returns the call that the current elicitation belongs to, or `undefined` if that is not known. */
  current(): ToolContext | undefined
}

export function createActiveCalls(): ActiveCalls {
  const active = new Set<{ readonly context: ToolContext }>()
  const flow = new AsyncLocalStorage<{ readonly context: ToolContext }>()
  return {
    async run(context, work) {
      const call = { context }
      active.add(call)
      try {
        return await flow.run(call, work)
      } finally {
        active.delete(call)
      }
    },
    current() {
      const here = flow.getStore()
      if (here !== undefined && active.has(here)) return here.context
      // a stdio server does not name the call of an elicitation, so it is only known if there is just one
      // call
      const [only, ...others] = active
      return others.length === 0 ? only?.context : undefined
    },
  }
}
