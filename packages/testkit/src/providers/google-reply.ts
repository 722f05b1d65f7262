import { textPieces, usageOf, type FakeAnswer } from './fake-answer.ts'
import type { FakeExchange, Reply } from './provider-api.ts'
import { EVENT_STREAM, formatServerSentEvent } from './server-sent-events.ts'

/** Creates a Gemini API response, streamed if the URL says so. */
export function generateReply(exchange: FakeExchange): Reply {
  const { path } = exchange.request
  const parts = answerParts(exchange.answer)
  if (!path.includes(':streamGenerateContent')) return { json: response(exchange, parts, true) }
  const pieces = streamParts(exchange.answer)
  const responses = pieces.map((part, index) => response(exchange, [part], index === pieces.length - 1))
  if (!path.includes('alt=sse')) return { json: responses }
  return { chunks: responses.map((chunk) => formatServerSentEvent(chunk)), contentType: EVENT_STREAM }
}

function answerParts({ text, calls = [] }: FakeAnswer): readonly object[] {
  const texts = text === undefined ? [] : [{ text }]
  return [...texts, ...calls.map(callPart)]
}

function streamParts({ text = '', calls = [] }: FakeAnswer): readonly object[] {
  const parts = [...textPieces(text).map((piece) => ({ text: piece })), ...calls.map(callPart)]
  return parts.length > 0 ? parts : [{ text: '' }]
}

function callPart({ id, name, args }: NonNullable<FakeAnswer['calls']>[number]): object {
  return { functionCall: { ...(id === undefined ? {} : { id }), name, args } }
}

function response(exchange: FakeExchange, parts: readonly object[], isLast: boolean): object {
  const { request, body, answer } = exchange
  const { input, output, cacheRead, reasoning } = usageOf(answer, body['contents'])
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  }
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        index: 0,
        ...(isLast ? { finishReason: finishReason(answer) } : {}),
      },
    ],
    ...(answer.usage === 'none' ? {} : { usageMetadata }),
    modelVersion: 'fake',
    responseId: `response-${request.index}`,
  }
}

function finishReason({ finish }: FakeAnswer): string {
  if (finish === undefined) return 'STOP'
  return finish === 'length' ? 'MAX_TOKENS' : 'SAFETY'
}
