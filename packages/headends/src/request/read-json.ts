import { setImmediate } from 'node:timers/promises'
import {
  errorMessage,
  failure,
  TroupeError,
  type Failure,
  isJsonObject,
  type JsonObject,
  troupeError,
} from '@troupe/schema'
import { z } from 'zod'
import { MAX_JSON_DEPTH } from '@troupe/schema/json'

/** A value that was read, or the failure that explains why there is none. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: Failure }

/**
 * Reads a JSON body and validates it. Returns a failure for other media types, invalid UTF-8, duplicate keys
 * and deep nesting.
 */
export async function readJson<T>(request: Request, schema: z.ZodType<T>): Promise<ReadResult<T>> {
  const problem = requireJsonType(request, schema)
  if (problem !== undefined) return toFailedRead(problem)
  const text = await readText(request)
  if (!text.ok) return text
  const read = parseJson(text.value, schema)
  // Reading a large body and processing it are separate turns of the event loop.
  if (text.value.length > LARGE_BODY) await setImmediate()
  return read
}

/** Returns the failure of a request whose body is not declared as JSON. Its fix lists the fields of the schema. */
export function requireJsonType(
  { headers }: Pick<Request, 'headers'>,
  schema?: z.ZodType,
): Failure | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  if (/^application\/(?:[\w.-]+\+)?json$/iu.test(type.trim())) return undefined
  return failure(
    'request_media_type',
    type === '' ? 'The request has no Content-Type.' : `The body is ${type}, not JSON.`,
    `Send the header "Content-Type: application/json" and ${bodyOf(schema)}.`,
  )
}

/** Describes the body that a schema accepts: an object with its fields, of which the first one has a placeholder. */
function bodyOf(schema: z.ZodType | undefined): string {
  const [first, ...others] = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  if (first === undefined) return 'a JSON body'
  const example = `a JSON object such as {${JSON.stringify(first)}: …}`
  return others.length === 0 ? example : `${example}; other fields are ${others.join(', ')}`
}

/** Length in characters. */
const LARGE_BODY = 64 * 1024

/** Reads a JSON body and throws the failure if it is invalid. */
export async function requireJson<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const read = await readJson(request, schema)
  if (!read.ok) throw new TroupeError(read.reason)
  return read.value
}

/** Parses a JSON text and validates it. */
export function parseJson<T>(text: string, schema: z.ZodType<T>, what = 'The body'): ReadResult<T> {
  const problem = jsonProblem(text)
  if (problem !== undefined) return invalid(`${what} cannot be read: ${problem}.`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    const message = `${what} is not JSON: ${errorMessage(thrown)}`
    return toFailedRead(failure('request_invalid', message, `Send ${bodyOf(schema)}.`))
  }
  return checkShape(json, schema, { unknownKeysFix: `Send ${bodyOf(schema)}.` })
}

/** Message for a required value that is not there, which follows the name of the field. */
const MISSING = 'is missing'

/** Validates a value. `unknownKeysFix` is the fix if the value has keys that the schema does not have. */
export function checkShape<T>(
  value: unknown,
  schema: z.ZodType<T>,
  { unknownKeysFix }: { readonly unknownKeysFix?: string } = {},
): ReadResult<T> {
  // A message that the schema itself sets takes precedence over this one.
  const checked = schema.safeParse(value, {
    error: ({ input }) => (input === undefined ? MISSING : undefined),
  })
  if (checked.success) return { ok: true, value: checked.data }
  const { issues } = checked.error
  const problems = issues.slice(0, 5).map(({ path, message }) => {
    const field = path.map(String).join('.')
    if (field === '') return message
    return message === MISSING ? `${field} ${MISSING}` : `${field}: ${message}`
  })
  const hasUnknownKeys = issues.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0)
  const fix = hasUnknownKeys ? unknownKeysFix : undefined
  return toFailedRead(failure('request_invalid', problems.join('; '), fix))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the body as text, whatever its media type. Returns a failure for invalid UTF-8. */
export async function readText(request: Request): Promise<ReadResult<string>> {
  const bytes = await readBytes(request)
  return bytes.ok ? decodeText(bytes.value) : bytes
}

/** Decodes a body as UTF-8. */
export function decodeText(bytes: Uint8Array): ReadResult<string> {
  try {
    return { ok: true, value: utf8.decode(bytes) }
  } catch (thrown) {
    return invalid(`The body cannot be read: ${errorMessage(thrown)}`)
  }
}

/** Reads the body unchanged. */
export async function readBytes(request: Request): Promise<ReadResult<Uint8Array>> {
  try {
    return { ok: true, value: new Uint8Array(await request.arrayBuffer()) }
  } catch (thrown) {
    const reason: unknown = request.signal.aborted ? request.signal.reason : thrown
    if (isTooLarge(thrown)) return toFailedRead(failure('request_too_large', thrown.message))
    return invalid(`The body cannot be read: ${errorMessage(reason)}`)
  }
}

/** Error of a body that exceeds the size limit of the server. */
export class BodyTooLargeError extends RangeError {
  override readonly name = 'BodyTooLargeError'
}

function isTooLarge(thrown: unknown): thrown is BodyTooLargeError {
  return thrown instanceof Error && thrown.name === 'BodyTooLargeError'
}

function invalid(message: string): { readonly ok: false; readonly reason: Failure } {
  return toFailedRead(failure('request_invalid', message))
}

function toFailedRead(reason: Failure): { readonly ok: false; readonly reason: Failure } {
  return { ok: false, reason }
}

/**
 * Schema of an object in a request body. Its members are not validated, because they come from parsed JSON
 * and a schema that walks large objects is slow.
 */
export const jsonObject: z.ZodType<JsonObject, JsonObject> = z
  .custom<JsonObject>(isJsonObject, {
    error: ({ input }) => (input === undefined ? undefined : 'Invalid input: expected object'),
  })
  .meta({ type: 'object', additionalProperties: {} })

/** Schema of a query: an object with one key per parameter. */
export type QuerySchema<T> = z.ZodType<T> & { readonly shape: z.ZodRawShape }

/**
 * Reads the query of a URL. Throws `request_invalid`, naming the parameter, if one is unknown, given twice or
 * invalid.
 */
export function readQuery<T>(url: string, schema: QuerySchema<T>): T {
  const parameters = new URL(url).searchParams
  const known = Object.keys(schema.shape)
  for (const name of new Set(parameters.keys())) {
    const quotedName = JSON.stringify(name.slice(0, 100))
    if (!known.includes(name))
      throw troupeError('request_invalid', `${quotedName}: unknown query parameter.`, {
        fix:
          known.length === 0 ? 'Remove it; this path has no query parameters.' : `Use ${known.join(', ')}.`,
      })
    if (parameters.getAll(name).length > 1)
      throw troupeError('request_invalid', `${quotedName}: the query parameter is given more than once.`)
  }
  const read = checkShape(Object.fromEntries(parameters), schema)
  if (!read.ok) throw new TroupeError(read.reason)
  return read.value
}

/**
 * Returns the offered media type that the `Accept` header prefers, or `undefined` if it names none of them.
 * Wildcards are ignored.
 */
export function accepts<Kind extends string>(request: Request, offer: readonly Kind[]): Kind | undefined {
  const mediaRanges = (request.headers.get('accept') ?? '').split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const accepted = mediaRanges.filter(
    ({ type, quality }) => quality > 0 && offer.some((kind) => kind === type),
  )
  const [best] = accepted.toSorted((a, b) => b.quality - a.quality)
  return offer.find((kind) => kind === best?.type)
}

/** Maximum number of values and keys in one text, so that the event loop is not blocked for too long. */
const MAX_VALUES = 500_000
const MAX_KEYS = 100_000

interface JsonLevel {
  /** Keys so far; `undefined` in an array. */
  readonly keys: Set<string> | undefined
  /** True if the next string is a key. */
  isKeyNext: boolean
}

/**
 * Returns a problem that `JSON.parse` does not report: too deep nesting, too many values or keys, the key
 * `__proto__`, or a duplicate key, which parsers resolve differently. The text should be valid JSON;
 * otherwise the result does not matter.
 */
export function jsonProblem(text: string): string | undefined {
  const levels: JsonLevel[] = []
  let values = 0
  let keys = 0
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    const level = levels.at(-1)
    if (letter === ':') keys += 1
    else if (letter === ',' || letter === '{' || letter === '[') values += 1
    if (keys > MAX_KEYS) return `it has more than ${MAX_KEYS} keys`
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`
    if (letter === '"') {
      const end = endOfText(text, at)
      if (level?.keys !== undefined && level.isKeyNext) {
        const key = keyOf(text, at, end)
        if (key === '__proto__') return 'the key "__proto__" is not allowed'
        if (level.keys.has(key)) return `the key ${JSON.stringify(key.slice(0, 100))} occurs twice`
        level.keys.add(key)
        level.isKeyNext = false
      }
      at = end
    } else if (letter === '{' || letter === '[') {
      if (levels.length === MAX_JSON_DEPTH) return `it is nested more than ${MAX_JSON_DEPTH} levels deep`
      levels.push({ keys: letter === '{' ? new Set() : undefined, isKeyNext: true })
    } else if (letter === '}' || letter === ']') levels.pop()
    else if (letter === ',' && level !== undefined) level.isKeyNext = true
  }
  return undefined
}

/**
 * Returns the index of the closing quote of the string that starts at `start`. Uses `indexOf`, because
 * prompts are long.
 */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1))
    if (backslashesBefore(text, at) % 2 === 0) return at
  return text.length
}

function backslashesBefore(text: string, end: number): number {
  let at = end
  while (text[at - 1] === '\\') at -= 1
  return end - at
}

function keyOf(text: string, start: number, end: number): string {
  const bare = text.slice(start + 1, end)
  if (!bare.includes('\\')) return bare
  const quoted = text.slice(start, end + 1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    // The JSON parser reports the error.
    return quoted
  }
}
