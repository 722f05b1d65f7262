import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { tool, type StructuredToolInterface } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import { INPUT, INSTRUCTION, newCallId, TOOL, USAGE, type Answer, type Script } from '../script.ts'
import type { Framework } from './framework.ts'

type ReactAgent = ReturnType<typeof createAgent>

/** The prebuilt agent of LangGraph, which costs less than the one of the `langchain` package. Agents as tools as its documentation shows them. */
export const langgraph: Framework = {
  loop: async ({ script, turns }) => {
    const agent = createAgent(script, turns === 0 ? [] : [noop])
    const config = { recursionLimit: 2 * turns + 2 }
    return { call: () => invoke(agent, INPUT, config) }
  },
  team: async ({ scripts, names }) => {
    const agent = scripts.reduceRight<ReactAgent | undefined>(
      (below, script, index) =>
        createAgent(script, below === undefined ? [] : [asTool(below, names[index] ?? '')]),
      undefined,
    )
    if (agent === undefined) throw new TypeError('A team needs a script.')
    return { call: () => invoke(agent, INPUT) }
  },
  stream: async ({ model, hasTool }) => {
    if ('baseURL' in model) throw new TypeError('LangGraph has no provider of its own.')
    const agent = createAgent(model, hasTool ? [noop] : [])
    return {
      call: async (input, onToken) => {
        let text = ''
        const stream = await agent.stream(inputOf(input), { streamMode: 'messages' })
        for await (const [message] of stream) {
          if (!AIMessageChunk.isInstance(message) || message.text === '') continue
          onToken(message.text)
          text += message.text
        }
        return text
      },
    }
  },
  conversation: async (script) => {
    const agent = createAgent(script, [], new MemorySaver())
    return { call: (id, message) => invoke(agent, message, { configurable: { thread_id: id } }) }
  },
}

function createAgent(script: Script, tools: StructuredToolInterface[], checkpointer?: MemorySaver) {
  return createReactAgent({
    llm: new ScriptedModel(script),
    tools,
    prompt: INSTRUCTION,
    ...(checkpointer && { checkpointer }),
  })
}

function inputOf(content: string): { messages: { role: 'user'; content: string }[] } {
  return { messages: [{ role: 'user', content }] }
}

async function invoke(agent: ReactAgent, input: string, config: object = {}): Promise<string> {
  const { messages } = await agent.invoke(inputOf(input), config)
  return messages.at(-1)?.text ?? ''
}

const noop = tool(() => 'ok', {
  name: TOOL,
  description: 'Does nothing.',
  schema: z.object({ n: z.number() }),
})

function asTool(agent: ReactAgent, name: string): StructuredToolInterface {
  return tool(({ text }) => invoke(agent, text), {
    name,
    description: 'Another agent.',
    schema: z.object({ text: z.string() }),
  })
}

class ScriptedModel extends BaseChatModel {
  readonly #script: Script

  constructor(script: Script) {
    super({})
    this.#script = script
  }

  _llmType(): string {
    return 'scripted'
  }

  override bindTools(): this {
    return this
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const answer = await this.#next(messages)
    const text = textOf(answer)
    const message = new AIMessage({ content: text, tool_calls: callsOf(answer) })
    Object.assign(message, REPORTED)
    return { generations: [{ text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const answer = await this.#next(messages)
    for (const text of 'tokens' in answer ? answer.tokens : [textOf(answer)]) {
      const message = new AIMessageChunk({ content: text, tool_calls: callsOf(answer) })
      const chunk = new ChatGenerationChunk({ text, message })
      yield chunk
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk })
    }
    const last = new AIMessageChunk('')
    Object.assign(last, REPORTED)
    yield new ChatGenerationChunk({ text: '', message: last })
  }

  #next(messages: readonly BaseMessage[]): Answer | Promise<Answer> {
    return this.#script.answer({
      messages: messages.length,
      isAfterTool: messages.at(-1)?.type === 'tool',
    })
  }
}

/** Assigned to messages, because the constructors do not accept it in their default types. */
const REPORTED = {
  usage_metadata: {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  },
}

function textOf(answer: Answer): string {
  if ('tool' in answer) return ''
  return 'text' in answer ? answer.text : answer.tokens.join('')
}

function callsOf(answer: Answer): NonNullable<AIMessage['tool_calls']> {
  if (!('tool' in answer)) return []
  const args = answer.inputs.map((input) => JSON.parse(input) as Record<string, unknown>)
  return args.map((each) => ({ type: 'tool_call', id: newCallId(), name: answer.tool, args: each }))
}
