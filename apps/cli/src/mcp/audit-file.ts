import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CallRecord } from '@troupe/meta-mcp'
import { errorMessage, troupeError } from '@troupe/schema'

/**
 * Creates a function that appends a line of JSON per call to a file that only this user can read. Throws if
 * that fails, so that no call succeeds without a record.
 */
export function auditFile(path: string, cwd: string): (record: CallRecord) => void {
  const file = resolve(cwd, path)
  return (record) => {
    try {
      appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    } catch (cause) {
      throw troupeError(
        'audit_failed',
        `${file}: the record of the call cannot be kept: ${errorMessage(cause)}`,
        {
          cause,
        },
      )
    }
  }
}
