import {
  createA2AHeadend,
  createAguiHeadend,
  createAnthropicHeadend,
  createChatHeadend,
  createEvalsHeadend,
  createEventFeeds,
  createHooksHeadend,
  createMcpHeadend,
  createOpenAIHeadend,
  createPushHeadend,
  createRestHeadend,
  createRunsHeadend,
  createSchedulesHeadend,
  createToolsHeadend,
  isOperator,
  type A2AOptions,
  type EventFeeds,
  type EmbeddingRunner,
  type Headend,
  type HeadendContext,
  type McpAuthorization,
  type RunService,
  type ServedAgent,
  type ToolsHeadendOptions,
  type WatchedList,
  type Webhook,
  type WebPushOptions,
} from '@troupe/headends'
import type { EvalReports } from '@troupe/evals'
import type { Scheduler } from '@troupe/schedules'
import { ERRORS, type AgentDefinition } from '@troupe/schema'
import { createCardWriter } from '../cards/card-files.ts'
import type { CardHistory } from '../cards/card-history.ts'
import { createCardRepository } from '../cards/create-card-repository.ts'
import { createToolRepository } from '../cards/create-tool-repository.ts'
import type { Principals } from '../gate/principals.ts'
import { createPageHeadend } from '../page/create-page-headend.ts'
import type { ServedHost } from '../runs/served-runner.ts'

/** Dependencies of the headends. */
interface HeadendParts {
  readonly context: HeadendContext
  readonly host: ServedHost
  readonly runService: RunService
  readonly scheduler: Scheduler
  readonly evals: EvalReports
  readonly hooks: readonly Webhook[]
  readonly a2a: A2AOptions
  readonly embeddings: EmbeddingRunner
  /** Notifications to browsers; `undefined` if they are off. */
  readonly push: WebPushOptions | undefined
  readonly principals: Principals
  readonly cardHistory: CardHistory
  /** Authorization server for MCP clients; `undefined` if there is none. */
  readonly authorization: McpAuthorization | undefined
  /** Maximum number of event streams per principal. */
  readonly maxFollowers: number
  /** Maximum size of a request body. */
  readonly maxBodyBytes: number
  /** Folder of the built page; `undefined` if it is not built. */
  readonly page: string | undefined
}

/** Dependencies of the headends, with the event streams that several of them use. */
type ServedParts = HeadendParts & { readonly feeds: EventFeeds }

/** The headends of a server, by name. New ones are added here. The name is also that of `--no-<name>`. */
const HEADENDS: Readonly<Record<HeadendName, (parts: ServedParts) => Headend>> = {
  web: ({ page, principals, context }) =>
    createPageHeadend({ folder: page, principals, clock: context.clock }),
  rest: ({ context }) => createRestHeadend(context),
  runs: ({ context, host, runService, feeds, scheduler, evals, maxBodyBytes }) =>
    createRunsHeadend(context, {
      runService,
      feeds,
      maxBodyBytes,
      describeAgents: (caller) =>
        describeAgents(host, context.runner.agents(), { isOperator: isOperator(caller) }),
      lists: watchedLists({ ...context, host, scheduler, evals }),
      models: () => host.models(),
    }),
  push: ({ context, push, runService }) => createPushHeadend(context, { push, runService }),
  tools: ({ context, host, runService, cardHistory }) =>
    createToolsHeadend(context, {
      runService,
      models: () => host.models(),
      ...createRepositories(host, cardHistory),
    }),
  schedules: ({ context, scheduler }) => createSchedulesHeadend(context, scheduler),
  evals: ({ context, evals }) => createEvalsHeadend(context, evals),
  hooks: ({ context, hooks, runService }) => createHooksHeadend(context, { hooks, runService }),
  openai: ({ context, runService, embeddings }) => createOpenAIHeadend(context, runService, embeddings),
  anthropic: ({ context, runService }) => createAnthropicHeadend(context, runService),
  mcp: ({ context, authorization, runService, feeds }) =>
    createMcpHeadend(context, { authorization, runs: runService, feeds }),
  a2a: ({ context, a2a }) => createA2AHeadend(context, a2a),
  agui: ({ context, runService }) => createAguiHeadend(context, runService),
  chat: ({ context }) => createChatHeadend(context),
}

/** Creates the repositories that edit cards. They share a writer, so that edits never overlap. */
function createRepositories(
  host: ServedHost,
  history: CardHistory,
): Pick<ToolsHeadendOptions, 'toolRepository' | 'cards'> {
  const writer = createCardWriter(host, { onReplaced: (card) => history.keep(card) })
  return {
    toolRepository: createToolRepository(host, writer),
    cards: createCardRepository(host, { writer, history }),
  }
}

/** The name of a headend that can be switched off. */
export type HeadendName =
  | 'web'
  | 'rest'
  | 'runs'
  | 'push'
  | 'tools'
  | 'schedules'
  | 'evals'
  | 'hooks'
  | 'openai'
  | 'anthropic'
  | 'mcp'
  | 'a2a'
  | 'agui'
  | 'chat'

/** All headend names. */
export const HEADEND_NAMES: readonly HeadendName[] = Object.keys(HEADENDS) as HeadendName[]

/** Creates all headends but those in `without`, in the order of the table. */
export function createHeadends(
  parts: HeadendParts,
  without: readonly HeadendName[] = [],
): readonly Headend[] {
  const { context, runService, maxFollowers } = parts
  const feeds = createEventFeeds({ ...context, runService, store: runService, maxFollowers })
  return HEADEND_NAMES.filter((name) => !without.includes(name)).map((name) =>
    HEADENDS[name]({ ...parts, feeds }),
  )
}

/** Returns the lists that clients load again when they have changed. */
function watchedLists({
  runner,
  host,
  scheduler,
  evals,
}: Pick<HeadendContext, 'runner'> &
  Pick<HeadendParts, 'host' | 'scheduler' | 'evals'>): readonly WatchedList[] {
  return [
    {
      name: 'agents',
      forOperators: false,
      version: () => JSON.stringify(runner.agents().map(({ name, digest }) => [name, digest])),
    },
    {
      name: 'schedules',
      forOperators: true,
      // Without schedules, the store may have no table for them.
      version: async () => (host.schedules().length === 0 ? '' : JSON.stringify(await scheduler.list())),
    },
    {
      name: 'evals',
      forOperators: true,
      version: async () => (await evals.list()).map(({ id }) => id).join('\n'),
    },
  ]
}

/**
 * Describes the served agents for `/api/agents`. Variables are listed by name and whether they are set, never
 * with their values. Only operators get the origins of variables, and the files and texts of problems.
 */
function describeAgents(
  host: Pick<ServedHost, 'plan'>,
  served: readonly AgentDefinition[],
  { isOperator }: { readonly isOperator: boolean },
): readonly ServedAgent[] {
  const plan = host.plan()
  return served.flatMap((definition) => {
    const { name } = definition
    const planned = plan.agents.find((agent) => agent.name === name)
    if (planned === undefined) return []
    const { description, type, models, children, servers, tools, reaches, worstCase } = planned
    return [
      toPlainJson<ServedAgent>({
        name,
        description,
        usage: definition.usage,
        version: definition.version,
        type,
        mode: definition.mode,
        entry: name === plan.entry,
        models,
        children,
        servers,
        tools,
        reaches,
        worstCase,
        limits: definition.limits,
        input: definition.input,
        output: definition.output,
        env: plan.variables
          .filter(({ agents }) => agents.includes(name))
          .map((variable) => ({
            name: variable.name,
            neededFor: variable.neededFor,
            isSet: variable.origin !== undefined,
            ...(isOperator && variable.origin !== undefined ? { origin: variable.origin } : {}),
          })),
        problems: plan.problems
          .filter(({ agent }) => agent === name)
          .map((problem) => (isOperator ? problem : publicProblem(problem))),
      }),
    ]
  })
}

type AgentPlanProblem = ReturnType<ServedHost['plan']>['problems'][number]

/** Removes the file and the text, which may name files and values of cards. */
function publicProblem({ severity, code, agent }: AgentPlanProblem): AgentPlanProblem {
  return { severity, code, message: `${ERRORS[code].title}.`, ...(agent === undefined ? {} : { agent }) }
}

/** Converts an object to JSON, without undefined values. */
function toPlainJson<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return JSON.parse(JSON.stringify(value)) as T
}
