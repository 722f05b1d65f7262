import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { createHost, type Host, type HostOptions } from '@troupe/host'
import {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type RunOptions,
  type ToolDefinition,
} from '@troupe/schema'
import { openSqliteStore, type SqliteStore } from '@troupe/store'
import { z } from 'zod'
import { INPUT, INSTRUCTION, TOOL } from '../script.ts'
import { createTempFolder } from '../temp-folder.ts'
import type { Framework } from './framework.ts'
import { scriptedModel } from './scripted-model.ts'

const LEAD = 'lead'

/** Agents of a host. The store of the library's default keeps nothing. */
export const troupe: Framework = {
  loop: (work) => openLoop(work),
  team: async ({ scripts, names, width }) => {
    const host = await openHost(
      {
        agents: chainOf(names),
        limits: {
          maxRuns: width * names.length + 1,
          maxParallel: width,
          maxToolCallsPerTurn: width,
          maxDepth: names.length,
        },
      },
      { models: Object.fromEntries(scripts.map((script, index) => [modelId(index), scriptedModel(script)])) },
    )
    return { call: () => runLead(host, INPUT), close: () => host.close() }
  },
  stream: async ({ model, hasTool }) => {
    const tools = hasTool ? [noopTool()] : []
    const host =
      'baseURL' in model
        ? await openHost(
            { tools, model: `openai-compatible/${model.name}` },
            { config: { providers: { 'openai-compatible': { baseURL: model.baseURL } } } },
          )
        : await openHost({ tools }, { models: { [modelId(0)]: scriptedModel(model) } })
    return {
      call: (input, onToken) =>
        runLead(host, input, {
          onEvent: (event) => {
            if (event.type === 'text-delta') onToken(event.text)
          },
        }),
      close: () => host.close(),
    }
  },
  conversation: async (script) => {
    const folder = createTempFolder()
    const store = await openStore(join(folder.path, 'runs.db'))
    const host = await openHost({}, { store, models: { [modelId(0)]: scriptedModel(script) } })
    return {
      call: (sessionId, message) => runLead(host, message, { sessionId }),
      async close() {
        await host.close()
        folder.remove()
      },
    }
  },
}

/** Opens an agent that calls its tool `turns` times, once per turn. */
export async function openLoop(
  { script, turns }: Parameters<Framework['loop']>[0],
  options: Pick<HostOptions, 'tracer'> = {},
): ReturnType<Framework['loop']> {
  const host = await openHost(
    { tools: turns === 0 ? [] : [noopTool()], limits: { maxTurns: turns + 1 } },
    { models: { [modelId(0)]: scriptedModel(script) }, ...options },
  )
  return { call: () => runLead(host, INPUT), close: () => host.close() }
}

/** Opens a store in a file, as the command does. */
export function openStore(path: string): Promise<SqliteStore> {
  const writer = { token: randomUUID(), pid: process.pid, host: 'bench', isAlive: () => true }
  return openSqliteStore({ path, clock: systemClock, random: Math.random, writer })
}

/** Returns the tool that the scripts call. */
export function noopTool(): ToolDefinition {
  return defineTool({
    name: TOOL,
    description: 'Does nothing.',
    input: z.object({ n: z.number() }),
    effect: 'read',
    execute: () => 'ok',
  })
}

/** Returns the id of a scripted model by its position in the chain of agents. */
export function modelId(index: number): string {
  return `bench/scripted-${index}`
}

interface LeadFields {
  readonly tools?: readonly ToolDefinition[]
  readonly agents?: readonly AgentDefinition[]
  readonly model?: string
  readonly limits?: NonNullable<Parameters<typeof defineAgent>[0]['limits']>
}

function openHost(
  { tools = [], agents = [], model = modelId(0), limits = {} }: LeadFields,
  options: Omit<HostOptions, 'cards' | 'cwd'>,
): Promise<Host> {
  const lead = defineAgent({
    name: LEAD,
    instruction: INSTRUCTION,
    model,
    functionTools: [...tools],
    agents: [...agents],
    limits,
  })
  return createHost({ config: false, ...options, cards: [lead], cwd: import.meta.dirname })
}

async function runLead(host: Host, input: string, options?: RunOptions): Promise<string> {
  const report = await host.run(LEAD, input, options)
  if (report.error !== undefined) throw new Error(report.error.message)
  return report.output.text ?? ''
}

/** Defines the agents below the lead, each with the next one as its child. */
function chainOf(names: readonly string[]): readonly AgentDefinition[] {
  return names.reduceRight<readonly AgentDefinition[]>(
    (below, name, index) => [
      defineAgent({
        name,
        toolName: name,
        description: 'Another agent.',
        instruction: INSTRUCTION,
        model: modelId(index + 1),
        agents: [...below],
      }),
    ],
    [],
  )
}
