import { APICallError } from '@ai-sdk/provider'
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
  messageText,
  toolResult,
  type AgentDefinition,
  type LanguageModel,
  type LoopHooks,
  type Message,
  type RunEvent,
} from '@troupe/schema'
import type {
  ModelHandle,
  ModelPrice,
  PreparedAgent,
  RunTreeContext,
  RunExecutor,
  RunRequest,
  RunResult,
} from '@troupe/schema/ports'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { fakeClock } from '@troupe/testkit/internal'
import { childTool, tool } from './team.ts'

/** The observations of one random tree. */
export interface TreeRun {
  readonly result: RunResult | undefined
  readonly events: readonly RunEvent[]
  readonly definitions: ReadonlyMap<string, AgentDefinition>
  /** Messages that models received and must not receive. */
  readonly complaints: readonly string[]
  /** Timers that the runs did not clear. */
  readonly leftTimers: number
}

/** Returns a number in 0 ≤ x < 1; the same sequence for the same seed. */
export type Random = () => number

interface Tree {
  readonly random: Random
  readonly clock: ReturnType<typeof fakeClock>
  readonly definitions: Map<string, AgentDefinition>
  readonly children: Map<string, readonly string[]>
  readonly prices: Map<string, ModelPrice>
  readonly complaints: string[]
  /** Timers of the tree's own models and tools. */
  own: number
}

/** Builds one team from the seed and runs it to its end on a clock of its own. */
export async function runRandomTree(seed: number): Promise<TreeRun> {
  const tree = createTree(createRandom(seed))
  const { random, clock } = tree
  const controller = new AbortController()
  const log = createDiscardingLog()
  const events: RunEvent[] = []
  log.subscribe((event) => events.push(event))
  const rootDefinition = definitionOf(tree, 'L0N0')
  const root = createRunTreeContext({
    log,
    clock,
    random,
    executor: executorOf(tree),
    limits: rootDefinition.limits,
    ...(random() < 0.15 ? { budget: { maxTokens: between(random, 3000, 30_000) } } : {}),
  })
  root.budgetLedger.openRun(root.maxRuns)
  const abortsAt = random() < 0.2 ? between(random, 1, 1500) : 100_000
  const forget = clock.after(abortsAt, () => controller.abort())
  const ended: RunResult[] = []
  const request = rootRequest(rootDefinition)
  void runOne(tree, request, { root, signal: controller.signal }).then((result) => ended.push(result))
  for (let round = 0; round < 60 && ended.length === 0; round += 1) await clock.advance(1000)
  forget()
  const leftTimers = clock.pending() - tree.own
  return { result: ended[0], events, definitions: tree.definitions, complaints: tree.complaints, leftTimers }
}

function createTree(random: Random): Tree {
  const tree: Tree = {
    random,
    clock: fakeClock(),
    definitions: new Map(),
    children: new Map(),
    prices: new Map(),
    complaints: [],
    own: 0,
  }
  const levels = between(random, 3, 5)
  let names: readonly string[] = ['L0N0']
  for (let level = 0; level < levels; level += 1) {
    const width = between(random, 1, 3)
    const next =
      level === levels - 1 ? [] : Array.from({ length: width }, (_, index) => `L${level + 1}N${index}`)
    for (const name of names) addAgent(tree, name, next)
    names = next
  }
  return tree
}

function addAgent(tree: Tree, name: string, children: readonly string[]): void {
  const { random } = tree
  const isRoot = name === 'L0N0'
  const isCapped = random() < (isRoot ? 0.4 : 0.15)
  tree.children.set(name, children)
  tree.prices.set(name, { input: between(random, 0, 3_000_000), output: between(random, 0, 9_000_000) })
  tree.definitions.set(
    name,
    defineAgent({
      name,
      instruction: `You are ${name}.`,
      maxOutputTokens: between(random, 70, 400),
      historyMode: pick(random, ['scratch', 'scratch', 'scratch', 'fork', 'fork_and_merge'] as const),
      permissions: { deny: ['forbidden'] },
      limits: {
        maxTurns: between(random, 1, 4),
        maxParallel: between(random, 1, 4),
        parallelToolCalls: random() < 0.9,
        maxToolCallsPerTurn: between(random, 5, 14),
        maxDepth: between(random, 2, 4),
        maxRuns: between(random, 10, 90),
        maxRetries: between(random, 0, 1),
        childTimeout: between(random, 200, 4000),
        llmTimeout: between(random, 300, 3000),
        toolTimeout: between(random, 100, 1000),
        hookTimeout: 500,
        ...(isRoot ? { timeout: between(random, 800, 12_000) } : {}),
        ...(isCapped && random() < 0.7 ? { maxTokens: between(random, 2500, 30_000) } : {}),
        ...(isCapped && random() < 0.5 ? { maxCost: between(random, 2000, 60_000) / 1_000_000 } : {}),
      },
    }),
  )
}

function executorOf(tree: Tree): RunExecutor {
  return {
    start: (request, root, control) =>
      runSession({
        definition: definitionOf(tree, request.agent.name),
        prepare: async () => prepare(tree, request.agent.name),
        request,
        root,
        control,
      }),
  }
}

function runOne(
  tree: Tree,
  request: RunRequest,
  { root, signal }: { readonly root: RunTreeContext; readonly signal: AbortSignal },
): Promise<RunResult> {
  return runSession({
    definition: definitionOf(tree, request.agent.name),
    prepare: async () => prepare(tree, request.agent.name),
    request,
    root,
    control: { signal, deadline: undefined, account: createAccount() },
  })
}

function rootRequest({ name, digest }: AgentDefinition): RunRequest {
  return {
    runId: 'root',
    rootRunId: 'root',
    agent: { name, digest },
    instance: name,
    input: 'begin',
    ancestry: [],
    sessionId: 'session',
    principal: 'local',
  }
}

function prepare(tree: Tree, name: string): PreparedAgent {
  const { random } = tree
  const definition = definitionOf(tree, name)
  const children = (tree.children.get(name) ?? []).map((child) =>
    childTool(child, definitionOf(tree, child).digest),
  )
  return {
    definition,
    system: definition.instruction,
    models: [handleOf(tree, name)],
    tools: toToolMap([...children, ...toolsOf(tree)]),
    hooks: [],
    loopHooks: hooksOf(random),
    validate: (_schema, args) => ({ ok: true, args }),
    permission: createPermission(definition),
    env: () => undefined,
    release: () => (random() < 0.02 ? never() : undefined),
  }
}

function hooksOf(random: Random): LoopHooks {
  const roll = random()
  if (roll < 0.01) return { beforeTurn: never }
  if (roll < 0.02) return { onEnd: never }
  if (roll < 0.03) return { afterModel: () => Promise.reject(new TypeError('a hook broke')) }
  return {}
}

function toolsOf(tree: Tree): readonly ReturnType<typeof tool>[] {
  const { random } = tree
  return [
    tool('note', () => toolResult.text('noted')),
    tool('fails', () => Promise.reject(new TypeError('the tool broke'))),
    tool('deaf', never),
    tool('late', () => sleep(tree, between(random, 1, 3000)).then(() => toolResult.text('late'))),
    tool('forbidden', () => toolResult.text('never')),
  ]
}

function handleOf(tree: Tree, name: string): ModelHandle {
  const price = tree.prices.get(name)
  return {
    id: `test/${name}`,
    provider: 'test',
    limiterKey: 'test',
    ...(price === undefined || tree.random() < 0.02 ? {} : { price }),
    open: () => createModel(tree, name),
  }
}

/** Creates a model of one run. It obeys `maxOutputTokens` and never reports more input than its bytes, as budgets require. */
function createModel(tree: Tree, name: string): LanguageModel {
  const { random } = tree
  let reported = { total: 0, messages: 0 }
  return scriptedModel((prompt, { index, options }) => {
    checkOrder(tree, prompt)
    const step = nextStep(tree, { name, index, mayCall: options.toolChoice?.type !== 'none' })
    if ('error' in step) return { ...step, ...waitOf(tree, options.abortSignal) }
    const most = prompt
      .slice(reported.messages)
      .reduce((sum, message) => sum + bytesOf(message), reported.total)
    const input = random() < 0.3 ? most : Math.floor(most * random())
    const allowed = options.maxOutputTokens ?? 0
    const output = random() < 0.4 ? allowed : Math.floor(allowed * random())
    const isKnown = random() < 0.95
    if (isKnown) reported = { total: input + output, messages: prompt.length + 1 }
    return { ...waitOf(tree, options.abortSignal), ...step, usage: isKnown ? { input, output } : null }
  })
}

type Step = Exclude<ScriptedStep, 'usage'>

function nextStep(
  tree: Tree,
  call: { readonly name: string; readonly index: number; readonly mayCall: boolean },
): Step {
  const { random } = tree
  const roll = random()
  if (!call.mayCall) return roll < 0.1 ? { error: refusal(401) } : { text: 'closed' }
  const children = tree.children.get(call.name) ?? []
  if (children.length > 0 && call.index < 2 && roll < 0.92)
    return { text: 'so far', calls: fanOut(tree, children) }
  if (roll < 0.05) return { error: new TypeError('broken') }
  if (roll < 0.09) return { error: refusal(503) }
  if (roll < 0.12) return { error: refusal(401) }
  if (roll < 0.16) return { text: 'never', wait: never() }
  if (roll < 0.2) return { text: 'half', finish: 'length' }
  if (roll < 0.22) return {}
  if (roll < 0.34)
    return { calls: [{ tool: pick(random, ['note', 'fails', 'deaf', 'late', 'forbidden', 'unknown']) }] }
  return { text: 'done' }
}

function fanOut({ random }: Tree, children: readonly string[]): NonNullable<ScriptedStep['calls']> {
  const count = random() < 0.02 ? 40 : between(random, 2, 10)
  return Array.from({ length: count }, () =>
    random() < 0.85
      ? { tool: `agent__${pick(random, children)}`, args: { text: 'go' } }
      : { tool: pick(random, ['note', 'fails', 'deaf', 'late', 'forbidden', 'unknown']) },
  )
}

function refusal(statusCode: number): APICallError {
  return new APICallError({ message: 'refused', url: 'http://127.0.0.1', requestBodyValues: {}, statusCode })
}

/** Checks that every tool message answers the calls of the message before it, in their order. */
function checkOrder(tree: Tree, prompt: readonly Message[]): void {
  for (const [index, message] of prompt.entries()) {
    const before = prompt[index - 1]
    if (message.role !== 'tool' || before?.role !== 'assistant') continue
    const called = before.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    const answered = message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
    if (called.join() !== answered.join())
      tree.complaints.push(`called ${called.join()}, answered ${answered.join()}`)
  }
}

function waitOf(tree: Tree, signal: AbortSignal | undefined): { readonly wait?: Promise<unknown> } {
  return tree.random() < 0.5 ? {} : { wait: sleep(tree, between(tree.random, 1, 400), signal) }
}

function sleep(tree: Tree, ms: number, signal?: AbortSignal): Promise<void> {
  tree.own += 1
  return new Promise((resolve) => {
    const cancel = tree.clock.after(ms, () => {
      tree.own -= 1
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    const stop = (): void => {
      cancel()
      tree.own -= 1
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function never(): Promise<never> {
  return new Promise(() => {
    // a tool that ignores its signal
  })
}

function bytesOf(message: Message): number {
  return new TextEncoder().encode(message.role === 'system' ? messageText(message) : JSON.stringify(message))
    .length
}

function definitionOf({ definitions }: Tree, name: string): AgentDefinition {
  return definitions.get(name) ?? defineAgent({ name, instruction: 'nobody' })
}

function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

/** Creates a linear congruential generator with mixed bits: small and sufficient for tests. */
function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
  }
}
