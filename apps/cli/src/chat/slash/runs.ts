import { troupeError } from '@troupe/schema'
import { runBlocks } from '../../reporter/run-blocks.ts'
import { runTable } from '../../reporter/run-table.ts'
import { findRootRun } from '../../run-store/find-root-run.ts'
import { summarise, type StoredRunSummary } from '../../run-store/run-summary.ts'
import type { ChatContext } from '../chat-context.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/runs`: lists the runs of the conversation, or shows one of them with its child runs. */
export const RUNS: SlashCommand = {
  name: 'runs',
  argument: '[run]',
  description: 'the runs so far, or who called whom in that one',
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
  if (run === undefined) throw troupeError('run_unknown', `Nothing is known of the run ${root.rootRunId}.`)
  const blocks = runBlocks(run, { events: await store.events(root.rootRunId) }, context)
  print(blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
}
