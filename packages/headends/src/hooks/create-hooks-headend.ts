import { derivedRunId } from '@troupe/schedules'
import {
  failure,
  LOCAL_PRINCIPAL,
  troupeError,
  TroupeError,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import { fillWithValues, parsePromptTemplate, valueAt } from '@troupe/tools/prompt-template'
import { z } from 'zod'
import { errorResponse, failureFor } from '../headend/errors.ts'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { decodeText, jsonObject, parseJson, readBytes, requireJsonType } from '../request/read-json.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { jsonAnswer, routes } from '../routes/routes.ts'
import type { RunService } from '../run-service/run-service.ts'
import { verifySignature } from './verify-signature.ts'

/** A webhook with its secret. */
export interface Webhook {
  readonly name: string
  readonly agent: string
  /** Key of the signatures, of at least 16 characters. */
  readonly secret: string
  /** A template, or an object whose texts are templates. */
  readonly input: string | JsonObject
  /** Priority of the runs. Default: 100. */
  readonly priority?: number
}

/** Returns true for the paths of webhooks, whose signature replaces the token. */
export function isHookPath(path: string): boolean {
  return path.startsWith('/hooks/')
}

const SHORTEST_SECRET = 16
/** Number of deliveries that are remembered. Those of stored runs are known without that. */
const MOST_DELIVERIES = 10_000
/** Maximum length of an input in characters. */
const LONGEST_INPUT = 1024 * 1024
/** Maximum nesting of an input object. */
const MOST_LEVELS = 20

/**
 * Creates the headend of webhooks (`POST /hooks/:name`). A request with a valid signature starts a run of the
 * operator, and a repeated one returns the same run. Throws `config_invalid` for a secret that is too short.
 */
export function createHooksHeadend(
  context: HeadendContext,
  {
    hooks,
    runService,
  }: { readonly hooks: readonly Webhook[]; readonly runService: Pick<RunService, 'startOnce'> },
): Headend {
  for (const hook of hooks) requireLength(hook)
  const byName = new Map(hooks.map((hook) => [hook.name, hook]))
  const deliveries = new Map<string, Promise<void>>()

  /** Starts the run of a delivery. A repeated delivery gets the run of the first one. */
  async function deliver(hook: Webhook, id: string, body: JsonObject): Promise<string> {
    const runId = derivedRunId('hook', hook.name, id)
    const known = deliveries.get(runId)
    const start = known ?? startRun(hook, { runId, id, body })
    if (known === undefined) {
      deliveries.set(runId, start)
      const [oldest] = deliveries.keys()
      if (deliveries.size > MOST_DELIVERIES && oldest !== undefined) deliveries.delete(oldest)
    }
    try {
      await start
    } catch (thrown) {
      // the sender may try again
      deliveries.delete(runId)
      throw thrown
    }
    return runId
  }

  /** Starts a run. Throws if it is refused or ends before anything of it is stored. */
  async function startRun(
    { name, agent, input, priority }: Webhook,
    { runId, id, body }: { readonly runId: string; readonly id: string; readonly body: JsonObject },
  ): Promise<void> {
    const filled = fillInput(input, body)
    const options = {
      runId,
      note: { hook: { name, delivery: id } },
      ...(priority === undefined ? {} : { priority }),
    }
    const started = await runService.startOnce({ agent, input: filled, principal: LOCAL_PRINCIPAL, options })
    if ('outcome' in started && started.error !== undefined) throw new TroupeError(started.error)
  }

  const handler: Handler = async ({ req }) => {
    const hook = byName.get(req.param('name') ?? '')
    if (hook === undefined) return errorResponse(failure('route_unknown', 'There is no such webhook.'))
    const body = await readBytes(req.raw)
    if (!body.ok) return errorResponse(body.reason)
    const now = context.clock.now()
    const id = verifySignature({ headers: req.raw.headers, body: body.value, secret: hook.secret, now })
    if (typeof id !== 'string') return errorResponse(id)
    const type = requireJsonType(req.raw)
    if (type !== undefined) return errorResponse(type)
    const text = decodeText(body.value)
    if (!text.ok) return errorResponse(text.reason)
    const json = parseJson(text.value, jsonObject)
    if (!json.ok) return errorResponse(json.reason)
    return Response.json({ runId: await deliver(hook, id, json.value) }, { status: 202 })
  }

  return {
    name: 'hooks',
    ...routes(
      {
        '/hooks/:name': {
          POST: {
            id: 'deliverWebhook',
            summary: 'Start a run with a signed webhook; requires no token',
            body: jsonObject,
            answers: {
              202: jsonAnswer('The run that the delivery has started', z.object({ runId: z.string() })),
            },
            errors: RUN_ERRORS,
            handler: withPublicErrors(handler, context),
          },
        },
      },
      { tag: 'Webhooks', ...context },
    ),
  }
}

function requireLength({ name, secret }: Webhook): void {
  if (secret.length >= SHORTEST_SECRET) return
  const message = `The secret of the webhook ${name} has ${secret.length} characters; at least ${SHORTEST_SECRET} are required.`
  throw troupeError('config_invalid', message, {
    fix: 'Replace it with a random one, such as the output of `openssl rand -hex 32`.',
  })
}

/** Answers failures without private details, because the sender is not the operator. */
function withPublicErrors(handler: Handler, { onError }: HeadendContext): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      const shown = failureFor(undefined, thrown)
      if (thrown instanceof TroupeError && shown.message !== thrown.message) onError?.(thrown)
      return errorResponse(shown)
    }
  }
}

/** Fills the input of a webhook with values of the body. Throws `request_invalid` if one is missing. */
function fillInput(input: string | JsonObject, body: JsonObject): string | JsonObject {
  return typeof input === 'string' ? fillText(input, body) : (fillValue(input, body, 0) as JsonObject)
}

function fillValue(value: Json, body: JsonObject, level: number): Json {
  if (level > MOST_LEVELS)
    throw troupeError('request_invalid', 'The input of the webhook is nested too deeply.')
  if (Array.isArray(value)) return value.map((item: Json) => fillValue(item, body, level + 1))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, fillValue(member, body, level + 1)]),
    )
  if (typeof value !== 'string') return value
  // a text that is only a placeholder becomes the value itself
  const [first, ...others] = parsePromptTemplate(value)
  if (first?.kind !== 'placeholder' || others.length > 0) return fillText(value, body)
  return valueAt(first.path, body) ?? fillText(value, body)
}

function fillText(template: string, values: JsonObject): string {
  const filled = fillWithValues(parsePromptTemplate(template), { values, maxLength: LONGEST_INPUT })
  if ('text' in filled) return filled.text
  throw troupeError('request_invalid', `The body does not fit the webhook: ${filled.problem}.`)
}
