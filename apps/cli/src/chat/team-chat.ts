import { createMemoryStore } from '@troupe/store'
import {
  troupeError,
  TroupeError,
  type RunReport,
  failure,
  type RunOptions,
  type Attachment,
  type Budget,
} from '@troupe/schema'
import type { WatchedReload } from '@troupe/host'
import type { CommandContext } from '../terminal/context.ts'
import { parseBudgetOptions, parseDurationOption } from '../input/option-values.ts'
import { blockingProblems, problemFailure } from '../reporter/plan-problems.ts'
import { toInput } from '../input/read-message.ts'
import {
  type RunDisplayOptions,
  type Surface,
  type WatchedRun,
  watchRun,
  type WatchedOptions,
} from '../watch/watch-run.ts'
import type { ProgramStop } from '../terminal/stop.ts'
import type { ChatOptions } from './chat-context.ts'
import { createConversations, storedTurns, type ChatConversation } from './conversations.ts'
import { openTeam, type ChatTeam } from './chat-team.ts'

/** Conversations with the agents of a team. `sessionId` and `turns` belong to the current agent. */
export interface TeamChat extends ChatConversation {
  readonly team: ChatTeam
  readonly agent: string
  readonly budget: ChatBudgetTracker
  /** Files that are sent with the next message. */
  readonly attachments: readonly Attachment[]
  attach(attachments: readonly Attachment[]): void
  /**
   * Sends the next message. Does not reject if the run fails; throws `budget_exceeded` if the budget is used
   * up.
   */
  send(message: string, surface?: Surface): Promise<WatchedRun>
  /** Sends the last message again without its answer, in a forked conversation. */
  retry(surface?: Surface): Promise<WatchedRun>
  /** Switches to an agent and its latest conversation. Throws `agent_unknown`. */
  switchAgent(agent: string): void
  /**
   * Reloads the team with another model for all its agents. Throws if that fails, and keeps the current team.
   */
  useModel(model: string): Promise<void>
  /**
   * Continues a conversation, or starts one with this id. Throws `agent_unknown` if it belongs to an agent of
   * another team.
   */
  openConversation(sessionId: string): Promise<void>
  /** Starts a new conversation with the next message. */
  startConversation(): void
  close(): Promise<void>
}

/** Opens the team of a chat. Its plan may have problems: see `team.host.plan()`. */
export async function openTeamChat(
  card: string,
  options: ChatOptions,
  context: CommandContext,
  onReload?: (reload: WatchedReload) => void,
): Promise<TeamChat> {
  const timeout =
    options.timeout === undefined ? {} : { timeout: parseDurationOption(options.timeout, '--timeout') }
  const budget = createChatBudget(parseBudgetOptions(options))
  const memory = createMemoryStore({ clock: context.clock, maxRoots: 1000 })
  const open = (teamOptions: ChatOptions): Promise<ChatTeam> =>
    openTeam({ card, options: teamOptions }, { memory, context, onReload })
  const conversations = createConversations()
  let currentOptions: ChatOptions = { ...options, date: new Date(context.clock.now()).toISOString() }
  let team = await open(currentOptions)
  let agent = team.host.plan().entry ?? ''
  let attachments: readonly Attachment[] = []

  const addTurn = async (
    turn: {
      readonly message: string
      readonly replacesLast: boolean
      start(turnOptions: TurnOptions): Promise<RunReport>
    },
    surface: Surface | undefined,
  ): Promise<WatchedRun> => {
    const { writeTarget } = team.host
    const watched = await runTurn(
      turn.start,
      { budget, turnOptions: timeout, options: { ...options, writeTarget }, surface },
      context,
    )
    conversations.add(agent, { ...turn, report: watched.report })
    return watched
  }
  return {
    get team() {
      return team
    },
    get agent() {
      return agent
    },
    get sessionId() {
      return conversations.get(agent).sessionId
    },
    get turns() {
      return conversations.get(agent).turns
    },
    budget,
    get attachments() {
      return attachments
    },
    attach(added) {
      attachments = [...attachments, ...added]
    },
    async send(message, surface) {
      const { sessionId } = conversations.get(agent)
      const session = sessionId === undefined ? {} : { sessionId }
      const input = toInput(team.host, message, agent)
      const files = attachments.length === 0 ? {} : { attachments }
      attachments = []
      const start = (turnOptions: TurnOptions): Promise<RunReport> =>
        team.host.run(agent, input, { ...turnOptions, ...session, ...files })
      return addTurn({ message, replacesLast: false, start }, surface)
    },
    async retry(surface) {
      const { runId, message } = lastTurn(conversations.get(agent))
      const start = async (turnOptions: TurnOptions): Promise<RunReport> =>
        (await team.host.fork(runId, { ...turnOptions, note: {}, at: '1', acceptChanges: true })).report
      return addTurn({ message, replacesLast: true, start }, surface)
    },
    switchAgent(name) {
      agent = team.host.definition(name).name
    },
    async useModel(model) {
      if (options.isShared === true)
        throw troupeError(
          'usage_invalid',
          'The server uses this team too, so its models cannot be replaced here.',
          {
            fix: 'Change the model in the cards, or start again with --model.',
          },
        )
      const newOptions = { ...currentOptions, model, agent }
      const newTeam = await open(newOptions)
      await requireRunnable(newTeam, agent)
      await team.close()
      team = newTeam
      currentOptions = newOptions
    },
    async openConversation(sessionId) {
      const session = await team.host.session(sessionId)
      if (session !== undefined) agent = team.host.definition(session.agent).name
      const turns = session === undefined ? [] : await storedTurns(team.store, session.lastRunId)
      conversations.set(agent, { sessionId, turns })
    },
    startConversation() {
      conversations.set(agent, { sessionId: undefined, turns: [] })
    },
    close: () => team.close(),
  }
}

function lastTurn({ turns }: ChatConversation): ChatConversation['turns'][number] {
  const last = turns.at(-1)
  if (last !== undefined) return last
  throw troupeError('usage_invalid', 'There is no message to retry.', { fix: 'Send a message first.' })
}

/** Closes the team and throws its first problem that prevents the agent from running. */
async function requireRunnable(team: ChatTeam, agent: string): Promise<void> {
  const [problem] = blockingProblems(team.host.plan(), agent)
  if (problem === undefined) return
  await team.close()
  throw new TroupeError(problemFailure(problem))
}

type TurnOptions = WatchedOptions & Pick<RunOptions, 'budget' | 'timeout'>

/**
 * Runs one turn within the remaining budget, until it ends or is stopped by Ctrl-C. Throws `budget_exceeded`
 * if the budget is used up.
 */
async function runTurn(
  start: (options: TurnOptions) => Promise<RunReport>,
  {
    budget,
    turnOptions,
    options,
    surface,
  }: {
    readonly budget: ChatBudgetTracker
    readonly turnOptions: Pick<RunOptions, 'timeout'>
    readonly options: ChatOptions & Pick<RunDisplayOptions, 'writeTarget'>
    readonly surface: Surface | undefined
  },
  context: CommandContext,
): Promise<WatchedRun> {
  const remaining = budget.remaining()
  if (remaining === undefined)
    throw troupeError('budget_exceeded', 'The budget of this conversation is used up.', {
      fix: 'Raise it with /budget.',
    })
  const turn = createTurnCancellation(context)
  try {
    const watched = await watchRun(
      // A stopped turn must not be resumable, so that the next message can continue the session.
      (watching) => start({ ...watching, ...turnOptions, resumable: false, budget: remaining }),
      options,
      { ...context, stop: turn.stop },
      surface,
    )
    budget.add(watched.report.usage)
    return watched
  } finally {
    turn.release()
  }
}

/** Cancellation of one turn, by Ctrl-C or by the end of the program. */
interface TurnCancellation {
  readonly stop: ProgramStop
  /** Restores Ctrl-C to stop the program. */
  release(): void
}

/**
 * Lets Ctrl-C cancel a turn. A second Ctrl-C in the same turn stops the program, in case the first has no
 * effect.
 */
function createTurnCancellation({
  stop,
  interrupts,
}: Pick<CommandContext, 'stop' | 'interrupts'>): TurnCancellation {
  const controller = new AbortController()
  const release = interrupts.addHandler(() => {
    if (controller.signal.aborted) stop.request('SIGINT')
    controller.abort(
      failure('run_cancelled', 'The answer was stopped (Ctrl-C).', 'Type /retry to ask again.'),
    )
  })
  return {
    stop: {
      signal: AbortSignal.any([stop.signal, controller.signal]),
      get exitCode() {
        return stop.exitCode
      },
      get silent() {
        return stop.silent
      },
      request: (cause) => stop.request(cause),
    },
    release,
  }
}

/** Budget for all turns of a chat together. */
export interface ChatBudgetTracker {
  readonly limits: Budget
  /** Cost (USD) and tokens used since the program started. Turns with an unknown price count as 0 USD. */
  readonly spent: Required<Budget>
  /** True if the price of a turn is not known. */
  readonly isUnpriced: boolean
  /** Returns the budget of the next turn; `undefined` if it is used up. */
  remaining(): Budget | undefined
  add(usage: RunReport['usage']): void
  /** Replaces the limits. Past usage counts against the new ones. */
  setLimits(limits: Budget): void
}

/** Creates a budget in money, tokens, or both. */
function createChatBudget(initial: Budget): ChatBudgetTracker {
  let limits = initial
  let cost = 0
  let tokens = 0
  let isUnpriced = false
  return {
    get limits() {
      return limits
    },
    get spent() {
      return { maxCost: cost, maxTokens: tokens }
    },
    get isUnpriced() {
      return isUnpriced
    },
    remaining() {
      const { maxCost, maxTokens } = limits
      const remaining: Budget = {
        ...(maxCost === undefined ? {} : { maxCost: maxCost - cost }),
        ...(maxTokens === undefined ? {} : { maxTokens: maxTokens - tokens }),
      }
      return Object.values(remaining).some((amount) => amount <= 0) ? undefined : remaining
    },
    add(usage) {
      cost += usage.cost ?? 0
      isUnpriced ||= usage.cost === null
      tokens += usage.inputTokens + usage.outputTokens
    },
    setLimits(newLimits) {
      limits = newLimits
    },
  }
}
