import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { failure, type AssistantMessage, type ModelHandle, type Usage } from '@troupe/schema'
import { contentOf, createDraft, takePart, type AnswerDraft, type RequestedToolCall } from './answer-draft.ts'
import { stoppedFault, thrownFault } from '../model-faults/call-fault.ts'
import type { FailedAnswer, ModelFault } from '../model-faults/classify-model-error.ts'
import { judgeAnswer } from './judge-answer.ts'
import { createOutputMeter } from './output-meter.ts'
import type { Run } from '../session/run.ts'
import type { Cancellation } from '../time/cancellation.ts'
import type { StreamWatch } from './watch-stream.ts'

/** A complete answer of a model. */
export interface CompleteAnswer {
  readonly content: AssistantMessage['content']
  readonly text: string
  readonly calls: readonly RequestedToolCall[]
  readonly finishReason: string
  readonly usage: LanguageModelV4Usage | undefined
  /** Number of characters received, including reasoning and arguments. */
  readonly received: number
  /** Recorded usage, if the answer comes from a recording. */
  readonly replayed?: Usage
}

/** A model call whose answer is being read. */
export interface ActiveModelCall {
  readonly handle: ModelHandle
  readonly stop: Cancellation
  readonly watch: StreamWatch
  readonly mayCall: boolean
  /** Output limit of the request. `undefined` if there is none. */
  readonly maxOutputTokens: number | undefined
}

/**
 * Reads a model stream to its end with a single reader, without stream layers. A stream with an error or
 * without a finish is a failed answer, whatever else it contains. After an error it is cancelled at once,
 * which closes its connection. Never rejects.
 */
export async function readAnswer(
  run: Run,
  stream: ReadableStream<LanguageModelV4StreamPart>,
  call: ActiveModelCall,
): Promise<CompleteAnswer | FailedAnswer> {
  const draft = createDraft()
  const meter = createOutputMeter(call.maxOutputTokens)
  const reader = stream.getReader()
  const cancelReader = (): void => {
    reader.cancel().catch(() => {
      // the stream cannot be cancelled, and is not read any more
    })
  }
  const off = call.stop.onCancel(cancelReader)
  try {
    while (draft.error === undefined) {
      const { done, value } = await reader.read()
      if (call.stop.reason !== undefined || done) break
      call.watch.touch()
      const excess = meter.add(value)
      if (excess === undefined) takePart(run, draft, value)
      else draft.error = { thrown: excess }
    }
  } catch (thrown) {
    draft.error ??= { thrown }
  } finally {
    off()
  }
  if (draft.error !== undefined) cancelReader()
  return concludeAnswer(run, draft, { ...call, received: meter.received })
}

/** Converts a finished draft to an answer, or to its fault. */
export function concludeAnswer(
  run: Run,
  draft: AnswerDraft,
  call: ActiveModelCall & { readonly received: number },
): CompleteAnswer | FailedAnswer {
  const fault = faultOf(run, draft, call)
  const { received } = call
  if (fault === undefined) return judgeAnswer(draft, { mayCall: call.mayCall, received })
  return { ...fault, ...partOf(draft), usage: draft.finish?.usage, received }
}

function faultOf(run: Run, draft: AnswerDraft, { handle, stop }: ActiveModelCall): ModelFault | undefined {
  if (stop.reason !== undefined) return stoppedFault(run, stop)
  if (draft.error !== undefined) return thrownFault(run, handle, draft.error.thrown)
  if (draft.finish !== undefined) return undefined
  const broken = failure('model_bad_stream', 'The answer of the model broke off before its end.')
  return { failure: broken, retryable: true }
}

function partOf(draft: AnswerDraft): { readonly partialText?: string } {
  const { text } = contentOf(draft, false)
  return text === '' ? {} : { partialText: text }
}
