import type { ApprovalList } from '@troupe/headends'
import { useEffect } from 'react'
import { APPROVALS_PATH } from '../api/runs.ts'
import { useAnswer, type Asked } from '../api/use-answer.ts'
import { setOpenCount } from '../ui/window-title.ts'

/** Follows the approvals and questions that a person can answer, and shows their number in the title of the window. As it is asked for on every page, it also tells whether the server is there. */
export function useOpenApprovals(): Asked<ApprovalList> {
  const asked = useAnswer<ApprovalList>(APPROVALS_PATH, { everyMs: 3000, hiddenEveryMs: 15_000 })
  const total = asked.value?.total ?? 0
  useEffect(() => setOpenCount(total), [total])
  return asked
}
