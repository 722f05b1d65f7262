import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'

/** Output file of `--record`. */
interface RecordFile {
  write(cassette: string): void
  /** Ends the recording. Removes the new file if nothing was recorded. */
  end(): void
}

/** Opens the file of `--record`. Throws `usage_invalid` before the run if the file cannot be written. */
export function recordFile(path: string, cwd: string): RecordFile {
  const file = resolve(cwd, path)
  const isNew = !existsSync(file)
  let isEmpty = true
  const write = (how: () => void): void => {
    try {
      how()
    } catch (cause) {
      throw troupeError(
        'usage_invalid',
        `--record ${path}: the file cannot be written: ${errorMessage(cause)}.`,
        {
          fix: 'Pass a file in an existing folder. The path is relative to the working folder.',
          cause,
        },
      )
    }
  }
  write(() => appendFileSync(file, ''))
  return {
    write(cassette) {
      isEmpty = false
      write(() => writeFileSync(file, cassette))
    },
    end() {
      if (isNew && isEmpty) rmSync(file, { force: true })
    },
  }
}

/** Reads the file of `--replay`. Throws `usage_invalid` if it cannot be read. */
export function readRecording(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (cause) {
    throw troupeError('usage_invalid', `--replay ${path}: the file cannot be read: ${errorMessage(cause)}.`, {
      fix: 'Pass a file written by `--record`. The path is relative to the working folder.',
      cause,
    })
  }
}
