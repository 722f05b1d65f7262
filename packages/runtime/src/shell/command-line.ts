import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { platform } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { troupeError } from '@troupe/schema'

/** Shells that run command lines, by preference. */
const SHELLS = ['bash', 'sh'] as const

/**
 * Returns the program that runs a command line: bash, else sh. Throws `shell_failed` if there is neither, and
 * on Windows.
 */
export async function commandLineProgram(
  text: string,
  env: Readonly<Record<string, string>>,
  shells: readonly string[] = SHELLS,
  system: NodeJS.Platform = platform(),
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  if (system === 'win32') throw noShell('Command lines are not supported on Windows.')
  for (const shell of shells) {
    const command = await findProgram(shell, env['PATH'])
    if (command !== undefined) return { command, args: ['-c', '--', text] }
  }
  throw noShell('Neither bash nor sh was found in the folders of PATH and in /bin.')
}

function noShell(message: string): Error {
  return troupeError('shell_failed', message, {
    fix: 'Pass the program name in `command` and each argument as an entry of `args`.',
  })
}

/** Looks up a program. Skips relative folders of `path`, because agents may write there. */
async function findProgram(name: string, path = ''): Promise<string | undefined> {
  for (const folder of [...path.split(delimiter).filter(isAbsolute), '/bin', '/usr/bin']) {
    const file = join(folder, name)
    const isFound = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isFound) return file
  }
  return undefined
}
