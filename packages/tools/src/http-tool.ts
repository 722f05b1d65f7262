import {
  defineTool,
  getOwn,
  isJsonObject,
  toolResult,
  troupeError,
  type FunctionToolUse,
  type HttpToolUse,
  type Json,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
} from '@troupe/schema'

/** Maximum bytes of an answer. The rest is not read. */
const MAX_BYTES = 1024 * 1024
const PLACEHOLDER = /\$\{(?<name>parameters\.\w+|[A-Za-z_]\w*)\}/gu
const WHOLE_PARAMETER = /^\$\{parameters\.(?<name>\w+)\}$/u
const NO_ARGUMENTS: JsonObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
})

/** Returns true for the definition of an HTTP tool. */
export function isHttpTool(entry: FunctionToolUse | HttpToolUse): entry is HttpToolUse {
  return entry.use === 'troupe:http' && 'url' in entry
}

/**
 * Creates a tool that sends an HTTP request and returns the text of the answer. Arguments cannot change the
 * host: they are encoded, and a URL with one in its origin is an error. Redirects are not followed, because
 * the headers may contain keys.
 */
export function httpTool(definition: HttpToolUse): ToolDefinition {
  const { name, description, method = 'GET', parameters = NO_ARGUMENTS } = definition
  const origin = originOf(definition.url)
  if (origin === undefined)
    throw troupeError('function_bad_spec', `The tool "${name}" needs an http or https URL with a fixed host.`)
  return defineTool({
    name,
    description,
    input: parameters,
    effect: method === 'GET' ? 'read' : 'once',
    execute: async (args: JsonObject, context: ToolContext) => send(definition, { args, context }),
  })
}

/** Returns the part of a URL template before its path, or `undefined` if an argument may change it. */
function originOf(url: string): string | undefined {
  const origin = /^(?:[^/]*\/\/[^/?#]*|\$\{[A-Za-z_]\w*\})/u.exec(url)?.[0]
  if (origin === undefined || origin.includes('${parameters.') || origin.includes('@')) return undefined
  return /^(?:https?:\/\/|\$\{)/iu.test(origin) ? origin : undefined
}

interface HttpCall {
  readonly args: JsonObject
  readonly context: ToolContext
}

async function send(definition: HttpToolUse, call: HttpCall): Promise<unknown> {
  const { name, method = 'GET', body } = definition
  const url = toUrl(definition, call)
  const sent = body === undefined || isMissing(body, call) ? undefined : JSON.stringify(fillValue(body, call))
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: call.context.signal,
    headers: toHeaders(definition, call, sent === undefined ? {} : { 'content-type': 'application/json' }),
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await readText(response)
  if (!response.ok)
    return toolResult.error(
      'tool_failed',
      `${name} answered with the status ${response.status}. ${text}`.trim(),
    )
  return toolResult.text(definition.lines === undefined ? text : readLines(text, definition.lines))
}

/** Returns the headers, in which a name counts without upper and lower case. */
function toHeaders({ headers = {} }: HttpToolUse, call: HttpCall, preset: Record<string, string>): Headers {
  const filled = new Headers(preset)
  for (const [key, text] of Object.entries(headers))
    if (!isMissing(text, call)) filled.set(key, fillText(text, call))
  return filled
}

/** Returns true for a text that is only an argument without a value. */
function isMissing(value: Json, { args }: HttpCall): boolean {
  const whole = typeof value === 'string' ? WHOLE_PARAMETER.exec(value)?.groups?.['name'] : undefined
  return whole !== undefined && getOwn(args, whole) === undefined
}

function toUrl({ name, url, query = {} }: HttpToolUse, call: HttpCall): URL {
  const [origin = '', path = ''] = splitOrigin(url).map((part, index) =>
    fillText(part, call, index === 0 ? asText : asPath),
  )
  const found = URL.parse(origin + path)
  const base = URL.parse(origin)
  if (found === null || found.origin !== base?.origin || !/^https?:$/u.test(found.protocol))
    throw troupeError('tool_bad_arguments', `The URL of ${name} is not valid with these arguments.`)
  for (const [key, text] of Object.entries(query)) {
    if (isMissing(text, call)) continue
    const value = fillValue(text, call)
    for (const item of Array.isArray(value) ? (value as readonly Json[]) : [value])
      found.searchParams.append(key, asText(item))
  }
  return found
}

function splitOrigin(url: string): readonly [origin: string, path: string] {
  const origin = originOf(url) ?? ''
  return [origin, url.slice(origin.length)]
}

/** Encodes an argument, also dots, which could otherwise lead to another path. */
function asPath(value: Json): string {
  const text = encodeURIComponent(asText(value))
  if (/^\.+$/u.test(text)) throw troupeError('tool_bad_arguments', 'An argument must not consist of dots.')
  return text
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function fillValue(value: Json, call: HttpCall): Json {
  if (typeof value === 'string') {
    const whole = WHOLE_PARAMETER.exec(value)?.groups?.['name']
    return whole === undefined ? fillText(value, call) : (getOwn(call.args, whole) ?? null)
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => fillValue(item, call))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillValue(member, call)]))
}

/** Replaces placeholders once, so that an argument cannot name a variable. */
function fillText(
  text: string,
  { args, context }: HttpCall,
  encode: (value: Json) => string = asText,
): string {
  return text.replaceAll(PLACEHOLDER, (_written, name: string) => {
    if (name.startsWith('parameters.')) {
      const value = getOwn(args, name.slice('parameters.'.length))
      return value === undefined ? '' : encode(value)
    }
    const variable = context.run.env(name)
    if (variable === undefined) throw troupeError('env_missing', `The variable ${name} is not defined.`)
    return variable
  })
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    const part = chunk.subarray(0, MAX_BYTES - bytes)
    bytes += part.length
    text += decoder.decode(part, { stream: true })
    if (bytes >= MAX_BYTES) break
  }
  return text + decoder.decode()
}

/** Joins the parts of an answer that consists of lines of JSON, or returns the line with the whole answer. */
function readLines(
  text: string,
  { prefix = '', kind, part, end }: NonNullable<HttpToolUse['lines']>,
): string {
  let joined = ''
  for (const line of text.split('\n')) {
    if (!line.startsWith(prefix)) continue
    const value = parseLine(line.slice(prefix.length))
    if (end !== undefined && value[kind] === end.kind && typeof value[end.key] === 'string')
      return value[end.key] as string
    if (part !== undefined && value[kind] === part.kind) joined += asText(value[part.key] ?? '')
  }
  return joined
}

function parseLine(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : {}
  } catch {
    // comments and other events of a stream
    return {}
  }
}
