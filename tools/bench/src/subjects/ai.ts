import type { LanguageModelV4 } from '@ai-sdk/provider'
import { generateText, isStepCount, jsonSchema, streamText, tool, type ToolSet } from 'ai'
import { z } from 'zod'
import { OFFERED, offeredJson, offeredName, offeredZod } from './offered-tool.ts'
import { CHILD_TOOL, INPUT, INSTRUCTION, TOOL, type Run, type Subject } from './subject.ts'

/** The loop of the AI SDK as its documentation shows it. It has no hooks, no listeners of all events and no limits on calls and runs, so those are not asked of it. */
export const ai: Subject = {
  loop: ({ model, turns, beforeCall }) =>
    generate(model, turns === 0 ? {} : { [TOOL]: noop(beforeCall) }, turns),
  fanOut: ({ parent, child }) => generate(parent, children([child]), 1),
  nest: ([model, ...below]) => generate(model, children(below), 1),
  offer: ({ model, tools, schemas }) => {
    const toTool = schemas === 'zod' ? zodTool : jsonTool
    const names = Array.from({ length: tools }, (_, index) => offeredName(index))
    return generate(model, Object.fromEntries(names.map((name) => [name, toTool()])), 0)
  },
  stream:
    ({ model, onToken }) =>
    async () => {
      let text = ''
      for await (const token of streamText({ model, instructions: INSTRUCTION, prompt: INPUT }).textStream) {
        onToken(token)
        text += token
      }
      return text
    },
}

const NOOP = { description: 'Does nothing.', inputSchema: z.object({ n: z.number() }) }

function noop(beforeCall: (() => Promise<void>) | undefined): ToolSet[string] {
  if (beforeCall === undefined) return tool({ ...NOOP, execute: () => 'ok' })
  const execute = async (): Promise<string> => {
    await beforeCall()
    return 'ok'
  }
  return tool({ ...NOOP, execute })
}

function zodTool(): ToolSet[string] {
  return tool({ description: OFFERED, inputSchema: offeredZod(), execute: () => 'ok' })
}

function jsonTool(): ToolSet[string] {
  return tool({ description: OFFERED, inputSchema: jsonSchema(offeredJson()), execute: () => 'ok' })
}

function generate(model: LanguageModelV4, tools: ToolSet, turns: number): Run {
  return async () => {
    const { text } = await generateText({
      model,
      tools,
      instructions: INSTRUCTION,
      prompt: INPUT,
      stopWhen: isStepCount(turns + 1),
    })
    return text
  }
}

/** The first model as an agent that is a tool and has the next ones below it. */
function children([model, ...below]: readonly LanguageModelV4[]): ToolSet {
  if (model === undefined) return {}
  const tools = children(below)
  const execute = async ({ text: prompt }: { readonly text: string }): Promise<string> => {
    const stopWhen = isStepCount(2)
    return (await generateText({ model, tools, instructions: INSTRUCTION, prompt, stopWhen })).text
  }
  return {
    [CHILD_TOOL]: tool({
      description: 'Another agent.',
      inputSchema: z.object({ text: z.string() }),
      execute,
    }),
  }
}
