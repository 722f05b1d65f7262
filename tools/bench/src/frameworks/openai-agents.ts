import {
  Agent,
  MemorySession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
  Usage,
  type Model,
  type ModelRequest,
  type protocol,
} from '@openai/agents'
import { z } from 'zod'
import {
  FINAL_TEXT,
  INPUT,
  INSTRUCTION,
  newCallId,
  TOOL,
  USAGE,
  type Answer,
  type Script,
} from '../script.ts'
import type { Framework } from './framework.ts'

// traces are sent over the network by default
setTracingDisabled(true)

const runConfig = { tracingDisabled: true }
const runner = new Runner(runConfig)

/** `Runner.run` and `Agent.asTool` as the documentation of the OpenAI Agents SDK shows them. */
export const openaiAgents: Framework = {
  loop: async ({ script, turns }) => {
    const agent = createAgent(scriptedModel(script), turns === 0 ? [] : [noop])
    return {
      call: async () => (await runner.run(agent, INPUT, { maxTurns: turns + 1 })).finalOutput ?? '',
    }
  },
  team: async ({ scripts, names }) => {
    const agent = scripts.reduceRight<Agent | undefined>((below, script, index) => {
      const model = scriptedModel(script)
      return below === undefined ? createAgent(model, []) : createAgent(model, [asTool(below, names[index])])
    }, undefined)
    if (agent === undefined) throw new TypeError('A team needs a script.')
    return { call: async () => (await runner.run(agent, INPUT)).finalOutput ?? '' }
  },
  stream: async ({ model, hasTool }) => {
    const opened =
      'baseURL' in model
        ? await new OpenAIProvider({ baseURL: model.baseURL, apiKey: 'none', useResponses: false }).getModel(
            model.name,
          )
        : scriptedModel(model)
    const agent = createAgent(opened, hasTool ? [noop] : [])
    return {
      call: async (input, onToken) => {
        let text = ''
        const result = await runner.run(agent, input, { stream: true })
        for await (const token of result.toTextStream()) {
          onToken(token)
          text += token
        }
        await result.completed
        return text
      },
    }
  },
  conversation: async (script) => {
    const agent = createAgent(scriptedModel(script), [])
    const sessions = new Map<string, MemorySession>()
    return {
      call: async (id, message) => {
        const session = sessions.get(id) ?? new MemorySession({ sessionId: id })
        sessions.set(id, session)
        return (await runner.run(agent, message, { session })).finalOutput ?? ''
      },
    }
  },
}

function createAgent(model: Model, tools: Agent['tools']): Agent {
  return new Agent({ name: 'agent', instructions: INSTRUCTION, model, tools })
}

const noop = tool({
  name: TOOL,
  description: 'Does nothing.',
  parameters: z.object({ n: z.number() }),
  execute: () => 'ok',
})

function asTool(agent: Agent, toolName = FINAL_TEXT): Agent['tools'][number] {
  return agent.asTool({
    toolName,
    toolDescription: 'Another agent.',
    parameters: z.object({ text: z.string() }),
    inputBuilder: ({ params }) => params.text,
    runConfig,
  })
}

/** Wraps a script in the model interface of the SDK. */
export function scriptedModel(script: Script): Model {
  const next = ({ input }: ModelRequest): Answer | Promise<Answer> => {
    const last = typeof input === 'string' ? undefined : input.at(-1)
    // the system instructions are not one of the items
    const messages = 1 + (typeof input === 'string' ? 1 : input.length)
    return script.answer({ messages, isAfterTool: last?.type === 'function_call_result' })
  }
  return {
    getResponse: async (request) => ({ usage: new Usage(REPORTED), output: toItems(await next(request)) }),
    async *getStreamedResponse(request) {
      const answer = await next(request)
      yield { type: 'response_started' }
      if (!('tool' in answer))
        for (const delta of 'text' in answer ? [answer.text] : answer.tokens)
          yield { type: 'output_text_delta', delta }
      yield {
        type: 'response_done',
        response: { id: 'response', usage: { ...REPORTED, requests: 1 }, output: toItems(answer) },
      }
    },
  }
}

const REPORTED = {
  inputTokens: USAGE.input,
  outputTokens: USAGE.output,
  totalTokens: USAGE.input + USAGE.output,
}

function toItems(answer: Answer): (protocol.FunctionCallItem | protocol.AssistantMessageItem)[] {
  if ('tool' in answer)
    return answer.inputs.map((input) => ({
      type: 'function_call',
      callId: newCallId(),
      name: answer.tool,
      arguments: input,
      status: 'completed',
    }))
  const text = 'text' in answer ? answer.text : answer.tokens.join('')
  return [
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
  ]
}
