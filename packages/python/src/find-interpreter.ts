import { existsSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'

/** Options of `findInterpreter`. */
export interface InterpreterSearch {
  /** Interpreter of the configuration. It is used as it is. */
  readonly configured?: string | undefined
  /** Python file to run. Absolute. */
  readonly file: string
  /** Working folder. Absolute. */
  readonly cwd: string
}

/** Folder of a virtual environment. */
export const VENV = '.venv'

const IN_VENV = platform() === 'win32' ? [VENV, 'Scripts', 'python.exe'] : [VENV, 'bin', 'python']

/**
 * Returns the interpreter for a file: the configured one, else the one of `.venv` in the folder of the file
 * or in the working folder, else `python3` (`python` on Windows).
 */
export function findInterpreter({ configured, file, cwd }: InterpreterSearch): string {
  if (configured !== undefined) return configured
  const own = [dirname(file), cwd].map((folder) => join(folder, ...IN_VENV)).find((path) => existsSync(path))
  return own ?? (platform() === 'win32' ? 'python' : 'python3')
}
