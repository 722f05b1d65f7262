import type { Host } from '@troupe/host'
import {
  matchChoice,
  openApprovals,
  requestExpiry,
  troupeError,
  type ApprovalDecision,
  type Question,
  type ApprovalRequest,
} from '@troupe/schema'
import type { RootRunRecord, RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { resumeStoredRun } from './resume.ts'
import { findRootRun, openExistingStore } from '../run-store/open-store.ts'
import type { RunCommandOptions } from './run.ts'
import { readForm } from '../input/form.ts'

export interface RunsApproveOptions extends RunCommandOptions {
  readonly deny?: boolean
  readonly reason?: string
  /** True to print a link instead of deciding. */
  readonly link?: boolean
}

/**
 * Runs `troupe runs approve RUN [APPROVAL]`: approves or denies a call and resumes the run until it ends or
 * waits again.
 */
export async function runsApproveCommand(
  { run, approval }: { readonly run: string; readonly approval: string | undefined },
  options: RunsApproveOptions,
  context: CommandContext,
): Promise<number> {
  const { deny = false, reason } = options
  const decision: ApprovalDecision = {
    decision: deny ? 'denied' : 'approved',
    ...(reason === undefined ? {} : { reason }),
    by: { via: 'terminal' },
  }
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findDecidableRun(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId } = findApproval(await host.approvals(rootRunId), rootRunId, approval)
    await host.decide(rootRunId, approvalId, decision)
  }
  return resumeStoredRun({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}

/**
 * Runs `troupe runs answer RUN QUESTION TEXT`: answers an open question and resumes the run until it ends or
 * waits again.
 */
export async function runsAnswerCommand(
  { run, question, text }: { readonly run: string; readonly question: string; readonly text: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findDecidableRun(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId, asks } = findApproval(await host.approvals(rootRunId), rootRunId, question)
    await host.decide(rootRunId, approvalId, {
      decision: 'approved',
      ...toAnswer(asks, text),
      by: { via: 'terminal' },
    })
  }
  return resumeStoredRun({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}

/**
 * Finds the run of a decision. Rejects with `approval_elsewhere` if another process waits for the answer of a person
 * who is present there.
 */
async function findDecidableRun(store: RunStore, prefix: string): Promise<RootRunRecord> {
  const root = await findRootRun(store, prefix)
  const { rootRunId, owner } = root
  if (!root.open) return root
  const open = openApprovals(await store.events(rootRunId))
  const present = open.find(({ expiresAt }) => expiresAt !== undefined)
  if (present === undefined) return root
  const where = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`
  const until = new Date(requestExpiry(present, true)).toISOString()
  throw troupeError(
    'approval_elsewhere',
    `The run ${rootRunId} waits for this answer in ${where}, until ${until}.`,
  )
}

function toAnswer(asks: Question | undefined, text: string): Pick<ApprovalDecision, 'answer' | 'values'> {
  if (asks?.form !== undefined) {
    const values = readForm(asks.form, text)
    return { answer: JSON.stringify(values), values }
  }
  return { answer: asks === undefined ? text : (matchChoice(asks, text) ?? text) }
}

/**
 * Finds an open approval or question by its id or a prefix. Without an id, returns the only open one. Throws
 * `approval_unknown`, and `usage_invalid` if several match.
 */
export function findApproval(
  open: readonly ApprovalRequest[],
  rootRunId: string,
  prefix: string | undefined,
): ApprovalRequest {
  const exact = open.find(({ approvalId }) => approvalId === prefix)
  if (exact !== undefined) return exact
  const matching = open.filter(({ approvalId }) => approvalId.startsWith(prefix ?? ''))
  const [only, ...others] = matching
  if (only === undefined)
    throw troupeError(
      'approval_unknown',
      `The run ${rootRunId} has no open approval or question${idClause(prefix)}.`,
    )
  if (others.length === 0) return only
  const ids = matching.map(({ approvalId }) => approvalId).join(', ')
  throw troupeError(
    'usage_invalid',
    `The run has ${matching.length} matching approvals and questions: ${ids}.`,
    {
      fix: 'Pass one of these ids.',
    },
  )
}

function idClause(prefix: string | undefined): string {
  return prefix === undefined ? '' : ` with an id that starts with ${prefix}`
}
