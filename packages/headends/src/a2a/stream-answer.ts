import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { JsonRpcTransportHandler } from '@a2a-js/sdk/server'
import { isJsonObject } from '@troupe/schema'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { createSseBuffer, eventStream, sseBlock, type SseBuffer } from '../sse/event-stream.ts'

/** The result of an operation, or a stream of results, as JSON-RPC responses. */
export type RpcAnswer = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>

/** Returns true if the operation streams its results. */
export function isStream(answer: RpcAnswer): answer is Extract<RpcAnswer, AsyncGenerator> {
  return Symbol.asyncIterator in answer
}

/** The format of a binding for streams. */
interface StreamFormat {
  readonly caller: Caller
  readonly clock: HeadendContext['clock']
  /** Converts a result to the data of an event. */
  toData(answer: unknown): unknown
  /** Creates the response for an error before the first result. */
  toErrorAnswer(thrown: unknown): Response
  /** Formats an event for an error after the first result. */
  toErrorBlock(thrown: unknown): string
}

/** Streams the results of an operation. An error before the first one is sent as a plain JSON response. */
export async function streamAnswer(
  answers: AsyncGenerator<unknown, void, undefined>,
  format: StreamFormat,
): Promise<Response> {
  const { caller, clock, toData, toErrorAnswer } = format
  let first: IteratorResult<unknown, void>
  try {
    first = await answers.next()
  } catch (thrown) {
    return toErrorAnswer(thrown)
  }
  const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
  if (first.done !== true) buffer.push(sseBlock(toData(first.value)))
  void forward(answers, buffer, format)
  return eventStream(buffer, { clock, caller })
}

async function forward(
  answers: AsyncIterable<unknown>,
  buffer: SseBuffer,
  { toData, toErrorBlock }: StreamFormat,
): Promise<void> {
  try {
    for await (const answer of answers) buffer.push(sseBlock(toData(answer)))
  } catch (thrown) {
    buffer.push(toErrorBlock(thrown))
  }
  buffer.end()
}

/** Throws for message parts that are not objects, which the SDK does not check. */
export function checkParts(params: unknown): void {
  const message = isJsonObject(params) ? params['message'] : undefined
  const parts = isJsonObject(message) ? message['parts'] : undefined
  if (Array.isArray(parts) && !parts.every(isJsonObject))
    throw new RequestMalformedError('message.parts: every part must be an object.')
}
