import { troupeError, type JsonObject, type LanguageModel } from '@troupe/schema'

type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** Creates a model that calls one tool with the given arguments in its first turn and ends in its second. */
export function oneCallModel(toolName: string, args: JsonObject): LanguageModel {
  let turns = 0
  return {
    specificationVersion: 'v4',
    provider: 'troupe',
    modelId: 'one-call',
    supportedUrls: {},
    doGenerate: () =>
      Promise.reject(troupeError('usage_invalid', 'A model of one call only streams: call doStream.')),
    doStream: () => {
      turns += 1
      return Promise.resolve({ stream: streamOf(turns === 1 ? callParts(toolName, args) : endParts()) })
    },
  }
}

function callParts(toolName: string, args: JsonObject): readonly StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', toolCallId: 'call', toolName, input: JSON.stringify(args) },
    finish('tool-calls'),
  ]
}

function endParts(): readonly StreamPart[] {
  const id = 'text'
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: 'done' },
    { type: 'text-end', id },
    finish('stop'),
  ]
}

function finish(reason: 'tool-calls' | 'stop'): StreamPart {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
  }
}

function streamOf(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
