import type { Transformer } from 'node:stream/web'
import { isJsonObject, type Json, type JsonObject, type LanguageModel } from '@troupe/schema'
import type { ModelRequest } from './request-key.ts'

type WholeAnswer = Awaited<ReturnType<LanguageModel['doGenerate']>>
type StreamAnswer = Awaited<ReturnType<LanguageModel['doStream']>>
type StreamedPart = StreamAnswer['stream'] extends ReadableStream<infer Part> ? Part : never

/** Tokens that a call used, as the provider reported them. */
export type ReportedUsage = WholeAnswer['usage']

/** One model call: it has a recorded answer, or asks the model. */
export interface ModelCall {
  /** The recorded answer; `undefined` to ask the model. */
  readonly answer: JsonObject | undefined
  /** Returns the model. Called only without a recorded answer. */
  open(): LanguageModel
  /** Called with the complete answer of the model, in the form in which it is recorded. */
  onAnswer(answer: JsonObject, usage: ReportedUsage): Promise<void>
  /** Called if the model did not answer completely. */
  onFailure(): void
}

/** Creates a model that answers each request with a recording, or else with the model behind it. */
export function createRecordedModel(
  identity: Pick<LanguageModel, 'provider' | 'modelId' | 'supportedUrls'>,
  startCall: (request: ModelRequest, kind: 'stream' | 'whole') => Promise<ModelCall>,
): LanguageModel {
  return {
    specificationVersion: 'v4',
    ...identity,
    async doGenerate(request) {
      const call = await startCall(request, 'whole')
      if (call.answer !== undefined) return decode(call.answer['result']) as WholeAnswer
      const result = await orFail(call, () => call.open().doGenerate(request))
      const { content, finishReason, usage, providerMetadata, warnings, response } = result
      const kept = {
        content,
        finishReason,
        usage,
        warnings,
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
        ...(response?.modelId === undefined ? {} : { response: { modelId: response.modelId } }),
      }
      await call.onAnswer({ version: 1, result: encode(kept) }, usage)
      return result
    },
    async doStream(request) {
      const call = await startCall(request, 'stream')
      if (call.answer !== undefined)
        return { stream: ReadableStream.from(decode(call.answer['parts']) as Iterable<StreamedPart>) }
      const result = await orFail(call, () => call.open().doStream(request))
      return { ...result, stream: result.stream.pipeThrough(recordStream(call)) }
    },
  }
}

async function orFail<Result>(call: ModelCall, send: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await send()
  } catch (thrown) {
    call.onFailure()
    throw thrown
  }
}

/** Passes on the parts of a stream, and records them if the stream is complete and without errors. */
function recordStream(call: ModelCall): TransformStream<StreamedPart, StreamedPart> {
  const parts: StreamedPart[] = []
  let usage: ReportedUsage | undefined
  let isBroken = false
  const transformer: Transformer<StreamedPart, StreamedPart> & { cancel(): void } = {
    transform(part, controller) {
      if (part.type === 'error') isBroken = true
      if (part.type === 'finish') ({ usage } = part)
      if (part.type !== 'raw' && part.type !== 'response-metadata') parts.push(part)
      controller.enqueue(part)
    },
    async flush() {
      if (usage === undefined || isBroken) return call.onFailure()
      await call.onAnswer({ version: 1, parts: encode(parts) }, usage)
    },
    cancel: () => call.onFailure(),
  }
  return new TransformStream(transformer)
}

const BYTES = '$bytes'

/** Converts an answer to JSON. Bytes become base64. */
function encode(value: unknown): Json {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(encode)
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, encode(member)]])),
  )
}

function decode(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map((member: Json) => decode(member))
  if (!isJsonObject(value)) return value
  const bytes = value[BYTES]
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decode(member)]))
}
