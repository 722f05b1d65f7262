import { failure, type Failure, type JsonObject, type OutputContract } from '@troupe/schema'
import { z } from 'zod'
import { checkShape, parseJson, readJson, type ReadResult, jsonObject } from '../request/read-json.ts'

const sessionId = z.string().min(1).max(200)
const format = z.enum(['text', 'markdown', 'json'])

/** Fields that both methods have. */
interface CallForm {
  readonly format?: OutputContract['format'] | undefined
  readonly session?: string | undefined
}

/** Schema of the query of `GET /v1/:agent`. */
export const restQuery: z.ZodType<CallForm & { readonly q: string; readonly schema?: string | undefined }> =
  z.strictObject({
    q: z.string().meta({ description: 'The message.' }),
    format: format
      .optional()
      .meta({ description: 'The format of the answer. Default: the format of the agent.' }),
    schema: z
      .string()
      .optional()
      .meta({ description: 'A JSON Schema, as JSON. The answer is JSON that matches it.' }),
    session: sessionId.optional().meta({ description: 'The id of the conversation to continue or start.' }),
  })

/** Schema of the body of `POST /v1/:agent`: either `q` or `input`. */
export const restBody: z.ZodType<
  CallForm & {
    readonly q?: string | undefined
    readonly input?: string | JsonObject | undefined
    readonly schema?: JsonObject | undefined
  }
> = z
  .strictObject({
    q: z.string().optional().meta({ description: 'The message.' }),
    input: z
      .union([z.string(), jsonObject])
      .optional()
      .meta({ description: 'Replaces `q`: the message, or the input object of the agent.' }),
    format: format
      .optional()
      .meta({ description: 'The format of the answer. Default: the format of the agent.' }),
    schema: jsonObject.optional().meta({ description: 'A JSON Schema. The answer is JSON that matches it.' }),
    session: sessionId.optional().meta({ description: 'The id of the conversation to continue or start.' }),
  })
  .meta({ id: 'CallBody' })

/** A call of an agent. */
export interface RestCall extends CallForm {
  readonly input: string | JsonObject
  readonly schema?: JsonObject | undefined
}

/** Reads the call in the query of a GET request. */
export function readQuery(url: URL): ReadResult<RestCall> {
  const given: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of url.searchParams) {
    if (name in given) return invalid(`${name} occurs twice in the query.`)
    given[name] = value
  }
  const query = checkShape({ ...given }, restQuery)
  if (!query.ok) return query
  const { q, schema, ...rest } = query.value
  if (schema === undefined) return { ok: true, value: { ...rest, input: q } }
  const parsed = parseJson(schema, jsonObject, 'schema')
  if (!parsed.ok) return { ok: false, reason: failure('invalid_schema', parsed.reason.message) }
  return { ok: true, value: { ...rest, input: q, schema: parsed.value } }
}

/** Reads the call in the body of a POST request. */
export async function readBody(request: Request): Promise<ReadResult<RestCall>> {
  const body = await readJson(request, restBody)
  if (!body.ok) return body
  const { q, input, ...rest } = body.value
  if (q !== undefined && input !== undefined) return invalid('q, input: send only one of the two.')
  const message = input ?? q
  return message === undefined
    ? invalid('q: the message is missing.')
    : { ok: true, value: { ...rest, input: message } }
}

function invalid(message: string): { readonly ok: false; readonly reason: Failure } {
  return { ok: false, reason: failure('request_invalid', message) }
}
