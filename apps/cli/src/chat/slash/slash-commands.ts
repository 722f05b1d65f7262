import { plainText, formatCost, formatTokens } from '@troupe/timeline'
import { troupeError, type Budget } from '@troupe/schema'
import { NEW, RUNS, SESSIONS, SAVE } from './conversation-commands.ts'
import type { SlashCommand, ChatContext } from '../chat-context.ts'
import { tableLines } from '../../reporter/table.ts'
import { toolTable } from '../../reporter/tool-table.ts'
import type { ChatBudgetTracker } from '../chat-budget.ts'

/** `/retry`: sends the last message again. */
const RETRY: SlashCommand = {
  name: 'retry',
  description: 'ask the last message again, discarding its answer',
  run: (_argument, { teamChat, runTurn }) => runTurn((surface) => teamChat.retry(surface)),
}

const AGENT_COLUMNS = ['', 'agent', 'description'].map((title) => ({ title }))

/** `/agent`: lists the agents, or switches to one. */
const AGENT: SlashCommand = {
  name: 'agent',
  argument: '[name]',
  description: 'list the agents of the team, or switch to one',
  run(argument, { teamChat, print, context }) {
    if (argument === '') return print(agentTable(teamChat))
    teamChat.switchAgent(argument)
    const { dim } = context.terminal.style
    const conversationText =
      teamChat.turns.length === 0 ? 'a new conversation' : `continuing at turn ${teamChat.turns.length + 1}`
    print([dim(`Talking to ${plainText(teamChat.agent)}: ${conversationText}.`)])
  },
  candidates: ({ teamChat }) => teamChat.team.host.agents().map(({ name }) => name),
}

function agentTable(talk: ChatContext['teamChat']): readonly string[] {
  const rows = talk.team.host
    .agents()
    .map(({ name, description }) => [
      name === talk.agent ? '*' : ' ',
      plainText(name),
      plainText(description ?? '', { max: 60 }),
    ])
  return tableLines(AGENT_COLUMNS, rows)
}

/** `/model`: shows the models of the agent, or changes the model of all agents. */
const MODEL: SlashCommand = {
  name: 'model',
  argument: '[id]',
  description: 'show the models of the agent, or set one for all agents',
  async run(argument, { teamChat, print }) {
    if (argument === '') return print([modelsOf(teamChat)])
    await teamChat.useModel(argument)
    print([modelsOf(teamChat)])
    if (await isSessionLost(teamChat))
      print(['The runs of this agent are not saved, so the new model does not see the earlier messages.'])
  },
}

function modelsOf({ team, agent }: ChatContext['teamChat']): string {
  const models = team.host.plan().agents.find(({ name }) => name === agent)?.models ?? []
  return `${plainText(agent)} uses ${models.length === 0 ? 'no model' : models.map((id) => plainText(id)).join(', then ')}.`
}

/** Returns true if the session was only in the memory of the previous host. */
async function isSessionLost({ team, sessionId }: ChatContext['teamChat']): Promise<boolean> {
  return sessionId !== undefined && (await team.host.session(sessionId)) === undefined
}

/** `/tools`: lists the tools of the agent. Starts its MCP servers. */
const TOOLS: SlashCommand = {
  name: 'tools',
  description: 'list the tools of the agent',
  async run(_argument, { teamChat, print }) {
    const lease = await teamChat.team.host.tools(teamChat.agent)
    try {
      print(toolTable(lease))
    } finally {
      await lease.release()
    }
  },
}

/** `/budget`: shows the usage and the limits, or changes the limits. */
const BUDGET: SlashCommand = {
  name: 'budget',
  argument: '[$0.50 | 20000 | off]',
  description: 'show the usage, or limit it',
  run(argument, { teamChat, print }) {
    if (argument !== '') teamChat.budget.setLimits(parseLimit(argument, teamChat.budget.limits))
    print([budgetLine(teamChat.budget)])
  },
  candidates: () => ['off'],
}

function parseLimit(given: string, before: Budget): Budget {
  if (given === 'off') return {}
  const [, dollar = '', number = ''] = /^(\$?)\s*(\d+(?:\.\d+)?)(?:\s*tokens)?$/u.exec(given) ?? []
  const amount = Number(number)
  if (number !== '' && amount > 0) {
    if (dollar !== '') return { ...before, maxCost: amount }
    if (Number.isInteger(amount)) return { ...before, maxTokens: amount }
  }
  throw troupeError('usage_invalid', `"${given}" is not a budget.`, {
    fix: 'Use dollars (/budget $0.50), tokens (/budget 20000) or /budget off.',
  })
}

function budgetLine({ spent, limits, isUnpriced }: ChatBudgetTracker): string {
  const { maxCost, maxTokens } = limits
  const known = `${formatCost(spent.maxCost)}${isUnpriced ? ' plus turns with an unknown price' : ''}`
  const cost = `${known}${maxCost === undefined ? '' : ` of ${formatCost(maxCost)}`}`
  const tokens = `${formatTokens(spent.maxTokens)}${maxTokens === undefined ? '' : ` of ${formatTokens(maxTokens)}`} tokens`
  const rest = maxCost === undefined && maxTokens === undefined ? ', without a limit for the chat' : ''
  return `Used since the start: ${cost}, ${tokens}${rest}.`
}

/** `/exit`: ends the chat. */
const EXIT_CHAT: SlashCommand = {
  name: 'exit',
  description: 'exit, like Ctrl-D',
  run: (_argument, { exit }) => exit(),
}

const HELP_COLUMNS = [{ title: 'command' }, { title: 'effect' }]

/** Creates `/help`, which lists the commands. */
function helpOn(commands: readonly SlashCommand[]): SlashCommand {
  const help: SlashCommand = {
    name: 'help',
    description: 'list the commands',
    run(_argument, { print, context }) {
      const rows = [...commands, help].map(({ name, argument, description }) => [
        argument === undefined ? `/${name}` : `/${name} ${argument}`,
        description,
      ])
      const [head = '', ...lines] = tableLines(HELP_COLUMNS, rows)
      const { dim } = context.terminal.style
      print([
        dim(head),
        ...lines,
        '',
        'End a line with \\ to continue it on the next line. A pasted text is one message.',
        'Type // to start a message with a slash. Tab completes. Ctrl-C stops the answer.',
      ])
    },
  }
  return help
}

const WITHOUT_HELP: readonly SlashCommand[] = [
  RETRY,
  AGENT,
  MODEL,
  TOOLS,
  RUNS,
  BUDGET,
  SESSIONS,
  NEW,
  SAVE,
  EXIT_CHAT,
]

/** All slash commands, in the order of `/help`. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [...WITHOUT_HELP, helpOn(WITHOUT_HELP)]
