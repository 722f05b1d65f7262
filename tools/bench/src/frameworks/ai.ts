import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { generateText, isStepCount, streamText, tool, type ModelMessage, type ToolSet } from 'ai'
import { z } from 'zod'
import { INPUT, INSTRUCTION, TOOL } from '../script.ts'
import { createTempFolder } from '../temp-folder.ts'
import type { Framework, ModelAddress, Run } from './framework.ts'
import { scriptedModel } from './scripted-model.ts'

/** `generateText` and `streamText` as the documentation of the AI SDK shows them. */
export const ai: Framework = {
  loop: async ({ script, turns }) => ({
    call: generate(scriptedModel(script), turns === 0 ? {} : { [TOOL]: noop }, turns + 1),
  }),
  team: async ({ scripts, names }) => {
    const [lead, ...below] = scripts.map(scriptedModel)
    if (lead === undefined) throw new TypeError('A team needs a script.')
    return { call: generate(lead, childTools(below, names), 2) }
  },
  stream: async ({ model, hasTool }) => {
    const opened = 'baseURL' in model ? openProvider(model) : scriptedModel(model)
    const tools = hasTool ? { [TOOL]: noop } : {}
    return {
      call: async (prompt, onToken) => {
        let text = ''
        const { textStream } = streamText({
          model: opened,
          tools,
          instructions: INSTRUCTION,
          prompt,
          stopWhen: isStepCount(2),
        })
        for await (const token of textStream) {
          onToken(token)
          text += token
        }
        return text
      },
    }
  },
  conversation: async (script) => {
    const model = scriptedModel(script)
    const history = openHistory()
    return {
      call: async (id, content) => {
        const messages = history.messagesOf(id)
        const question: ModelMessage = { role: 'user', content }
        messages.push(question)
        const { text, response } = await generateText({ model, instructions: INSTRUCTION, messages })
        messages.push(...response.messages)
        history.save(id, [question, ...response.messages])
        return text
      },
      close: async () => history.close(),
    }
  },
}

/** Opens a model through the provider package of the AI SDK. */
export function openProvider({ baseURL, name }: ModelAddress): LanguageModelV4 {
  return createOpenAICompatible({ name: 'openai-compatible', baseURL, includeUsage: true }).chatModel(name)
}

const noop = tool({
  description: 'Does nothing.',
  inputSchema: z.object({ n: z.number() }),
  execute: () => 'ok',
})

function generate(model: LanguageModelV4, tools: ToolSet, steps: number): Run {
  return async () => {
    const { text } = await generateText({
      model,
      tools,
      instructions: INSTRUCTION,
      prompt: INPUT,
      stopWhen: isStepCount(steps),
    })
    return text
  }
}

/** Returns the first model as a tool that runs an agent with the following ones below it. */
function childTools(
  [model, ...below]: readonly LanguageModelV4[],
  [name, ...names]: readonly string[],
): ToolSet {
  if (model === undefined || name === undefined) return {}
  const tools = childTools(below, names)
  const execute = async ({ text: prompt }: { readonly text: string }): Promise<string> => {
    const stopWhen = isStepCount(2)
    return (await generateText({ model, tools, instructions: INSTRUCTION, prompt, stopWhen })).text
  }
  return {
    [name]: tool({ description: 'Another agent.', inputSchema: z.object({ text: z.string() }), execute }),
  }
}

interface History {
  messagesOf(id: string): ModelMessage[]
  save(id: string, messages: readonly ModelMessage[]): void
  close(): void
}

/**
 * Opens what a user of `ai` writes to save conversations: messages stay in memory, and new ones are appended to a
 * SQLite file in one durable transaction.
 */
function openHistory(): History {
  const folder = createTempFolder()
  const database = new DatabaseSync(join(folder.path, 'messages.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE messages (id TEXT NOT NULL, data TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO messages (id, data) VALUES (?, ?)')
  const conversations = new Map<string, ModelMessage[]>()
  return {
    messagesOf(id) {
      const messages = conversations.get(id) ?? []
      conversations.set(id, messages)
      return messages
    },
    save(id, messages) {
      database.exec('BEGIN IMMEDIATE')
      for (const message of messages) insert.run(id, JSON.stringify(message))
      database.exec('COMMIT')
    },
    close() {
      database.close()
      folder.remove()
    },
  }
}
