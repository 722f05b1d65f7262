import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { troupeError, errorMessage } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { runBlocks } from '../../reporter/run-blocks.ts'
import { runTable } from '../../reporter/run-table.ts'
import { findRootRun } from '../../run-store/with-run.ts'
import { summarise, type StoredRunSummary } from '../../run-store/run-summary.ts'
import type { ChatContext, SlashCommand } from '../chat-context.ts'
import { sessionTable } from '../session-table.ts'
import { recap } from '../recap.ts'
import { outputText } from '../../reporter/answer.ts'
import type { ChatTurn } from '../conversations.ts'
import type { TeamChat } from '../team-chat.ts'

/** `/runs`: lists the runs of the conversation, or shows one of them with its child runs. */
export const RUNS: SlashCommand = {
  name: 'runs',
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
  const wanted = new Set(turns.map(({ runId }) => runId))
  const roots = (await team.store.roots()).filter(({ rootRunId }) => wanted.has(rootRunId))
  const runs = await Promise.all(roots.map((root) => summarise(team.store, root)))
  return runs.filter((run) => run !== undefined)
}

async function showRun(given: string, { teamChat, print, context }: ChatContext): Promise<void> {
  const { store } = teamChat.team
  const root = await findRootRun(store, given)
  const run = await summarise(store, root)
  if (run === undefined) throw troupeError('run_unknown', `The run ${root.rootRunId} has no stored events.`)
  const blocks = runBlocks(run, { events: await store.events(root.rootRunId) }, context)
  print(blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
}

/** `/sessions`: lists earlier conversations, or continues one of them. */
export const SESSIONS: SlashCommand = {
  name: 'sessions',
  argument: '[id]',
  description: 'list earlier conversations, or continue one',
  async run(argument, { teamChat, print, context }) {
    const { style, stderr } = context.terminal
    const columns = stderr.isTTY === true ? stderr.columns : undefined
    if (argument === '') return print(await sessionTable(teamChat.team, { style, columns }))
    await teamChat.openConversation(argument)
    print(recap(teamChat, context.terminal))
  },
}

/** `/new`: starts a new conversation. */
export const NEW: SlashCommand = {
  name: 'new',
  description: 'start a new conversation',
  run(_argument, { teamChat, print, context }) {
    teamChat.startConversation()
    print([context.terminal.style.dim('Started a new conversation.')])
  },
}

/** `/save`: writes the conversation to a Markdown file. */
export const SAVE: SlashCommand = {
  name: 'save',
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
  return [`# Conversation with ${agent}`, ...turns.flatMap((turn) => parts(turn, agent))]
    .join('\n\n')
    .concat('\n')
}

function parts({ message, outcome, output }: ChatTurn, agent: string): readonly string[] {
  const said = outputText(output).trim()
  const answer = output.value === undefined ? said : `\`\`\`json\n${said}\n\`\`\``
  return ['## You', message.trim(), `## ${agent}`, answer === '' ? `_No answer: ${outcome}._` : answer]
}
