import {
  failure,
  type AgentDefinition,
  type RunOptions,
  type Failure,
  type RunListener,
  type RunReport,
  type JsonObject,
  type OutputContract,
} from '@troupe/schema'
import { z } from 'zod'
import { resolveOutput } from '../client-runs/resolve-output.ts'
import { runForCaller, servedAgent, startRunStream } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure, errorBody } from '../headend/errors.ts'
import {
  type HandlerContext,
  type Caller,
  type Headend,
  type HeadendContext,
  type OperationAnswer,
  shellQuote,
} from '../headend/headend.ts'
import {
  accepts,
  checkShape,
  parseJson,
  readJson,
  type ReadResult,
  jsonObject,
} from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { eventShape } from '../routes/event-shapes.ts'
import { errorShape, reportShape } from '../routes/shapes.ts'
import { eventStream, runEventBlock, sseBlock, createSseBuffer } from '../sse/event-stream.ts'
import { headerText, reportAnswer, reportEnvelope, envelopeOf } from './answer-report.ts'

/**
 * Creates the REST headend: `GET` and `POST /v1/:agent` return the answer in the requested format, the report
 * as JSON, or the events of the run.
 */
export function createRestHeadend(context: HeadendContext): Headend {
  const answer = async (call: HandlerContext): Promise<Response> => {
    const { raw: request } = call.req
    const agent = servedAgent(context.runner, call.req.param('agent'))
    if (isFailure(agent)) return errorResponse(agent)
    const read = request.method === 'GET' ? readQuery(new URL(request.url)) : await readBody(request)
    if (!read.ok) return errorResponse(read.reason)
    return answerCall(agent, read.value, { request, caller: call.env.caller, context })
  }
  const shared = { answers: { 200: ANSWER }, errors: RUN_ERRORS }
  return {
    name: 'rest',
    ...routes(
      {
        '/v1/:agent': {
          GET: {
            id: 'askAgent',
            summary: 'Run an agent with a message',
            query: restQuery,
            ...shared,
            handler: (call) => (isForeign(call.req.raw, context) ? errorResponse(FOREIGN) : answer(call)),
          },
          POST: {
            id: 'callAgent',
            summary: 'Run an agent with a message or an input object',
            body: restBody,
            ...shared,
            handler: answer,
          },
        },
      },
      { tag: 'REST', ...context },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/v1/${encodeURIComponent(agent)}`
      const query = shellQuote(`q=${message}`)
      return [
        {
          title: 'REST',
          url,
          command: `curl -s ${credentials}--get --data-urlencode ${query} ${shellQuote(url)}`,
        },
      ]
    },
  }
}

/** `application/json` is the report, which is sent only to clients that accept JSON. */
const ANSWER: OperationAnswer = {
  description:
    'The answer in its own format, the report with `Accept: application/json`, or the events of the run with `Accept: text/event-stream`',
  content: {
    'text/plain': 'text',
    'text/markdown': 'text',
    'application/json': reportShape,
    // the last event, `report`, has the report or an error
    'text/event-stream': z.union([eventShape, reportShape, errorShape]),
  },
}

const FOREIGN = failure('request_refused', 'A page of another site cannot run an agent through a link.')

/**
 * Returns true if a link or an image on a page of another site made the browser send this request. Script
 * requests carry an `Origin`, which the server has already checked. Browsers that do not send
 * `Sec-Fetch-Site` name the page in `Referer`.
 */
function isForeign(request: Request, context: Pick<HeadendContext, 'allowedOrigins'>): boolean {
  const { headers } = request
  if (headers.has('origin')) return false
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'cross-site' || site === 'same-site'
  const referer = headers.get('referer')
  return referer !== null && !isOwnPage(referer, request, context)
}

/**
 * Returns true for the URL of a page of this server or of an allowed origin. The scheme of this server is
 * ignored, because a proxy may change it.
 */
function isOwnPage(
  referer: string,
  { headers, url }: Request,
  { allowedOrigins = [] }: Pick<HeadendContext, 'allowedOrigins'>,
): boolean {
  if (!URL.canParse(referer)) return false
  const { protocol, host, origin } = new URL(referer)
  const own = `${protocol}//${headers.get('host') ?? new URL(url).host}`
  return allowedOrigins.includes(origin) || (URL.canParse(own) && new URL(own).host === host)
}

async function answerCall(
  agent: AgentDefinition,
  { input, session, ...outputOptions }: RestCall,
  {
    request,
    caller,
    context,
  }: { readonly request: Request; readonly caller: Caller; readonly context: HeadendContext },
): Promise<Response> {
  const output = resolveOutput(outputOptions, agent)
  if (output !== undefined && isFailure(output)) return errorResponse(output)
  const runId = context.newId('run')
  const options: RunOptions = {
    runId,
    ...(session === undefined ? {} : { sessionId: session }),
    ...(output === undefined ? {} : { output }),
  }
  const run = (more: Pick<RunOptions, 'onEvent'> = {}) =>
    runForCaller({ agent: agent.name, input, options: { ...options, ...more } }, { request, caller }, context)
  const kind = accepts(request, ['application/json', 'text/event-stream'])
  if (kind === 'text/event-stream')
    return streamRun((onEvent) => run({ onEvent }), {
      caller,
      clock: context.clock,
      headers: { 'troupe-run-id': runId, 'troupe-session-id': headerText(session ?? runId) },
    })
  const report = await run()
  if (isFailure(report)) return errorResponse(report)
  const now = context.clock.now()
  return kind === 'application/json' ? reportEnvelope(report, now) : reportAnswer(report, now)
}

/** Maximum wait for the first event before a stream is opened, in ms. */
const FIRST_EVENT_TIMEOUT_MS = 250

/**
 * Streams the events of a run tree. The last event, `report`, holds the report or the error. A run that
 * cannot start becomes an error response.
 */
async function streamRun(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  {
    caller,
    clock,
    headers,
  }: { readonly caller: Caller; readonly headers: Readonly<Record<string, string>> } & Pick<
    HeadendContext,
    'clock'
  >,
): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(FIRST_EVENT_TIMEOUT_MS, () => resolve(undefined))
  const started = await startRunStream(run, late)
  cancel()
  if ('refusal' in started) return errorResponse(started.refusal)
  const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
  started.listen((event) => buffer.push(runEventBlock(event)))
  void started.end.then((end) => {
    const data = isFailure(end) ? errorBody(end) : envelopeOf(end)
    buffer.push(sseBlock(data, { event: 'report' }))
    buffer.end()
  })
  return eventStream(buffer, { clock, caller, headers })
}

const sessionId = z.string().min(1).max(200)
const format = z.enum(['text', 'markdown', 'json'])

/** Fields that both methods have. */
interface CallForm {
  readonly format?: OutputContract['format'] | undefined
  readonly session?: string | undefined
}

/** Schema of the query of `GET /v1/:agent`. */
const restQuery: z.ZodType<CallForm & { readonly q: string; readonly schema?: string | undefined }> =
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
const restBody: z.ZodType<
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
interface RestCall extends CallForm {
  readonly input: string | JsonObject
  readonly schema?: JsonObject | undefined
}

/** Reads the call in the query of a GET request. */
function readQuery(url: URL): ReadResult<RestCall> {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of url.searchParams) {
    if (name in parameters) return invalid(`${name} occurs twice in the query.`)
    parameters[name] = value
  }
  const query = checkShape({ ...parameters }, restQuery)
  if (!query.ok) return query
  const { q, schema, ...rest } = query.value
  if (schema === undefined) return { ok: true, value: { ...rest, input: q } }
  const parsed = parseJson(schema, jsonObject, 'schema')
  if (!parsed.ok) return { ok: false, reason: failure('invalid_schema', parsed.reason.message) }
  return { ok: true, value: { ...rest, input: q, schema: parsed.value } }
}

/** Reads the call in the body of a POST request. */
async function readBody(request: Request): Promise<ReadResult<RestCall>> {
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
