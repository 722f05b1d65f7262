import type { WriteTarget } from '@troupe/client'
import { describeCall, type ApprovalView, type CallDescription } from '@troupe/timeline'
import { useMemo } from 'react'
import { client } from '../api/client.ts'
import { useRequest } from '../api/use-request.ts'

/**
 * Describes a call that waits for a decision. A call that writes a file is compared with the file as it is; returns
 * `undefined` until the server has read it.
 */
export function useCallDescription(
  rootRunId: string,
  { approvalId, toolName, args, time }: Pick<ApprovalView, 'approvalId' | 'toolName' | 'args' | 'time'>,
): CallDescription | undefined {
  const isWrite = toolName === 'filesystem.write'
  const { value, failure } = useRequest<{ readonly file: WriteTarget | undefined }>(
    isWrite
      ? {
          key: `target ${rootRunId} ${approvalId}`,
          load: async (options) => ({
            file: await client.approvals.target({ runId: rootRunId, approvalId }, options),
          }),
        }
      : undefined,
  )
  const file = value?.file
  const isReady = !isWrite || value !== undefined || failure !== undefined
  return useMemo(() => {
    if (!isReady) return undefined
    return describeCall(toolName, args, file === undefined ? undefined : { file, requestedAt: time })
  }, [isReady, toolName, args, file, time])
}
