// Ends a PostgreSQL server and removes its folder once the owner of this process closes its standard input, which
// also happens if the owner is killed.
import { readFileSync, rmSync } from 'node:fs'
import { argv, kill, stdin } from 'node:process'

const [, , data, home] = argv

stdin.resume().on('end', () => {
  const pid = readPid()
  // ends without a checkpoint, because the folder is removed anyway
  if (pid !== undefined) signal(pid, 'SIGQUIT')
  const remove = () => {
    if (pid !== undefined && signal(pid, 0)) setTimeout(remove, 20)
    else rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  remove()
})

function readPid() {
  try {
    return Number.parseInt(readFileSync(`${data}/postmaster.pid`, 'utf8'), 10)
  } catch {
    // the server has already ended
    return undefined
  }
}

/** Returns whether the process exists. */
function signal(pid, name) {
  try {
    return kill(pid, name)
  } catch {
    return false
  }
}
