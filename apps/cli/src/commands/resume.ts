import { troupeError } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { findRootRun } from '../run-store/find-root-run.ts'
import { openExistingStore } from '../run-store/open-store.ts'
import { resumeStoredRun } from '../team/resume-stored-run.ts'
import type { RunCommandOptions } from './run.ts'

/**
 * Runs `troupe run [card] --resume RUN`: resumes an interrupted run, by default with the cards it started
 * with.
 */
export async function resumeCommand(
  {
    card,
    words,
    runId,
  }: { readonly card: string | undefined; readonly words: readonly string[]; readonly runId: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  if (words.length > 0)
    throw troupeError('usage_invalid', '--resume goes on with a run: it takes no message.', {
      fix: 'Leave the message out.',
    })
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findRootRun(store, runId)
  return resumeStoredRun({ card, rootRunId, store }, options, context)
}
