import { TaskState, type ListTasksRequest } from '@a2a-js/sdk'

/** Maximum number of tasks on one page. */
export const LARGEST_PAGE = 100

/** Returns the problem of a request for a list of tasks; `undefined` if it is valid. */
export function listProblem({
  pageSize,
  status,
  statusTimestampAfter: after = '',
}: Pick<ListTasksRequest, 'pageSize' | 'status' | 'statusTimestampAfter'>): string | undefined {
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= LARGEST_PAGE))
    return `pageSize: not a whole number from 1 to ${LARGEST_PAGE}.`
  if (status === TaskState.UNRECOGNIZED) return 'status: this is no state of a task.'
  if (after !== '' && Number.isNaN(Date.parse(after))) return 'statusTimestampAfter: this is no time.'
  return undefined
}
