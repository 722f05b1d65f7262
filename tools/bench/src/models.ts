import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { countingModel, type CountingModel } from './model.ts'
import { CHILD_TOOL, TOOL } from './subjects/subject.ts'

/** What every run ends with. */
export const LAST_WORDS = 'done'

/** Calls the tool once a turn for `turns` turns, then ends; starts anew after that. For one run at a time. */
export function loopModel(turns: number): CountingModel {
  return countingModel((request) =>
    request % (turns + 1) === 0 ? { text: LAST_WORDS } : { tool: TOOL, inputs: [`{"n":${request}}`] },
  )
}

/** The same; every answer takes `ms`. */
export function slowLoopModel(turns: number, ms: number): CountingModel {
  return countingModel(async (request) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return request % (turns + 1) === 0 ? { text: LAST_WORDS } : { tool: TOOL, inputs: [`{"n":${request}}`] }
  })
}

/** Calls a tool that takes nothing so often at once, then ends with the texts of all results, a line each. For many runs at a time. */
export function callingModel(tool: string, count: number): CountingModel {
  const inputs = Array.from({ length: count }, () => '{}')
  return countingModel((_request, prompt) => {
    const last = prompt.at(-1)
    return last?.role === 'tool' ? { text: last.content.map(textOf).join('\n') } : { tool, inputs }
  })
}

function textOf(part: Extract<LanguageModelV4Message, { readonly role: 'tool' }>['content'][number]): string {
  return part.type === 'tool-result' && part.output.type === 'text' ? part.output.value : ''
}

/** Calls `count` children at once, then ends. For one run at a time. */
export function parentModel(count: number): CountingModel {
  const inputs = Array.from({ length: count }, (_, index) => `{"text":"task ${index}"}`)
  return countingModel((request) => (request % 2 === 0 ? { text: LAST_WORDS } : { tool: CHILD_TOOL, inputs }))
}

/** Calls `width` children at once in every run of it, then ends; `onRun` is told of each run. For many runs at a time. */
export function branchModel(width: number, onRun: () => void): CountingModel {
  const inputs = Array.from({ length: width }, (_, index) => `{"text":"branch ${index}"}`)
  return countingModel((_request, prompt) => {
    if (prompt.at(-1)?.role === 'tool') return { text: LAST_WORDS }
    onRun()
    return width === 0 ? { text: LAST_WORDS } : { tool: CHILD_TOOL, inputs }
  })
}

/** Answers at once. */
export function leafModel(): CountingModel {
  return countingModel(() => ({ text: LAST_WORDS }))
}

/** Answers after `ms`. */
export function slowModel(ms: number): CountingModel {
  return countingModel(async () => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { text: LAST_WORDS }
  })
}

/** Answers when the gate opens. */
export function gatedModel(gate: Promise<void>): CountingModel {
  return countingModel(async () => {
    await gate
    return { text: LAST_WORDS }
  })
}

/** The text of {@link tokenModel}, by tokens. */
export function tokensOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `t${index} `)
}

/** Streams `count` tokens. */
export function tokenModel(count: number): CountingModel {
  const tokens = tokensOf(count)
  return countingModel(() => ({ tokens }))
}

/** Calls the tool once, then streams `count` tokens. For many runs at a time. */
export function callAndTellModel(count: number): CountingModel {
  const tokens = tokensOf(count)
  return countingModel((_request, prompt) =>
    prompt.at(-1)?.role === 'tool' ? { tokens } : { tool: TOOL, inputs: ['{"n":1}'] },
  )
}
