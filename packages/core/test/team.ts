import {
  createAccount,
  createDiscardingLog,
  createPermission,
  createRunTreeContext,
  runSession,
  toToolMap,
} from '@troupe/core'
import {
  defineAgent,
  isJsonObject,
  type AgentFields,
  type Approver,
  type Budget,
  type Clock,
  type JsonObject,
  type LoopHooks,
  type LanguageModel,
  type RunListener,
  type ToolDefinition,
  type ToolHook,
} from '@troupe/schema'
import type {
  ModelPrice,
  PreparedAgent,
  ProviderLimiter,
  Redactor,
  RunExecutor,
  RunResult,
} from '@troupe/schema/ports'

/** An agent of a test team. Children are given by name; they become tools `agent__NAME`. */
export interface TestAgent {
  readonly fields?: Partial<AgentFields>
  readonly models: readonly LanguageModel[]
  readonly price?: ModelPrice
  readonly maxConcurrentCalls?: number
  readonly tools?: readonly ToolDefinition[]
  readonly hooks?: readonly ToolHook[]
  readonly loopHooks?: LoopHooks
  readonly children?: readonly string[]
  readonly prepare?: () => Promise<void>
}

/** Runs the first agent of a team with core alone: the executor is twenty lines over `runSession`. */
export function runTeam(
  team: Readonly<Record<string, TestAgent>>,
  options: {
    readonly input?: string
    readonly clock?: Clock
    readonly signal?: AbortSignal
    readonly listener?: RunListener
    readonly approve?: Approver
    readonly remainingMs?: number
    readonly budget?: Budget
    readonly redactor?: Redactor | undefined
    /** The limiter shared by runs that call one provider. */
    readonly limiter?: ProviderLimiter
    /** Default: always 0.5. */
    readonly random?: () => number
    /** Replaces the executor of children. */
    readonly start?: RunExecutor['start']
  } = {},
): Promise<RunResult> {
  const definitions = new Map(
    Object.entries(team).map(([name, agent]) => [
      name,
      defineAgent({ instruction: `You are ${name}.`, ...agent.fields, name }),
    ]),
  )
  const [entry] = definitions.keys()
  if (entry === undefined) return Promise.reject(new TypeError('an empty team'))
  const prepare = async (name: string): Promise<PreparedAgent> => {
    const agent = team[name] as TestAgent
    await agent.prepare?.()
    const definition = definitionOf(name)
    const children = (agent.children ?? []).map((child) => childTool(child, definitionOf(child).digest))
    return {
      definition,
      system: definition.instruction,
      models: agent.models.map((model, index) => ({
        id: `test/${name}-${index}`,
        provider: model.provider,
        limiterKey: 'test',
        ...(agent.maxConcurrentCalls === undefined ? {} : { maxConcurrentCalls: agent.maxConcurrentCalls }),
        ...(agent.price === undefined ? {} : { price: agent.price }),
        open: () => model,
      })),
      tools: toToolMap([...children, ...(agent.tools ?? [])]),
      hooks: agent.hooks ?? [],
      loopHooks: agent.loopHooks ?? {},
      validate: (_schema, args) =>
        isJsonObject(args) && 'bad' in args
          ? { ok: false, problems: ['/bad is not allowed'] }
          : { ok: true, args },
      permission: createPermission(definition),
      env: () => undefined,
      release: () => undefined,
    }
  }
  const definitionOf = (name: string) => definitions.get(name) ?? defineAgent({ name, instruction: 'nobody' })
  const executor: RunExecutor = {
    start:
      options.start ??
      ((request, root, control) =>
        runSession({
          definition: definitionOf(request.agent.name),
          prepare: () => prepare(request.agent.name),
          request,
          root,
          control,
        })),
  }
  const definition = definitionOf(entry)
  const log = createDiscardingLog()
  if (options.listener !== undefined) log.subscribe(options.listener)
  const root = createRunTreeContext({
    log,
    executor,
    limits: definition.limits,
    random: options.random ?? (() => 0.5),
    ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
    approve: options.approve,
    budget: options.budget,
    redactor: options.redactor,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
  root.budgetLedger.openRun(root.maxRuns)
  return runSession({
    definition,
    prepare: () => prepare(entry),
    request: {
      runId: 'root',
      rootRunId: 'root',
      agent: { name: entry, digest: definition.digest },
      instance: entry,
      input: options.input ?? 'hello',
      ancestry: [],
      ...(options.remainingMs === undefined ? {} : { remainingMs: options.remainingMs }),
      sessionId: 'session',
      principal: 'local',
    },
    root,
    control: {
      signal: options.signal ?? new AbortController().signal,
      deadline: undefined,
      account: createAccount(),
    },
  })
}

/** Returns a minimal tool that calls an agent; the one of the registry maps arguments and failures in full. */
export function childTool(name: string, digest: string): ToolDefinition {
  return {
    name: `agent__${name}`,
    wireName: `agent__${name}`,
    agent: name,
    source: 'agent',
    server: 'agent',
    description: name,
    inputSchema: { type: 'object' },
    effect: 'idempotent',
    execute: async (args, ctx) => {
      const result = await ctx.run.child(
        { name, digest },
        { site: ctx.site, attempt: ctx.attempt, input: textOf(args) },
      )
      const text = result.failure === undefined ? result.text : `Error: ${result.failure.message}`
      return {
        outcome: result.outcome,
        content: [{ type: 'text', text }],
        childRunId: result.runId,
        ...(result.failure === undefined ? {} : { failure: result.failure }),
        ...(result.merge === undefined ? {} : { merge: result.merge }),
      }
    },
  }
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : ''
}

/** Returns a function tool for tests. */
export function tool(
  name: string,
  execute: ToolDefinition['execute'],
  more: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name,
    wireName: name,
    source: 'function',
    description: name,
    inputSchema: { type: 'object' },
    effect: 'read',
    execute,
    ...more,
  }
}
