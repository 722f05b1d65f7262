import type { ListedApproval } from '@troupe/client'
import { createContext, use, useMemo, type Context } from 'react'

/** The open approvals and questions that can be answered in the page. */
export const AnswerableContext: Context<readonly ListedApproval[]> = createContext<readonly ListedApproval[]>(
  [],
)

/** Returns a function that returns true if one of the approvals of a row can be answered in the page. */
export function useIsForYou(): (approvals: readonly { readonly approvalId: string }[]) => boolean {
  const answerable = use(AnswerableContext)
  return useMemo(() => {
    const ids = new Set(answerable.map(({ approvalId }) => approvalId))
    return (approvals) => approvals.some(({ approvalId }) => ids.has(approvalId))
  }, [answerable])
}
