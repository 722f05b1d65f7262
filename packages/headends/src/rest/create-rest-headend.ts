import { failure, type AgentDefinition, type RunOptions } from '@troupe/schema'
import { accepts } from '../accepts.ts'
import { errorResponse } from '../error-response.ts'
import type { HandlerContext } from '../handler.ts'
import { headerText } from '../header-text.ts'
import type { Caller } from '../caller.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { resolveOutput } from '../resolve-output.ts'
import { routes } from '../routes.ts'
import { runForCaller } from '../run-for-caller.ts'
import { shellQuote } from '../shell-quote.ts'
import { servedAgent } from '../served-agent.ts'
import { reportAnswer, reportEnvelope } from './answer-report.ts'
import { readBody, readQuery, type RestCall } from './rest-call.ts'
import { streamRun } from './stream-run.ts'
import { restOperations } from './rest-operations.ts'

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
  return {
    name: 'rest',
    ...routes(
      {
        '/v1/:agent': {
          GET: (call) => (isForeign(call.req.raw, context) ? errorResponse(FOREIGN) : answer(call)),
          POST: answer,
        },
      },
      context,
    ),
    operations: restOperations,
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

const FOREIGN = failure('request_refused', 'A page of another site cannot run an agent by a link to it.')

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
  return kind === 'application/json' ? reportEnvelope(report) : reportAnswer(report)
}
