import { toFailure, troupeError, type Failure, type JsonObject, type LanguageModel } from '@troupe/schema'
import type { ModelCaller, ModelHandle } from '@troupe/schema/ports'
import { createRecordedModel, type ModelCall } from './recorded-model.ts'
import type { AnswerRecordings } from './recording-folder.ts'
import { requestKey, type ModelRequest, type RequestOrigin } from './request-key.ts'
import type { EvalSpending } from './spending.ts'

/** Use of recordings: answer what is recorded and ask for the rest, refuse the rest, or use none. */
export const RECORDING_MODES = ['auto', 'strict', 'off'] as const
/** See {@link RECORDING_MODES}. */
export type RecordingMode = (typeof RECORDING_MODES)[number]

/** The source of model answers of an evaluation. */
export interface AnswerSource {
  /** Default: no recordings. */
  readonly recordings?: AnswerRecordings
  readonly mode: RecordingMode
  /** Default: no limit. */
  readonly spending?: EvalSpending
}

/** Answers the model calls of one run tree. */
export interface CallRecorder {
  openModel(handle: ModelHandle, caller: ModelCaller): LanguageModel
  /** Number of calls that recordings have answered. */
  readonly recorded: number
  /** Why a call was not made: no recording, no budget or no price. `undefined` if all were made. */
  readonly refusal: Failure | undefined
}

/** Creates the recorder of one repeat. `redact` removes secrets from keys and recorded answers. */
export function createCallRecorder(
  { recordings, mode, spending }: AnswerSource,
  { repeat, redact }: { readonly repeat: number; redact<T>(value: T): T },
): CallRecorder {
  const occurrences = createOccurrences()
  let recorded = 0
  let refusal: Failure | undefined

  function refuse(thrown: unknown): unknown {
    refusal ??= toFailure(thrown)
    return thrown
  }

  function openModel(handle: ModelHandle, { definition, runId, calls }: ModelCaller): LanguageModel {
    const base = { handle, definition, repeat }
    let made = calls ?? 0
    const openReal = (): LanguageModel =>
      handle.open({ agent: definition.name, runId, ...(made === 0 ? {} : { calls: made }) })
    // Opened again after each recorded answer, because a scripted model counts its calls.
    let real: LanguageModel | undefined = openReal()
    const { provider, modelId, supportedUrls } = real

    async function startCall(request: ModelRequest, kind: RequestOrigin['kind']): Promise<ModelCall> {
      const redacted = redact(request)
      const origin = { ...base, kind }
      const slot = occurrences.take(requestKey(redacted, { ...origin, occurrence: 0 }))
      const key = requestKey(redacted, { ...origin, occurrence: slot.index })
      const answer = mode === 'off' ? undefined : await recordings?.read(key)
      if (answer !== undefined) {
        recorded += 1
        made += 1
        real = undefined
        return { ...NO_CALL, answer }
      }
      if (mode === 'strict') throw refuse(missingRecording(definition.name, recordings))
      let settle: Awaited<ReturnType<EvalSpending['reserve']>> | undefined
      try {
        settle = await spending?.reserve(handle, request)
      } catch (thrown) {
        throw refuse(thrown)
      }
      real ??= openReal()
      made += 1
      const model = real
      const isCut = request.maxOutputTokens !== definition.settings.maxOutputTokens
      return {
        answer: undefined,
        open: () => model,
        onAnswer: async (complete, usage) => {
          settle?.(usage)
          if (mode === 'off' || (isCut && isTooLong(complete))) return
          await recordings?.write(key, redact(complete))
        },
        onFailure: () => {
          settle?.()
          slot.release()
        },
      }
    }

    return createRecordedModel({ provider, modelId, supportedUrls }, startCall)
  }

  return {
    openModel,
    get recorded() {
      return recorded
    },
    get refusal() {
      return refusal
    },
  }
}

const NO_CALL: Omit<ModelCall, 'answer'> = {
  open: () => {
    throw troupeError('internal', 'A call with a recorded answer has no model.')
  },
  onAnswer: async () => undefined,
  onFailure: () => undefined,
}

function missingRecording(agent: string, recordings: AnswerRecordings | undefined): Error {
  return troupeError(
    'recording_missing',
    `A model request of the agent ${agent} has no recording in ${recordings?.name ?? 'the evaluation'}.`,
  )
}

/** Returns true if the output limit cut off an answer, which then must not answer requests with a higher limit. */
function isTooLong({ result, parts }: JsonObject): boolean {
  return JSON.stringify(result ?? parts).includes('"unified":"length"')
}

/** Numbers equal requests of one run tree. A failed request gives its number back, for the retry. */
function createOccurrences(): {
  take(request: string): { readonly index: number; release(): void }
} {
  const taken = new Map<string, Set<number>>()
  return {
    take(request) {
      const indexes = taken.get(request) ?? new Set()
      taken.set(request, indexes)
      let index = 0
      while (indexes.has(index)) index += 1
      indexes.add(index)
      return { index, release: () => void indexes.delete(index) }
    },
  }
}
