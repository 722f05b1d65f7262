import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/**
 * A part of a template with its position: `start` and `end` are zero-based UTF-16 offsets, `end` is
 * exclusive.
 */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'placeholder'
      readonly path: readonly string[]
      readonly start: number
      readonly end: number
    }

/** The parts of a template, in order and without gaps. */
export type PromptTemplate = readonly TemplatePart[]

/** Matches an escaped brace, or a placeholder `{identifier}` or `{identifier.path}`. */
const TOKEN = /\{\{|\}\}|\{(?<path>[\p{ID_Start}_$][\p{ID_Continue}$-]*(?:\.[\p{ID_Continue}$-]+)*)\}/gu

/**
 * Parses a prompt template. Placeholders are `{identifier}` and `{identifier.path}`. `{{` is a literal `{`,
 * and its closing `}}` a literal `}`. All other braces are literal, so that a prompt may contain JSON. Every
 * text is a valid template.
 */
export function parsePromptTemplate(text: string): PromptTemplate {
  const parts: TemplatePart[] = []
  const addText = (value: string, start: number, end: number): void => {
    if (value !== '') parts.push({ kind: 'text', text: value, start, end })
  }
  let at = 0
  let open = 0
  for (const match of text.matchAll(TOKEN)) {
    const { 0: token, index: start } = match
    const end = start + token.length
    // without a preceding {{, }} closes two JSON objects
    if (token === '}}' && open === 0) continue
    addText(text.slice(at, start), at, start)
    const path = match.groups?.['path']
    if (path === undefined) addText(token.slice(1), start, end)
    else parts.push({ kind: 'placeholder', path: path.split('.'), start, end })
    if (token === '{{') open += 1
    if (token === '}}') open -= 1
    at = end
  }
  addText(text.slice(at), at, text.length)
  return parts
}

/** The tool and the parameters that a template refers to. */
export interface PromptSubject {
  readonly tool: { readonly name: string; readonly description: string }
  /** JSON Schema of the arguments, of type object. */
  readonly parameters: JsonObject
}

/** Source of a placeholder's value: the arguments, or a text of the tool. */
type PlaceholderTarget =
  | { readonly from: 'arguments'; readonly path: readonly string[] }
  | { readonly from: 'tool'; readonly text: string }

/**
 * Resolves a placeholder; `undefined` if it is unknown. `{params.x}` is always a parameter, `{tool.name}`
 * always the tool. A bare `{x}` is the parameter if there is one, else the `{name}` or `{description}` of the
 * tool.
 */
function placeholderTarget(
  path: readonly string[],
  { tool, parameters }: PromptSubject,
): PlaceholderTarget | undefined {
  const [head = '', ...rest] = path
  const ofTool = (key: string | undefined): PlaceholderTarget | undefined =>
    key === 'name' || key === 'description' ? { from: 'tool', text: tool[key] } : undefined
  if (head === 'params' && rest.length > 0 && isNamed(rest, parameters))
    return { from: 'arguments', path: rest }
  if (head === 'tool' && rest.length === 1 && ofTool(rest[0]) !== undefined) return ofTool(rest[0])
  if (isNamed(path, parameters)) return { from: 'arguments', path }
  return rest.length === 0 ? ofTool(head) : undefined
}

/** Returns the own value at a path of the arguments; `undefined` if there is none. */
export function valueAt(path: readonly string[], args: Json): Json | undefined {
  let value: Json | undefined = args
  for (const key of path) {
    if (Array.isArray(value))
      value = /^\d{1,9}$/u.test(key) ? (value as readonly Json[])[Number(key)] : undefined
    else value = isJsonObject(value) ? getOwn(value, key) : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** Returns true if the schema contains the path or does not restrict it. */
function isNamed(path: readonly string[], parameters: JsonObject): boolean {
  let schema: Json | undefined = parameters
  for (const [depth, key] of path.entries()) {
    const next = memberSchema(schema, key)
    if (next === undefined) return depth > 0 && isOpen(schema)
    schema = next
  }
  return true
}

function memberSchema(schema: Json | undefined, key: string): Json | undefined {
  if (!isJsonObject(schema)) return undefined
  const { properties, items, prefixItems } = schema
  if (isJsonObject(properties)) return getOwn(properties, key)
  if (!/^\d{1,9}$/u.test(key)) return undefined
  const positions = Array.isArray(prefixItems) ? prefixItems : items
  return Array.isArray(positions) ? (positions as readonly Json[])[Number(key)] : items
}

/** Returns true if the schema does not describe the members of the value. */
function isOpen(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return true
  const { type, properties, items, prefixItems, additionalProperties } = schema
  if (isJsonObject(additionalProperties) || additionalProperties === true) return true
  if (properties !== undefined || items !== undefined || prefixItems !== undefined) return false
  return type === undefined || type === 'object' || type === 'array' || Array.isArray(type)
}

/** `run` fills a prompt for the agent, `preview` for a person who is still entering arguments. */
export type FillMode = 'run' | 'preview'

/**
 * Fills a template with the arguments of a call and the defaults of its parameters. Inserts text unchanged
 * and other values as JSON, and does not scan inserted text again. Missing values become empty; in a preview,
 * missing and empty values remain `{placeholder}`. Unknown placeholders remain unchanged.
 */
export function fillPromptTemplate(
  template: PromptTemplate,
  call: { readonly subject: PromptSubject; readonly args: JsonObject; readonly mode: FillMode },
): string {
  const values = withDefaults(call.subject.parameters, call.args)
  return template
    .map((part) => (part.kind === 'text' ? part.text : fillPlaceholder(part, { ...call, args: values })))
    .join('')
}

function fillPlaceholder(
  { path }: Extract<TemplatePart, { readonly kind: 'placeholder' }>,
  {
    subject,
    args,
    mode,
  }: { readonly subject: PromptSubject; readonly args: JsonObject; readonly mode: FillMode },
): string {
  const written = `{${path.join('.')}}`
  const target = placeholderTarget(path, subject)
  if (target === undefined) return written
  if (target.from === 'tool') return target.text
  const text = toText(valueAt(target.path, args))
  return text === '' && mode === 'preview' ? written : text
}

/**
 * Fills a template with the values at the paths of its placeholders, without a schema. Returns the problem
 * instead if one has no value, or if the text would have more than `maxLength` characters.
 */
export function fillWithValues(
  template: PromptTemplate,
  { values, maxLength }: { readonly values: JsonObject; readonly maxLength: number },
): { readonly text: string } | { readonly problem: string } {
  let text = ''
  for (const part of template) {
    const value = part.kind === 'text' ? part.text : valueAt(part.path, values)
    if (value === undefined && part.kind === 'placeholder')
      return { problem: `there is no value for {${part.path.join('.')}}` }
    text += toText(value)
    if (text.length > maxLength) return { problem: `the text has more than ${maxLength} characters` }
  }
  return { text }
}

function toText(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the arguments with defaults for missing properties, including nested ones. */
function withDefaults(schema: JsonObject, args: JsonObject): JsonObject {
  const { properties } = schema
  if (!isJsonObject(properties)) return args
  const filled = Object.entries(properties).flatMap(([name, property]): readonly [string, Json][] => {
    const value = getOwn(args, name) ?? (isJsonObject(property) ? property['default'] : undefined)
    if (value === undefined) return []
    return [[name, isJsonObject(value) && isJsonObject(property) ? withDefaults(property, value) : value]]
  })
  return filled.length === 0 ? args : Object.fromEntries([...Object.entries(args), ...filled])
}

/** An unknown placeholder and its position in the template. */
export interface TemplateProblem {
  /** Placeholder with its braces. */
  readonly placeholder: string
  readonly start: number
  readonly end: number
  /** All valid placeholder names, for suggestions. */
  readonly known: readonly string[]
}

/** Returns the placeholders that name neither a parameter nor the tool, in order. */
export function templateProblems(
  template: PromptTemplate,
  subject: PromptSubject,
): readonly TemplateProblem[] {
  const { properties } = subject.parameters
  const known = [
    ...(isJsonObject(properties) ? Object.keys(properties) : []),
    'tool.name',
    'tool.description',
  ]
  return template.flatMap((part) =>
    part.kind === 'text' || placeholderTarget(part.path, subject) !== undefined
      ? []
      : [{ placeholder: `{${part.path.join('.')}}`, start: part.start, end: part.end, known }],
  )
}
