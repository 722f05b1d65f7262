import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { FinalTool } from './final-tool.ts'

/**
 * Converts the call of the final tool to text. Other text is held until the end and dropped if there is a
 * final answer. A final answer next to other calls is dropped, because it cannot use their results.
 */
export function answerStream({
  tool,
  answerIn,
}: FinalTool): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const text: LanguageModelV4StreamPart[] = []
  const inputs = new Set<string>()
  let answer: string | undefined
  let hasCalls = false
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'text-start' || part.type === 'text-delta' || part.type === 'text-end')
        text.push(part)
      else if (part.type === 'tool-input-start' && part.toolName === tool.name) inputs.add(part.id)
      else if (isInputOf(part, inputs)) return
      else if (part.type === 'tool-call' && part.toolName === tool.name) answer = answerIn(part.input)
      else if (part.type === 'finish') {
        const isAnswered = answer !== undefined && !hasCalls
        for (const said of isAnswered ? asText(answer ?? '') : text) controller.enqueue(said)
        const { raw } = part.finishReason
        const isStop = isAnswered && part.finishReason.unified === 'tool-calls'
        controller.enqueue(isStop ? { ...part, finishReason: { unified: 'stop', raw } } : part)
      } else {
        if (part.type === 'tool-call') hasCalls = true
        controller.enqueue(part)
      }
    },
  })
}

function isInputOf(part: LanguageModelV4StreamPart, inputs: ReadonlySet<string>): boolean {
  return (part.type === 'tool-input-delta' || part.type === 'tool-input-end') && inputs.has(part.id)
}

function asText(text: string): readonly LanguageModelV4StreamPart[] {
  const id = 'final-answer'
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ]
}
