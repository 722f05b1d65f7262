import type { ApprovalRequest } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Style } from '../style.ts'

const ARGS = 200

/** The calls that wait for a decision, each with the command that approves it. */
export function waitingLines(
  approvals: readonly ApprovalRequest[],
  { store, style }: { readonly store?: string | false | undefined; readonly style: Style },
): readonly string[] {
  const file = typeof store === 'string' ? ` --store ${plainText(store)}` : ''
  return approvals.flatMap(({ rootRunId, approvalId, instance, toolName, args, reason }) => [
    `${plainText(instance)} wants to call ${style.bold(plainText(toolName))} ${plainText(JSON.stringify(args), { max: ARGS })}`,
    ...(reason === undefined ? [] : [`  ${plainText(reason)}`]),
    `  ${style.dim('decide')} troupe runs approve ${rootRunId} ${approvalId}${file}   (or --deny)`,
  ])
}
