import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'

/** The file of `--record`. */
export interface RecordFile {
  write(cassette: string): void
  /** Nothing more is written: no empty file stays that was made for a run without a recording. */
  end(): void
}

/** The file that `--record` writes a run to. Throws `usage_invalid` before the run where it cannot be written. */
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
          fix: 'Name a file in a folder that is there, relative to the working folder.',
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

/** The text of the file of `--replay`. Throws `usage_invalid`. */
export function readRecording(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (cause) {
    throw troupeError('usage_invalid', `--replay ${path}: the file cannot be read: ${errorMessage(cause)}.`, {
      fix: 'Name a file that `--record` has written, relative to the working folder.',
      cause,
    })
  }
}
