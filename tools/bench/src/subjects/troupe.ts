import type { LanguageModelV4 } from '@ai-sdk/provider'
import { buildSystemPrompt, createDiscardingLog, createPermission, openSession } from '@troupe/core'
import { agentTool, createCatalogue, createInProcessExecutor } from '@troupe/registry'
import {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type LimitsInput,
  type ModelHandle,
  type PreparedAgent,
  type RunExecutor,
  type RunStore,
  type ToolDefinition,
  type ToolEffect,
  type ToolHook,
} from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { z } from 'zod'
import { OFFERED, offeredJson, offeredName, offeredZod } from './offered-tool.ts'
import { CHILD_TOOL, INPUT, INSTRUCTION, TOOL, type Run, type Subject } from './subject.ts'

/** A session of core, children through the registry. No store: the library's default. */
export const troupe: Subject<LanguageModelV4 | ModelHandle> = {
  loop: ({ model, turns, hooks = 0, listeners = 0, effect = 'once', store }) =>
    open({
      model,
      tools: turns === 0 ? [] : [noop(effect)],
      limits: { maxTurns: turns + 1 },
      hooks: Array.from({ length: hooks }, () => passThrough),
      ...(listeners === 0 ? {} : { store: heardBy(listeners) }),
      ...(store === undefined ? {} : { store }),
    }),
  fanOut: ({ parent, child, children, allowed = children, ...setup }) =>
    team([parent, child], {
      limits: { maxRuns: allowed + 1, maxParallel: allowed, maxToolCallsPerTurn: allowed },
      ...setup,
    }),
  nest: (models, limits) => team(models, { limits: { ...limits, maxDepth: models.length } }),
  offer: ({ model, tools, schemas }) => {
    const toSchema = schemas === 'zod' ? offeredZod : offeredJson
    const toTool = (index: number): ToolDefinition =>
      defineTool({ name: offeredName(index), description: OFFERED, input: toSchema(), execute: () => 'ok' })
    return open({ model, tools: Array.from({ length: tools }, (_, index) => toTool(index)) })
  },
  stream: ({ model, onToken }) =>
    open({
      model,
      tools: [],
      onEvent: (event) => {
        if (event.type === 'text-delta') onToken(event.text)
      },
    }),
}

const validate = createValidator()

function noop(effect: ToolEffect): ToolDefinition {
  return defineTool({
    name: TOOL,
    description: 'Does nothing.',
    input: z.object({ n: z.number() }),
    effect,
    execute: () => 'ok',
  })
}

const passThrough: ToolHook = (_ctx, args, callNext) => callNext(args)

type Options = Omit<Parameters<typeof openSession>[0], 'agent'> & { readonly limits?: LimitsInput }

function open(options: Options): Run {
  const session = openSession({ agent: { name: 'root', instruction: INSTRUCTION }, validate, ...options })
  return async () => {
    const result = await session.run(INPUT)
    if (result.failure !== undefined) throw new TypeError(result.failure.message)
    return result.text
  }
}

/** A store that keeps nothing, with listeners on every log. */
function heardBy(listeners: number): RunStore {
  let heard = 0
  const open = (): ReturnType<typeof createDiscardingLog> => {
    const log = createDiscardingLog()
    for (let index = 0; index < listeners; index++)
      log.subscribe((event) => {
        heard += event.type.length
      })
    return log
  }
  return {
    open,
    roots: () => [],
    list: () => [],
    events: () => [],
    steps: () => new Map(),
    purge: () => 0,
    close: () => undefined,
  }
}

/** The first model is the root; each agent has the next as its tool. */
function team(models: readonly LanguageModelV4[], options: Pick<Options, 'limits' | 'store'>): Run {
  const [model, ...below] = models
  if (model === undefined) throw new TypeError('a team without models')
  const prepared = prepareChildren(below)
  const executor: RunExecutor = createInProcessExecutor({
    catalogue: createCatalogue(prepared.map(({ definition }) => definition)),
    prepare: async ({ digest }) =>
      prepared.find(({ definition }) => definition.digest === digest) ??
      Promise.reject(new TypeError(digest)),
  })
  return open({ model, tools: toolsOf(prepared[0]), executor, ...options })
}

/** Each prepared once: what does not depend on the run is made before it. */
function prepareChildren(models: readonly LanguageModelV4[]): readonly PreparedAgent[] {
  return models.reduceRight<readonly PreparedAgent[]>((below, model, index) => {
    const definition = defineAgent({
      name: `child${index}`,
      toolName: CHILD_TOOL,
      instruction: INSTRUCTION,
      description: 'Another agent.',
    })
    return [prepare(definition, model, toolsOf(below[0])), ...below]
  }, [])
}

function toolsOf(child: PreparedAgent | undefined): readonly ToolDefinition[] {
  return child === undefined ? [] : [agentTool(child.definition)]
}

function prepare(
  definition: AgentDefinition,
  model: LanguageModelV4,
  tools: readonly ToolDefinition[],
): PreparedAgent {
  return {
    definition,
    system: buildSystemPrompt(definition, tools),
    models: [{ id: 'bench/counting', provider: 'bench', limiterKey: 'bench', open: () => model }],
    tools: new Map(tools.map((tool) => [tool.wireName, tool])),
    hooks: [],
    loopHooks: {},
    validate,
    permission: createPermission(definition),
    env: () => undefined,
    release: () => undefined,
  }
}
