import { troupeError } from '@troupe/schema'
import { runBlocks } from '../../commands/runs-show.ts'
import { runTable } from '../../reporter/run-table.ts'
import { findRoot } from '../../stored/find-root.ts'
import { summarise, type RunSummary } from '../../stored/run-summary.ts'
import type { Chat } from '../chat.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/runs`: lists the runs of the conversation, or shows one of them with its child runs. */
export const RUNS: SlashCommand = {
  name: 'runs',
  argument: '[run]',
  description: 'the runs so far, or who called whom in that one',
  async run(argument, chat) {
    const { style, stderr } = chat.context.terminal
    if (argument !== '') return showRun(argument, chat)
    const runs = await runsOf(chat.talk)
    chat.tell(runTable(runs, { style, columns: stderr.isTTY === true ? stderr.columns : undefined }))
  },
  candidates: ({ talk }) => talk.turns.map(({ runId }) => runId),
}

async function runsOf({ team, turns }: Chat['talk']): Promise<readonly RunSummary[]> {
  const wanted = new Set(turns.map(({ runId }) => runId))
  const roots = (await team.store.roots()).filter(({ rootRunId }) => wanted.has(rootRunId))
  const runs = await Promise.all(roots.map((root) => summarise(team.store, root)))
  return runs.filter((run) => run !== undefined)
}

async function showRun(given: string, { talk, tell, context }: Chat): Promise<void> {
  const { store } = talk.team
  const root = await findRoot(store, given)
  const run = await summarise(store, root)
  if (run === undefined) throw troupeError('run_unknown', `Nothing is known of the run ${root.rootRunId}.`)
  const blocks = runBlocks(run, { events: await store.events(root.rootRunId) }, context)
  tell(blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
}
