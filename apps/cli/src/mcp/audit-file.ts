import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CallRecord } from '@troupe/meta-mcp'
import { errorMessage, troupeError } from '@troupe/schema'

/** Writes a line of JSON for every call, for this user alone. Throws where it cannot: a call without a record is a failed one. */
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
