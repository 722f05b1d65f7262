import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { plainText, formatCost, formatTokens } from '@troupe/timeline'
import { troupeError, type Budget, errorMessage } from '@troupe/schema'
import type { SlashCommand, ChatContext } from './chat-context.ts'
import { tableLines } from '../reporter/table.ts'
import { toolTable } from '../reporter/tool-table.ts'
import type { ChatBudgetTracker, TeamChat } from './team-chat.ts'
import { runBlocks } from '../reporter/run-blocks.ts'
import { runTable } from '../reporter/run-table.ts'
import { findRootRun } from '../run-store/open-store.ts'
import { summarise, type StoredRunSummary } from '../run-store/run-summary.ts'
import { sessionEntries, sessionTable, recap, type ChatTurn } from './conversations.ts'
import { ATTACH } from './attach.ts'
import { costLines } from './cost-lines.ts'
import { findPage } from '../terminal/find-page.ts'
import { outputText } from '../reporter/end.ts'

/** `/runs`: lists the runs of the conversation, or shows one of them with its child runs. */
const RUNS: SlashCommand = {
  name: 'runs',
  group: 'Answers',
  argument: '[run]',
  description: 'list the runs so far, or show the calls of one',
  async run(argument, chat) {
    const { style, stderr } = chat.context.terminal
    if (argument !== '') return showRun(argument, chat)
    const runs = await runsOf(chat.teamChat)
    chat.print(runTable(runs, { style, columns: stderr.isTTY === true ? stderr.columns : undefined }))
  },
  candidates: ({ teamChat }) => teamChat.turns.map(({ runId }) => runId),
}

async function runsOf({ team, turns }: ChatContext['teamChat']): Promise<readonly StoredRunSummary[]> {
  const runIds = new Set(turns.map(({ runId }) => runId))
  const roots = (await team.store.roots()).filter(({ rootRunId }) => runIds.has(rootRunId))
  const runs = await Promise.all(roots.map((root) => summarise(team.store, root)))
  return runs.filter((run) => run !== undefined)
}

async function showRun(runId: string, { teamChat, print, context }: ChatContext): Promise<void> {
  const { store } = teamChat.team
  const root = await findRootRun(store, runId)
  const run = await summarise(store, root)
  if (run === undefined) throw troupeError('run_unknown', `The run ${root.rootRunId} has no stored events.`)
  const blocks = runBlocks(run, { events: await store.events(root.rootRunId) }, context)
  print(blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
}

/** `/sessions`: lists earlier conversations, or continues one of them. */
const SESSIONS: SlashCommand = {
  name: 'sessions',
  group: 'Conversations',
  argument: '[id]',
  description: 'list earlier conversations, or continue one',
  async run(argument, chat) {
    const { teamChat, print, context } = chat
    const { style, stderr } = context.terminal
    const columns = stderr.isTTY === true ? stderr.columns : undefined
    if (argument === '' && chat.pick === undefined)
      return print(await sessionTable(teamChat.team, { style, columns }))
    const entries = argument === '' ? await sessionEntries(teamChat.team) : []
    if (argument === '' && entries.length === 0) return print([style.dim('no conversations')])
    const sessionId = argument === '' ? await chat.pick?.('Conversations.', entries) : argument
    if (sessionId === undefined) return
    await teamChat.openConversation(sessionId)
    print(recap(teamChat, context.terminal))
  },
}

/** `/new`: starts a new conversation. */
const NEW: SlashCommand = {
  name: 'new',
  group: 'Conversations',
  description: 'start a new conversation',
  run(_argument, { teamChat, print, context }) {
    teamChat.startConversation()
    print([context.terminal.style.dim('Started a new conversation.')])
  },
}

const CLEAR_SCREEN = '\u001B[2J\u001B[3J\u001B[H'

/** `/clear`: starts a new conversation on an empty screen. */
const CLEAR: SlashCommand = {
  name: 'clear',
  group: 'Conversations',
  description: 'start a new conversation and clear the screen',
  run(_argument, { teamChat, context }) {
    teamChat.startConversation()
    if (context.terminal.stderr.isTTY === true) context.terminal.stderr.write(CLEAR_SCREEN)
  },
}

/** `/open`: prints the address of the conversation on the page, and opens it. */
const OPEN: SlashCommand = {
  name: 'open',
  group: 'Conversations',
  description: 'open the conversation on the page of a server',
  async run(_argument, { teamChat, print, context }) {
    const { agent, sessionId, turns, team } = teamChat
    const last = turns.at(-1)
    if (sessionId === undefined || last === undefined)
      throw troupeError('usage_invalid', 'The conversation is empty.', { fix: 'Send a message first.' })
    const { port } = team.host.settings('server') ?? {}
    const page = await findPage(last.runId, { port: typeof port === 'number' ? port : undefined })
    if (page === undefined)
      throw troupeError('usage_invalid', 'No server on this machine shows this conversation.', {
        fix: 'Start `troupe serve` with the same cards and store in another terminal, without `--port` and `--token`.',
      })
    const url = `${page}#/chat/${encodeURIComponent(agent)}/${encodeURIComponent(sessionId)}`
    print([url])
    await context.openUrl(url)
  },
}

/** `/cost`: shows the usage of the conversation. */
const COST: SlashCommand = {
  name: 'cost',
  group: 'Answers',
  description: 'show tokens and cost by agent and model',
  async run(_argument, { teamChat: { team, turns }, print, context }) {
    const runs = await Promise.all(turns.map(async ({ runId }) => team.store.events(runId)))
    const { style, stderr } = context.terminal
    print(costLines(runs, { style, columns: stderr.columns }))
  },
}

/** `/save`: writes the conversation to a Markdown file. */
const SAVE: SlashCommand = {
  name: 'save',
  group: 'Conversations',
  argument: '[file]',
  description: 'write the conversation to a new Markdown file',
  async run(argument, { teamChat, print, context }) {
    if (teamChat.turns.length === 0)
      throw troupeError('usage_invalid', 'The conversation is empty.', { fix: 'Send a message first.' })
    const name = argument === '' ? `chat-${fileName(teamChat.sessionId ?? teamChat.agent)}.md` : argument
    await write(resolve(context.cwd, name), transcript(teamChat))
    print([`Saved to ${plainText(name)}.`])
  },
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    throw troupeError('usage_invalid', `The conversation cannot be saved: ${errorMessage(cause)}.`, {
      fix: 'Choose another file, as in /save notes.md.',
      cause,
    })
  }
}

/** Replaces the characters of an id that are not safe in a file name. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w-]+/gu, '-').slice(0, 80)
}

function transcript({ agent, turns }: TeamChat): string {
  return [`# Conversation with ${agent}`, ...turns.flatMap((turn) => turnParts(turn, agent))]
    .join('\n\n')
    .concat('\n')
}

function turnParts({ message, outcome, output }: ChatTurn, agent: string): readonly string[] {
  const text = outputText(output).trim()
  const answer = output.value === undefined ? text : `\`\`\`json\n${text}\n\`\`\``
  return ['## You', message.trim(), `## ${agent}`, answer === '' ? `_No answer: ${outcome}._` : answer]
}

/** `/retry`: sends the last message again. */
const RETRY: SlashCommand = {
  name: 'retry',
  group: 'Answers',
  description: 'send the last message again, discarding its answer',
  run: (_argument, { teamChat, runTurn }) => runTurn((surface) => teamChat.retry(surface)),
}

const AGENT_COLUMNS = ['', 'agent', 'description'].map((title) => ({ title }))

/** `/agent`: lists the agents, or switches to one. */
const AGENT: SlashCommand = {
  name: 'agent',
  group: 'Team',
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

function agentTable(teamChat: ChatContext['teamChat']): readonly string[] {
  const rows = teamChat.team.host
    .agents()
    .map(({ name, description }) => [
      name === teamChat.agent ? '*' : ' ',
      plainText(name),
      plainText(description ?? '', { max: 60 }),
    ])
  return tableLines(AGENT_COLUMNS, rows)
}

/** `/model`: shows the models of the agent, or changes the model of all agents. */
const MODEL: SlashCommand = {
  name: 'model',
  group: 'Team',
  argument: '[id]',
  description: 'show the models of the agent, or set one for all agents',
  async run(argument, { teamChat, print }) {
    if (argument === '') return print(modelLines(teamChat))
    await teamChat.useModel(argument)
    print([modelsOf(teamChat)])
    if (await isSessionLost(teamChat))
      print(['The runs of this agent are not saved, so the new model does not see the earlier messages.'])
  },
  candidates: ({ teamChat }) => teamModels(teamChat),
}

/** Returns the models of all agents of the team. */
function teamModels({ team }: ChatContext['teamChat']): readonly string[] {
  return [...new Set(team.host.plan().agents.flatMap(({ models }) => models))].toSorted()
}

function modelLines(teamChat: ChatContext['teamChat']): readonly string[] {
  const others = teamModels(teamChat).map((id) => `  /model ${plainText(id)}`)
  return [modelsOf(teamChat), ...(others.length < 2 ? [] : ['Models of the team:', ...others])]
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
  group: 'Team',
  description: 'list the tools of the agent',
  async run(_argument, { teamChat, print, context }) {
    const lease = await teamChat.team.host.tools(teamChat.agent)
    try {
      print(toolTable(lease, context.terminal.stderr))
    } finally {
      await lease.release()
    }
  },
}

/** `/budget`: shows the usage and the limits, or changes the limits. */
const BUDGET: SlashCommand = {
  name: 'budget',
  group: 'Answers',
  argument: '[$0.50 | 20000 | off]',
  description: 'show the usage, or limit it',
  run(argument, { teamChat, print }) {
    if (argument !== '') teamChat.budget.setLimits(parseLimit(argument, teamChat.budget.limits))
    print([budgetLine(teamChat.budget)])
  },
  candidates: () => ['off'],
}

function parseLimit(amountText: string, limits: Budget): Budget {
  if (amountText === 'off') return {}
  const [, dollar = '', number = ''] = /^(\$?)\s*(\d+(?:\.\d+)?)(?:\s*tokens)?$/u.exec(amountText) ?? []
  const amount = Number(number)
  if (number !== '' && amount > 0) {
    if (dollar !== '') return { ...limits, maxCost: amount }
    if (Number.isInteger(amount)) return { ...limits, maxTokens: amount }
  }
  throw troupeError('usage_invalid', `"${amountText}" is not a budget.`, {
    fix: 'Use dollars (/budget $0.50), tokens (/budget 20000) or /budget off.',
  })
}

function budgetLine({ spent, limits, isUnpriced }: ChatBudgetTracker): string {
  const { maxCost, maxTokens } = limits
  const spentCost = `${formatCost(spent.maxCost)}${isUnpriced ? ' plus turns with an unknown price' : ''}`
  const cost = `${spentCost}${maxCost === undefined ? '' : ` of ${formatCost(maxCost)}`}`
  const tokens = `${formatTokens(spent.maxTokens)}${maxTokens === undefined ? '' : ` of ${formatTokens(maxTokens)}`} tokens`
  const suffix = maxCost === undefined && maxTokens === undefined ? ', without a limit for the chat' : ''
  return `Used since the start: ${cost}, ${tokens}${suffix}.`
}

/** `/exit`: ends the chat. */
const EXIT_CHAT: SlashCommand = {
  name: 'exit',
  group: 'Program',
  description: 'exit, like Ctrl-D',
  run: (_argument, { exit }) => exit(),
}

const HELP_COLUMNS = [{ title: '' }, { title: '' }]
const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl-J, or \\ and Enter', 'new line; a pasted text is one message'],
  ['Up, Down, Ctrl-R', 'earlier messages, and a search in them'],
  ['Tab', 'complete a command'],
  ['Ctrl-C, Ctrl-D', 'stop the answer, exit'],
  ['//', 'start a message with a slash'],
]

/** Creates `/help`, which lists the commands by group, and the keys. */
function helpOn(commands: readonly SlashCommand[]): SlashCommand {
  const help: SlashCommand = {
    name: 'help',
    group: 'Program',
    description: 'list the commands',
    run(_argument, { print, context }) {
      const { bold } = context.terminal.style
      const all = [...commands, help]
      const rows = all.map(({ name, argument, description }) => [
        argument === undefined ? `  /${name}` : `  /${name} ${argument}`,
        description,
      ])
      const keys = KEYS.map(([key, effect]) => [`  ${key}`, effect])
      const lines = tableLines(HELP_COLUMNS, [...rows, ...keys]).slice(1)
      const groups = Map.groupBy(lines.slice(0, all.length), (_, index) => all[index]?.group ?? '')
      print([
        ...[...groups].flatMap(([group, members]) => [bold(group), ...members]),
        bold('Keys'),
        ...lines.slice(all.length),
      ])
    },
  }
  return help
}

const WITHOUT_HELP: readonly SlashCommand[] = [
  RETRY,
  ATTACH,
  COST,
  BUDGET,
  RUNS,
  AGENT,
  MODEL,
  TOOLS,
  SESSIONS,
  NEW,
  CLEAR,
  SAVE,
  OPEN,
  EXIT_CHAT,
]

/** All slash commands, in the order of `/help`. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [...WITHOUT_HELP, helpOn(WITHOUT_HELP)]
