import {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type AgentFields,
  type GuardFunction,
  type LanguageModel,
} from '@troupe/schema'
import { onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../../src/index.ts'

/** A tool that returns its text, and the texts that it got. */
export interface EchoTool {
  readonly got: string[]
  readonly tool: ReturnType<typeof defineTool>
}

/** Creates a tool that returns its text. */
export function echoTool(): EchoTool {
  const got: string[] = []
  const tool = defineTool({
    name: 'echo',
    description: 'Returns its text.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'read',
    execute: ({ text }) => {
      got.push(text as string)
      return text
    },
  })
  return { got, tool }
}

/** A guard that finds a word, and removes it if it has to. */
export function noWord(word: string): GuardFunction {
  return function noWord({ text }) {
    return text.includes(word)
      ? { reason: `the word ${word.length}`, text: text.replaceAll(word, '***') }
      : undefined
  }
}

/** A host whose only model answers every agent `test/<name in small letters>`. */
export async function guardedHost(
  agents: readonly AgentDefinition[],
  models: Readonly<Record<string, LanguageModel>>,
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const host = await createHost({
    cards: [...agents],
    config: false,
    cwd: import.meta.dirname,
    models,
    ...options,
  })
  onTestFinished(() => host.close())
  return host
}

/** An agent with guards and a model of its own. */
export function guardedAgent(
  name: string,
  guard: AgentFields['guard'],
  fields: Partial<AgentFields> = {},
): AgentDefinition {
  return defineAgent({
    name,
    description: name,
    instruction: 'Help.',
    model: `test/${name.toLowerCase()}`,
    ...(guard === undefined ? {} : { guard }),
    ...fields,
  })
}
