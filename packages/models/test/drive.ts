import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { userMessage, type LanguageModel, type Message } from '@troupe/schema'

export const timeTool: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'agent__Time',
  description: 'The time in a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

export const pingTool: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'ping',
  inputSchema: { type: 'object' },
}

export interface Turn {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  readonly finish: Extract<LanguageModelV4StreamPart, { readonly type: 'finish' }>
}

/** Streams one call of a model. */
export async function stream(
  model: LanguageModel,
  options: Partial<LanguageModelV4CallOptions> = {},
): Promise<Turn> {
  const prompt = options.prompt ?? [userMessage('hello')]
  const { stream: parts } = await model.doStream({ ...options, prompt })
  const all: LanguageModelV4StreamPart[] = []
  for await (const part of parts) all.push(part)
  return toTurn(all)
}

/** Calls the model until it makes no more tool calls; `answer` returns the result of one call. */
export async function loop(
  model: LanguageModel,
  options: Partial<LanguageModelV4CallOptions> & { readonly answer: (args: unknown) => string },
): Promise<readonly Turn[]> {
  const { answer, ...call } = options
  const turns: Turn[] = []
  let prompt: Message[] = [...(call.prompt ?? [userMessage('hello')])]
  for (;;) {
    const turn = await stream(model, { ...call, prompt })
    turns.push(turn)
    if (turn.calls.length === 0) return turns
    prompt = [...prompt, ...toMessages(turn, answer)]
  }
}

function toMessages(turn: Turn, answer: (args: unknown) => string): Message[] {
  return [
    {
      role: 'assistant',
      content: [
        ...(turn.text === '' ? [] : [{ type: 'text' as const, text: turn.text }]),
        ...turn.calls.map(({ id, name, args }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          input: args,
        })),
      ],
    },
    {
      role: 'tool',
      content: turn.calls.map(({ id, name, args }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: answer(args) },
      })),
    },
  ]
}

function toTurn(parts: readonly LanguageModelV4StreamPart[]): Turn {
  let text = ''
  const calls: { readonly id: string; readonly name: string; readonly args: unknown }[] = []
  for (const part of parts) {
    if (part.type === 'text-delta') text += part.delta
    if (part.type === 'tool-call')
      calls.push({ id: part.toolCallId, name: part.toolName, args: JSON.parse(part.input) })
  }
  const finish = parts.find((part) => part.type === 'finish')
  if (finish === undefined) throw new Error(`no finish part in ${JSON.stringify(parts)}`)
  return { parts, text, calls, finish }
}
