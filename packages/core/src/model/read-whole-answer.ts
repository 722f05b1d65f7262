import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { createDraft, takePart } from './answer-draft.ts'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import { createOutputMeter } from './output-meter.ts'
import { concludeAnswer, type CompleteAnswer, type ActiveModelCall } from './read-answer.ts'
import type { Run } from '../session/run.ts'

/** Reads a non-streaming answer by converting it to the parts of a stream. */
export function readWholeAnswer(
  run: Run,
  result: LanguageModelV4GenerateResult,
  call: ActiveModelCall,
): CompleteAnswer | FailedAnswer {
  const draft = createDraft()
  const meter = createOutputMeter(call.maxOutputTokens)
  for (const part of partsOf(result)) {
    const excess = meter.add(part)
    if (excess === undefined) takePart(run, draft, part)
    else draft.error ??= { thrown: excess }
  }
  return concludeAnswer(run, draft, { ...call, received: meter.received })
}

function partsOf({
  content,
  finishReason,
  usage,
}: LanguageModelV4GenerateResult): readonly LanguageModelV4StreamPart[] {
  const parts = content.flatMap((part, index) => contentParts(part, String(index)))
  parts.push({ type: 'finish', finishReason, usage })
  return parts
}

function contentParts(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text, providerMetadata } = part
  const metadata = providerMetadata === undefined ? {} : { providerMetadata }
  return [
    { type: `${type}-start`, id, ...metadata },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, ...metadata },
  ]
}
