import { createMemoryStore } from '@troupe/store'
import {
  troupeError,
  TroupeError,
  type Outcome,
  type RunOptions,
  type RunOutput,
  type RunReport,
} from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { parseBudgetOptions, parseDurationOption } from '../option-values.ts'
import { blockingProblems, problemFailure } from '../plan-problems.ts'
import { writeNote } from '../stored/run-note.ts'
import { toInput } from '../to-input.ts'
import { watchRun, type Surface, type WatchedOptions, type WatchedRun } from '../watch-run.ts'
import type { ChatOptions } from './chat-options.ts'
import { createChatBudget, type ChatBudget } from './chat-budget.ts'
import { storedTurns } from './stored-turns.ts'
import { openTeam, type Team } from './team.ts'
import { stopForTurn } from './turn-stop.ts'

/** One message of a conversation and what came of it. */
export interface ChatTurn {
  readonly runId: string
  readonly message: string
  readonly outcome: Outcome
  readonly output: RunOutput
}

/** A person and the agents of a team, one of them at a time. */
export interface Talk {
  readonly team: Team
  readonly agent: string
  /** That of the conversation; undefined: it begins with the next message. */
  readonly sessionId: string | undefined
  readonly turns: readonly ChatTurn[]
  readonly budget: ChatBudget
  /** The next message. Never rejects for a run that fails; throws `budget_exceeded` where nothing is left for another turn. */
  say(message: string, surface?: Surface): Promise<WatchedRun>
  /** Asks the last message again, as if its answer had not been given: from there on it is another conversation. */
  retry(surface?: Surface): Promise<WatchedRun>
  /** Another agent, in the conversation that one has had with it last. Throws `agent_unknown`. */
  turnTo(agent: string): void
  /** The same team with another model for all its agents. Throws why it cannot be had; the old one stays then. */
  useModel(model: string): Promise<void>
  /** Goes on with a conversation, or begins it under this id. Throws `agent_unknown` where it is one with an agent of another team. */
  goOnWith(sessionId: string): Promise<void>
  /** What is said next begins a conversation. */
  beginAnew(): void
  close(): Promise<void>
}

interface Conversation {
  sessionId: string | undefined
  turns: readonly ChatTurn[]
}

/** Opens the team of a chat. Its plan may have problems: see `team.host.plan()`. */
export async function openTalk(card: string, options: ChatOptions, context: CommandContext): Promise<Talk> {
  const timeout =
    options.timeout === undefined ? undefined : parseDurationOption(options.timeout, '--timeout')
  const budget = createChatBudget(parseBudgetOptions(options))
  const memory = createMemoryStore({ clock: context.clock, maxRoots: 1000 })
  let given = options
  let team = await openTeam({ card, options: given }, { memory, context })
  let agent = team.host.plan().entry ?? ''
  const conversations = new Map<string, Conversation>()

  const current = (): Conversation => {
    const known = conversations.get(agent) ?? { sessionId: undefined, turns: [] }
    conversations.set(agent, known)
    return known
  }
  const take = async (
    message: string,
    start: (wanted: WatchedOptions & TurnOptions) => Promise<RunReport>,
    surface: Surface | undefined,
  ): Promise<WatchedRun> => {
    const left = budget.left()
    if (left === undefined)
      throw troupeError('budget_exceeded', 'The budget of this conversation is used up.', {
        fix: 'Raise it with /budget.',
      })
    const note = writeNote({ cwd: context.cwd, card, options: given, wait: false })
    const wanted = { budget: left, note, ...(timeout === undefined ? {} : { timeout }) }
    const turn = stopForTurn(context)
    try {
      const watched = await watchRun(
        // a turn that was stopped has ended: what is said next goes on behind it
        (watching) => start({ ...watching, resumable: false, ...wanted }),
        options,
        { ...context, stop: turn.stop },
        surface,
      )
      remember(message, watched.report)
      return watched
    } finally {
      turn.release()
    }
  }
  const remember = (
    message: string,
    { runId, sessionId, outcome, output, usage, error }: RunReport,
  ): void => {
    budget.add(usage)
    // a conversation that refused the run has not got it
    if (error?.code === 'session_busy' || error?.code === 'session_mismatch') return
    const conversation = current()
    conversation.sessionId = sessionId
    conversation.turns = [...conversation.turns, { runId, message, outcome, output }]
  }
  return {
    get team() {
      return team
    },
    get agent() {
      return agent
    },
    get sessionId() {
      return current().sessionId
    },
    get turns() {
      return current().turns
    },
    budget,
    say(message, surface) {
      const { sessionId } = current()
      const input = toInput(team.host, message, agent)
      return take(
        message,
        (wanted) =>
          team.host.run(agent, input, { ...wanted, ...(sessionId === undefined ? {} : { sessionId }) }),
        surface,
      )
    },
    async retry(surface) {
      const conversation = current()
      const last = conversation.turns.at(-1)
      if (last === undefined)
        throw troupeError('usage_invalid', 'Nothing has been said yet.', { fix: 'Write a message.' })
      const { runId, message } = last
      return take(
        message,
        async (wanted) => {
          const fork = await team.host.fork(runId, { ...wanted, at: '1', acceptChanges: true })
          conversation.turns = conversation.turns.slice(0, -1)
          return fork.report
        },
        surface,
      )
    },
    turnTo(name) {
      agent = team.host.definition(name).name
    },
    async useModel(model) {
      const options = { ...given, model, agent }
      const next = await openTeam({ card, options }, { memory, context })
      const [problem] = blockingProblems(next.host.plan(), agent)
      if (problem !== undefined) {
        await next.close()
        throw new TroupeError(problemFailure(problem))
      }
      await team.close()
      team = next
      given = options
    },
    async goOnWith(sessionId) {
      const found = await team.host.session(sessionId)
      if (found !== undefined) agent = team.host.definition(found.agent).name
      const turns = found === undefined ? [] : await storedTurns(team.store, found.lastRunId)
      conversations.set(agent, { sessionId, turns })
    },
    beginAnew() {
      conversations.delete(agent)
    },
    close: () => team.close(),
  }
}

type TurnOptions = Pick<RunOptions, 'budget' | 'note' | 'timeout'>
