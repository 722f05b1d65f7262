import { createHash } from 'node:crypto'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** Share of the answers that are right. */
const RELIABILITY = 0.94

/**
 * Creates a provider whose model knows only the facts of its system prompt, which are the lines that start
 * with `- `. It answers with the fact that has most words in common with the question, and is sometimes wrong:
 * when, depends on the prompt, the question, and how often it was asked.
 */
export function createRules(): { languageModel(id: string): LanguageModelV4 } {
  const counts = new Map<string, number>()
  return {
    languageModel: (modelId) => ({
      specificationVersion: 'v4',
      provider: 'rules',
      modelId,
      supportedUrls: {},
      doGenerate: async (options) => {
        const content = answer(options, counts)
        return { content: [content], ...endOf(options, content), warnings: [] }
      },
      doStream: async (options) => {
        const content = answer(options, counts)
        return {
          stream: ReadableStream.from<LanguageModelV4StreamPart>([
            { type: 'stream-start', warnings: [] },
            ...partsOf(content),
            { type: 'finish', ...endOf(options, content) },
          ]),
        }
      },
    }),
  }
}

type Answer = Extract<LanguageModelV4Content, { readonly type: 'text' | 'tool-call' }>

function partsOf(content: Answer): readonly LanguageModelV4StreamPart[] {
  if (content.type === 'tool-call') return [content]
  return [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: content.text },
    { type: 'text-end', id: '1' },
  ]
}

function endOf(
  options: LanguageModelV4CallOptions,
  content: Answer,
): Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage'> {
  const finish = content.type === 'tool-call' ? 'tool-calls' : 'stop'
  return { finishReason: { unified: finish, raw: finish }, usage: usageOf(options, content) }
}

function answer({ prompt, tools = [] }: LanguageModelV4CallOptions, counts: Map<string, number>): Answer {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n')
  const question = lastQuestion(prompt)
  const result = toolResult(prompt)
  if (result !== undefined) return { type: 'text', text: result }
  const call = (name: string, args: object): Answer | undefined =>
    tools.some((tool) => tool.name === name)
      ? { type: 'tool-call', toolCallId: 'call-1', toolName: name, input: JSON.stringify(args) }
      : undefined
  const order = /order (?<number>\d+)/u.exec(question)?.groups?.['number']
  const found =
    (order === undefined ? undefined : call('findOrder', { number: order })) ??
    (/complaint/u.test(question) ? call('agent__clerk', { text: question }) : undefined)
  if (found !== undefined) return found
  const key = `${system}\n${question}`
  const count = counts.get(key) ?? 0
  counts.set(key, count + 1)
  if (randomOf(`${key}\n${count}`) > RELIABILITY)
    return { type: 'text', text: 'I do not know, please call us.' }
  return { type: 'text', text: bestFact(system, question) }
}

function lastQuestion(prompt: LanguageModelV4CallOptions['prompt']): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
}

/** Returns the result of the call that was just made; `undefined` if there was none. */
function toolResult(prompt: LanguageModelV4CallOptions['prompt']): string | undefined {
  const message = prompt.at(-1)
  if (message?.role !== 'tool') return undefined
  const texts = message.content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    const { output } = part
    if (output.type === 'text' || output.type === 'error-text') return [output.value]
    if (output.type !== 'content') return [JSON.stringify('value' in output ? output.value : '')]
    return output.value.flatMap((item) => (item.type === 'text' ? [item.text] : []))
  })
  return texts.join(' ')
}

function bestFact(system: string, question: string): string {
  const facts = system.split('\n').filter((line) => line.startsWith('- '))
  const words = wordsOf(question)
  const score = (fact: string): number => [...wordsOf(fact)].filter((word) => words.has(word)).length
  const [best = 'I do not know.'] = facts.toSorted((a, b) => score(b) - score(a))
  return best.replace(/^- (?:[^:]*: )?/u, '')
}

/** Words that say nothing about a question. */
const COMMON = new Set([
  'and',
  'are',
  'the',
  'for',
  'does',
  'when',
  'where',
  'you',
  'have',
  'was',
  'from',
  'with',
])

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z]{3,}/gu) ?? []
  return new Set(words.filter((word) => !COMMON.has(word)))
}

/** Returns a number from 0 to below 1 that depends on nothing but the text. */
function randomOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

function usageOf(
  { prompt }: LanguageModelV4CallOptions,
  content: Answer,
): LanguageModelV4GenerateResult['usage'] {
  const input = Math.ceil(JSON.stringify(prompt).length / 4)
  const output = Math.ceil(JSON.stringify(content).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}
