import { addUsage, failure, NO_USAGE, TroupeError, type Clock, type Usage } from '@troupe/schema'
import type {
  BudgetScope,
  EmbeddingHandle,
  Embeddings,
  Permit,
  PermitRefusal,
  ProviderLimiter,
  Reservation,
} from '@troupe/schema/ports'
import { budgetFailure, callUsage } from '../budget/reserve-call.ts'
import { byteLength } from '../run/json.ts'
import type { Cancellation } from '../run/cancellation.ts'
import { classifyModelError, type ModelFault } from './classify-model-error.ts'

/** Texts to convert to vectors. */
export interface EmbeddingCall {
  readonly texts: readonly string[]
  /** Length of the vectors. Default: that of the model. */
  readonly dimensions?: number | undefined
  readonly stop: Cancellation
}

/** Limits of calls of embedding models. */
export interface EmbeddingContext {
  readonly limiter: ProviderLimiter
  readonly clock: Clock
  /** `undefined` if there is no limit. */
  readonly budget: BudgetScope | undefined
}

/** Longest known wait for a provider in ms. A call that would have to wait longer fails at once. */
const MAX_WAIT_MS = 60_000
const BYTES_PER_TOKEN = 4

/**
 * Converts texts to vectors, in as many calls as the model needs. Each call is reserved from the budget and
 * waits for the limits of the provider. Rejects with the failure of the first call that fails; none is retried.
 */
export async function embedTexts(
  handle: EmbeddingHandle,
  call: EmbeddingCall,
  context: EmbeddingContext,
): Promise<Embeddings> {
  const { texts } = call
  const perCall = Math.max(1, (await handle.model.maxEmbeddingsPerCall) ?? texts.length)
  const vectors: (readonly number[])[] = []
  let usage = NO_USAGE
  for (let from = 0; from < texts.length; from += perCall) {
    const part = await embedWithBudget(handle, { ...call, texts: texts.slice(from, from + perCall) }, context)
    vectors.push(...part.vectors)
    usage = addUsage(usage, part.usage)
  }
  return { vectors, usage }
}

async function embedWithBudget(
  handle: EmbeddingHandle,
  call: EmbeddingCall,
  context: EmbeddingContext,
): Promise<Embeddings> {
  const reservation = await reserve(handle, call, context)
  try {
    const embeddings = await embedWithPermit(handle, call, context)
    // an estimate must not cost less than what was sent
    reservation?.settle(embeddings.usage.estimated > 0 ? reservation.worst : spendOf(embeddings.usage))
    return embeddings
  } finally {
    // only the first call of `settle` counts
    reservation?.settle({ tokens: 0, micros: 0 })
  }
}

async function reserve(
  { price }: EmbeddingHandle,
  { texts, stop }: EmbeddingCall,
  { budget }: EmbeddingContext,
): Promise<Reservation | undefined> {
  if (budget === undefined) return undefined
  const bound = { inputTokens: bytesOf(texts), outputTokens: 0, price, isClosing: false }
  const reserved = await budget.reserve(bound, stop)
  if (reserved === undefined) throw stopped(stop)
  if ('limit' in reserved) throw new TroupeError(budgetFailure(reserved, 'does not allow the embeddings'))
  return reserved
}

async function embedWithPermit(
  handle: EmbeddingHandle,
  call: EmbeddingCall,
  { limiter, clock }: EmbeddingContext,
): Promise<Embeddings> {
  const { stop, texts } = call
  const permit = await limiter.acquire({
    handle,
    stop,
    maxWaitMs: MAX_WAIT_MS,
    isLast: true,
    tokens: () => Math.ceil(bytesOf(texts) / BYTES_PER_TOKEN),
  })
  if (permit === undefined) throw stopped(stop)
  if ('refused' in permit) throw refusedBy(permit, handle, clock)
  const embeddings = await callModel(handle, call, { permit, clock })
  permit.release({ tokens: embeddings.usage.input })
  return embeddings
}

async function callModel(
  handle: EmbeddingHandle,
  { texts, dimensions, stop }: EmbeddingCall,
  { permit, clock }: { readonly permit: Permit; readonly clock: Clock },
): Promise<Embeddings> {
  try {
    const { embeddings, usage } = await handle.model.doEmbed({
      values: [...texts],
      abortSignal: stop.signal,
      ...(dimensions === undefined ? {} : { dimensions }),
    })
    if (!areVectors(embeddings, texts.length))
      throw new TroupeError(
        failure('model_bad_stream', `${handle.id} did not return one vector for each text.`),
      )
    return { vectors: embeddings, usage: usageOf(usage?.tokens, { handle, texts }) }
  } catch (thrown) {
    const fault = classifyModelError(thrown, { handle, now: clock.now() })
    permit.release(outcomeOf(fault, stop))
    throw stop.reason === undefined ? new TroupeError(fault.failure) : stopped(stop)
  }
}

function outcomeOf(
  { failure: { code }, isThrottled, retryAfterMs }: ModelFault,
  { reason }: Cancellation,
): Parameters<Permit['release']>[0] {
  return {
    code,
    ...(isThrottled === true ? { isThrottled } : {}),
    ...(reason === undefined ? {} : { isCancelled: true }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function areVectors(vectors: readonly unknown[], count: number): boolean {
  return (
    vectors.length === count &&
    vectors.every((vector) => Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite))
  )
}

/** Returns the usage that the provider reported, or an estimate from the length of the texts. */
function usageOf(
  tokens: number | undefined,
  { handle, texts }: { readonly handle: EmbeddingHandle; readonly texts: readonly string[] },
): Usage {
  const none = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  return callUsage(
    {
      usage: {
        inputTokens: { total: tokens, ...none },
        outputTokens: { total: 0, text: undefined, reasoning: undefined },
      },
    },
    handle,
    () => Math.ceil(bytesOf(texts) / BYTES_PER_TOKEN),
  )
}

function spendOf({ input, micros }: Usage): { readonly tokens: number; readonly micros: number } {
  return { tokens: input, micros }
}

function refusedBy(
  { refused, waitMs }: PermitRefusal,
  { id, provider }: EmbeddingHandle,
  clock: Pick<Clock, 'now'>,
): TroupeError {
  const retryAt = Math.round(clock.now() + waitMs)
  const at = new Date(retryAt).toISOString()
  const reason =
    refused === 'rate'
      ? failure(
          'model_rate_limited',
          `${id} was not called: the limits of providers.${provider} allow the next call at ${at}.`,
        )
      : failure(
          'model_unavailable',
          `${id} was not called: too many calls to it failed. The next attempt is possible after ${at}.`,
        )
  return new TroupeError({ ...reason, retryAt })
}

function stopped({ reason }: Cancellation): TroupeError {
  return new TroupeError(reason ?? failure('run_cancelled', 'The request was stopped.'))
}

function bytesOf(texts: readonly string[]): number {
  let bytes = 0
  for (const text of texts) bytes += byteLength(text)
  return bytes
}
