import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { INPUT, INSTRUCTION, TOOL, type Run, type Subject } from './subject.ts'

type ToolCall = Extract<LanguageModelV4Content, { readonly type: 'tool-call' }>

type Subjects = Pick<Subject, 'loop' | 'stream'>

/** The least that a program can do with a model: a loop of its own on `doGenerate`, and `doStream` read directly. */
export const provider: Subjects = {
  loop: ({ model, turns }) => loopOn(turns, async (options) => (await model.doGenerate(options)).content),
  stream:
    ({ model, onToken }) =>
    async () => {
      let text = ''
      const { stream } = await model.doStream({ prompt: opening() })
      for await (const part of stream) {
        if (part.type !== 'text-delta') continue
        onToken(part.delta)
        text += part.delta
      }
      return text
    },
}

/** The same, with a loop on `doStream`. */
export const streamingProvider: Subjects = {
  ...provider,
  loop: ({ model, turns }) =>
    loopOn(turns, async (options) => {
      const content: LanguageModelV4Content[] = []
      const { stream } = await model.doStream(options)
      for await (const part of stream) {
        if (part.type === 'text-delta') content.push({ type: 'text', text: part.delta })
        if (part.type === 'tool-call') content.push(part)
      }
      return content
    }),
}

function loopOn(
  turns: number,
  ask: (options: LanguageModelV4CallOptions) => Promise<readonly LanguageModelV4Content[]>,
): Run {
  return async () => {
    const prompt = opening()
    for (let turn = 0; turn <= turns; turn++) {
      const content = await ask({ prompt, tools: [noop] })
      const calls = content.filter((part) => part.type === 'tool-call')
      if (calls.length === 0) return textOf(content)
      prompt.push({ role: 'assistant', content: calls.map(withInput) }, resultsOf(calls))
    }
    throw new TypeError(`no end after ${turns} turns`)
  }
}

const noop: NonNullable<LanguageModelV4CallOptions['tools']>[number] = {
  type: 'function',
  name: TOOL,
  description: 'Does nothing.',
  inputSchema: {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  },
}

function opening(): LanguageModelV4Prompt {
  return [
    { role: 'system', content: INSTRUCTION },
    { role: 'user', content: [{ type: 'text', text: INPUT }] },
  ]
}

function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function withInput({ type, toolCallId, toolName, input }: ToolCall): Omit<ToolCall, 'input'> & {
  readonly input: unknown
} {
  return { type, toolCallId, toolName, input: JSON.parse(input) as unknown }
}

function resultsOf(calls: readonly ToolCall[]): LanguageModelV4Message {
  return {
    role: 'tool',
    content: calls.map(({ toolCallId, toolName }) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'text', value: 'ok' },
    })),
  }
}
