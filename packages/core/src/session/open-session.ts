import { createOverlay, createRedactor } from '@troupe/env'
import {
  defineAgent,
  troupeError,
  type AgentDefinition,
  type AgentFields,
  type Approver,
  type Asker,
  type Attachment,
  type Clock,
  type LanguageModel,
  type LimitsInput,
  type LoopHooks,
  type Message,
  type OutputContract,
  type RunEvent,
  type RunListener,
  type ToolDefinition,
  type ToolHook,
  type Budget,
  type Limits,
} from '@troupe/schema'
import {
  requireModelVersion,
  type Guards,
  type ModelHandle,
  type PreparedAgent,
  type ProviderLimiter,
  type Redactor,
  type RunTreeLog,
  type RunTreeContext,
  type RunControl,
  type RunExecutor,
  type RunInterceptor,
  type RunRequest,
  type RunResult,
  type RunStore,
  type RunTrace,
  type CancellationToken,
  type ToolLister,
  type ValidateArguments,
  type OnceCalls,
  type RunTreeApprover,
  type ResumeState,
  type RunTreeRecording,
  type SpendingLimit,
  type ApprovalGate,
  type PresentRequests,
  type BudgetLedger,
} from '@troupe/schema/ports'
import { createValidator } from '@troupe/tools/validator'
import { createAccount } from '../run/account.ts'
import { createDiscardingLog, createEventQueue } from '../log/run-log.ts'
import { createProviderLimiter } from '../limiter/provider-limiter.ts'
import { createPermission } from '../tools/create-permission.ts'
import { randomId } from '../run/run.ts'
import { runSession, buildSystemPrompt } from './run-session.ts'
import { createBudgetLedger } from '../budget/budget-ledger.ts'
import { systemClock } from '../run/clock.ts'

/** Options of {@link openSession}. Nothing is read from files or from the process. */
export interface SessionOptions {
  /** A definition, or its fields. */
  readonly agent: AgentDefinition | (AgentFields & { readonly name: string; readonly instruction: string })
  /** A model, or several in order of fallback. */
  readonly model: LanguageModel | ModelHandle | readonly (LanguageModel | ModelHandle)[]
  /** Model for summaries if `context.strategy` is `summarise`. Default: the first of `model`. */
  readonly contextModel?: LanguageModel | ModelHandle
  /** Tools from `defineTool`. Default: none. */
  readonly tools?: readonly ToolDefinition[]
  /** Sources of further tools, listed when the first run starts. */
  readonly toolListers?: readonly ToolLister[]
  /** Hooks around every tool call, the outermost first. Default: none. */
  readonly hooks?: readonly ToolHook[]
  /** Hooks around the turns of the agent. Default: none. */
  readonly loopHooks?: LoopHooks
  /** Guards of the agent, loaded. Required if the definition has some. */
  readonly guards?: Guards
  /** Variables of this session, copied when it is opened. Tools read them with `ctx.run.env(name)`. */
  readonly envOverlay?: Readonly<Record<string, string>>
  /** Limits that override those of the agent. */
  readonly limits?: LimitsInput
  /** Receives every event of every run. */
  readonly onEvent?: RunListener
  /** Validates arguments against schemas. Default: `createValidator()` of `@troupe/tools`. */
  readonly validate?: ValidateArguments
  /** Stores the log of every run. Without it, nothing is stored. */
  readonly store?: RunStore
  /** Decides on calls that need approval. Without it they are denied. */
  readonly approve?: Approver
  /** Answers questions of tools. Without it, they get no answer. */
  readonly ask?: Asker
  /** Starts child runs, as `@troupe/registry` does. Needed only for agent tools. */
  readonly executor?: RunExecutor
  /** The time. Default: that of the system. */
  readonly clock?: Clock
  /**
   * Returns a number from 0 (inclusive) to 1 (exclusive), for the jitter of retries and for hooks. Default:
   * `Math.random`.
   */
  readonly random?: () => number
  /**
   * Limits the calls to providers. Share one between sessions with the same key. Default: one per session.
   */
  readonly limiter?: ProviderLimiter
}

/** Options of one run. */
export interface SessionRunOptions {
  readonly signal?: AbortSignal
  /** Messages before the input. */
  readonly history?: readonly Message[]
  readonly runId?: string
  /** Files that are sent to the model with the input: images, PDF, text. */
  readonly attachments?: readonly Attachment[]
  /** Output contract in place of the agent's own. */
  readonly output?: OutputContract
}

/** An agent that can be run any number of times. Runs are isolated from each other. */
export interface Session {
  /** Runs the agent. Resolves for every outcome; a failure is part of the result. */
  run(input: string, options?: SessionRunOptions): Promise<RunResult>
  /** Runs the agent and yields its events. The generator returns the result. */
  stream(input: string, options?: SessionRunOptions): AsyncGenerator<RunEvent, RunResult>
}

/** Opens a session. Throws on misuse: an invalid definition, no model, or two tools with one name. */
export function openSession(sessionOptions: SessionOptions): Session {
  const options = { ...sessionOptions, envOverlay: Object.freeze({ ...sessionOptions.envOverlay }) }
  const definition = toDefinition(options)
  const prepare = createPrepare(definition, options)
  const redactor = redactorOf(options.envOverlay)
  const limiter = options.limiter ?? createProviderLimiter(options)
  const start = async (
    input: string,
    runOptions: SessionRunOptions,
    listener?: RunListener,
  ): Promise<RunResult> => {
    const runId = runOptions.runId ?? randomId('run')
    const log = (await options.store?.open(runId, 'session')) ?? createDiscardingLog()
    const unsubscribers: (() => void)[] = []
    if (options.onEvent !== undefined) unsubscribers.push(log.subscribe(options.onEvent))
    if (listener !== undefined) unsubscribers.push(log.subscribe(listener))
    try {
      return await runSession({
        definition,
        prepare,
        request: toRequest(definition, { ...runOptions, runId, input }),
        root: toRoot(definition, options, { log, limiter, redactor }),
        control: toControl(runOptions.signal),
      })
    } finally {
      for (const unsubscribe of unsubscribers) unsubscribe()
      await log.close()
    }
  }
  return {
    run: (input, runOptions = {}) => start(input, runOptions),
    stream: async function* (input, runOptions = {}) {
      const queue = createEventQueue()
      const running = start(input, runOptions, queue.push).finally(queue.close)
      yield* queue
      return await running
    },
  }
}

function toControl(signal: AbortSignal | undefined): RunControl {
  const account = createAccount()
  if (signal !== undefined) return { signal, deadline: undefined, account }
  return { signal: NEVER, stop: NEVER_CANCELLED, deadline: undefined, account }
}

const NEVER = new AbortController().signal
/** Never cancels and holds no listeners, because many listeners on one signal slow each other down. */
const NEVER_CANCELLED: CancellationToken = { reason: undefined, onCancel: () => () => undefined }

function toDefinition({ agent, limits = {} }: SessionOptions): AgentDefinition {
  if (!isObject(agent))
    throw troupeError('usage_invalid', 'openSession requires `agent`.', {
      fix: 'Pass `agent: { name, instruction }`, or a definition created with defineAgent.',
    })
  if (!('digest' in agent)) return defineAgent({ ...agent, limits: { ...agent.limits, ...limits } })
  const own = defineAgent({ name: agent.name, instruction: agent.instruction, limits })
  const overrides = Object.fromEntries(own.ownLimits.map((key) => [key, own.limits[key]]))
  return Object.freeze({ ...agent, limits: { ...agent.limits, ...overrides } })
}

/** Returns a function that prepares the agent: at once, or after the first run has listed the tools. */
function createPrepare(definition: AgentDefinition, options: SessionOptions): () => Promise<PreparedAgent> {
  const { tools = [], toolListers = [] } = options
  const prepared = toPrepared(definition, options, tools)
  if (toolListers.length === 0) return async () => prepared
  let listed: Promise<PreparedAgent> | undefined
  const list = async (): Promise<PreparedAgent> => {
    const lists = await Promise.all(toolListers.map((lister) => lister.list()))
    return toPrepared(definition, options, [...tools, ...lists.flat()])
  }
  // after a failure, the next run lists again
  return () =>
    (listed ??= list().catch((thrown: unknown) => {
      listed = undefined
      throw thrown
    }))
}

function toPrepared(
  definition: AgentDefinition,
  options: SessionOptions,
  tools: readonly ToolDefinition[],
): PreparedAgent {
  const { validate = createValidator(), envOverlay = {} } = options
  for (const hook of options.hooks ?? []) requireHookForm(hook)
  requireGuards(definition, options)
  return {
    definition,
    system: buildSystemPrompt(definition, tools),
    models: toHandles(options.model),
    ...(options.contextModel === undefined ? {} : { contextModel: toHandle(options.contextModel) }),
    tools: toToolMap(tools),
    hooks: options.hooks ?? [],
    loopHooks: options.loopHooks ?? {},
    ...(options.guards === undefined ? {} : { guards: options.guards }),
    validate,
    permission: createPermission(definition),
    env: (name) => (Object.hasOwn(envOverlay, name) ? envOverlay[name] : undefined),
    release: () => undefined,
  }
}

/** Throws if the definition names guards that were not loaded, because its texts would not be checked. */
function requireGuards({ name, guard }: AgentDefinition, { guards }: SessionOptions): void {
  if (guard === undefined || guards !== undefined) return
  throw troupeError('usage_invalid', `openSession does not load the guards of ${name}.`, {
    fix: 'Run the agent with createHost, or pass loaded `guards`.',
  })
}

/** Applies the same check to hooks as the loading of a card. */
function requireHookForm(hook: unknown): void {
  if (typeof hook === 'function' && hook.length <= HOOK_PARAMETERS) return
  const what = typeof hook === 'function' ? `a function with ${hook.length} parameters` : `a ${typeof hook}`
  throw troupeError('hook_bad_signature', `openSession received ${what} as a hook.`, {
    fix: 'Pass a function `(ctx, args, callNext) => result`.',
  })
}

const HOOK_PARAMETERS = 3

function toHandles(model: SessionOptions['model']): readonly ModelHandle[] {
  const models = Array.isArray(model)
    ? (model as readonly (LanguageModel | ModelHandle)[])
    : [model as LanguageModel | ModelHandle]
  if (models.length === 0) throw troupeError('model_unset', 'openSession received an empty list of models.')
  return models.map(toHandle)
}

function toHandle(model: LanguageModel | ModelHandle): ModelHandle {
  if (!isObject(model)) throw modelError(model)
  if ('open' in model) return model
  requireModelVersion(model)
  const { provider, modelId } = model
  return { id: `${provider}/${modelId}`, provider, limiterKey: provider, open: () => model }
}

/** JavaScript callers may pass any value. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function modelError(model: unknown): Error {
  const fix = 'Pass `model: await resolveModel(id, …)` from @troupe/models, or a LanguageModelV4.'
  return typeof model === 'string'
    ? troupeError('model_unknown', `openSession requires a model, not the model id "${model}".`, { fix })
    : troupeError('model_unset', 'openSession requires `model`.', { fix })
}

/** Maps tools by wire name. Throws if two tools have the same name, because a call must identify its tool. */
export function toToolMap(tools: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  const map = new Map<string, ToolDefinition>()
  for (const tool of tools) {
    const other = map.get(tool.wireName)
    if (other !== undefined) {
      throw troupeError(
        'tool_name_conflict',
        `The tools ${other.name} and ${tool.name} are both called ${tool.wireName}.`,
      )
    }
    map.set(tool.wireName, tool)
  }
  return map
}

function toRequest(
  definition: AgentDefinition,
  run: SessionRunOptions & { readonly runId: string; readonly input: string },
): RunRequest {
  return {
    runId: run.runId,
    rootRunId: run.runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input: run.input,
    ...(run.attachments === undefined ? {} : { attachments: run.attachments }),
    ...(run.history === undefined ? {} : { history: run.history, callerHistory: true as const }),
    ...(run.output === undefined ? {} : { output: run.output }),
    ancestry: [],
    sessionId: run.runId,
    principal: 'local',
  }
}

function toRoot(
  definition: AgentDefinition,
  options: SessionOptions,
  shared: {
    readonly log: RunTreeLog
    readonly limiter: ProviderLimiter
    readonly redactor: Redactor | undefined
  },
): RunTreeContext {
  const root = createRunTreeContext({
    ...shared,
    executor: options.executor ?? NO_CHILDREN,
    limits: definition.limits,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.random === undefined ? {} : { random: options.random }),
    approve: options.approve,
    ask: options.ask,
  })
  root.budgetLedger.openRun(root.maxRuns)
  return root
}

function redactorOf(values: Readonly<Record<string, string>>): Redactor | undefined {
  return createRedactor(createOverlay([{ origin: 'override', values }]).secrets())
}

const NO_CHILDREN: RunExecutor = {
  start: () =>
    Promise.reject(
      troupeError('usage_invalid', 'This session has no executor, so it cannot start child agents.'),
    ),
}

/** Creates the context that all runs of a tree share. `limits` are those of the root agent. */
export function createRunTreeContext(parts: {
  readonly log: RunTreeLog
  readonly executor: RunExecutor
  readonly limits: Pick<Limits, 'maxRuns' | 'maxDepth'>
  readonly limiter?: ProviderLimiter
  /** Budget of the whole run tree, in addition to the limits of its cards. */
  readonly budget?: Budget | undefined
  /** Spending limit of the principal, for all its run trees. */
  readonly spendingLimit?: SpendingLimit | undefined
  /** Replaces the ledger of this process, `budget` and `spendingLimit`. */
  readonly budgetLedger?: BudgetLedger | undefined
  readonly clock?: Clock
  readonly random?: () => number
  readonly approve?: RunTreeApprover | undefined
  /** Removes tools that need an approval. Ignored if `approve` is set. */
  readonly headless?: boolean | undefined
  readonly approvalGate?: ApprovalGate | undefined
  readonly ask?: Asker | undefined
  readonly openRequests?: PresentRequests | undefined
  readonly callerTools?: readonly ToolDefinition[] | undefined
  readonly interceptor?: RunInterceptor | undefined
  readonly onceCalls?: OnceCalls | undefined
  readonly redactor?: Redactor | undefined
  /** Stored state from before an interruption. */
  readonly resumeState?: ResumeState | undefined
  /** Records or replays the run tree. */
  readonly recording?: RunTreeRecording | undefined
  readonly trace?: RunTrace | undefined
}): RunTreeContext {
  const { clock = systemClock, random = Math.random } = parts
  return {
    log: parts.log,
    executor: parts.executor,
    limiter: parts.limiter ?? createProviderLimiter({ clock, random }),
    budgetLedger:
      parts.budgetLedger ?? parts.spendingLimit?.openLedger(parts.budget) ?? createBudgetLedger(parts.budget),
    clock,
    random,
    state: new Map(),
    ...(parts.redactor === undefined ? {} : { redactor: parts.redactor }),
    ...(parts.approve === undefined ? {} : { approve: parts.approve }),
    ...(parts.headless === true && parts.approve === undefined ? { headless: true } : {}),
    ...(parts.approvalGate === undefined ? {} : { approvalGate: parts.approvalGate }),
    ...(parts.ask === undefined ? {} : { ask: parts.ask }),
    ...(parts.openRequests === undefined ? {} : { openRequests: parts.openRequests }),
    ...(parts.callerTools === undefined ? {} : { callerTools: parts.callerTools }),
    ...(parts.interceptor === undefined ? {} : { interceptor: parts.interceptor }),
    ...(parts.onceCalls === undefined ? {} : { onceCalls: parts.onceCalls }),
    ...(parts.resumeState === undefined ? {} : { resumeState: parts.resumeState }),
    ...(parts.recording === undefined ? {} : { recording: parts.recording }),
    ...(parts.trace === undefined ? {} : { trace: parts.trace }),
    maxRuns: parts.limits.maxRuns,
    maxDepth: parts.limits.maxDepth,
  }
}
