import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Returns the ids of the living `server.mjs` processes that run in a folder or below it. The processes themselves know only their ids in the
 * PID namespace that they run in.
 */
export function serverPids(folder: string): readonly number[] {
  const root = realpathSync(folder)
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry) && isServer(entry, root))
    .map(Number)
}

function isServer(pid: string, root: string): boolean {
  try {
    const [program = '', script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const cwd = readlinkSync(`/proc/${pid}/cwd`)
    return (
      basename(program) === 'node' && script === 'server.mjs' && (cwd === root || cwd.startsWith(`${root}/`))
    )
  } catch {
    // it ended in the meantime, or it is a zombie, which has no command line
    return false
  }
}
