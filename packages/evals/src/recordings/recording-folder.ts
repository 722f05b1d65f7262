import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errorMessage, isJsonObject, troupeError, type JsonObject } from '@troupe/schema'

/** Recorded answers of models by the key of their requests. */
export interface AnswerRecordings {
  /** The folder of the recordings, for messages. */
  readonly name: string
  /** Returns the answer of a request; `undefined` if it was not recorded. */
  read(key: string): Promise<JsonObject | undefined>
  write(key: string, answer: JsonObject): Promise<void>
}

/** Opens a folder with one file per answer. It is created with the first one. */
export function openRecordingFolder(folder: string, cwd: string): AnswerRecordings {
  const root = resolve(cwd, folder)
  const fileOf = (key: string): string => join(root, key.slice(0, 2), `${key}.json`)
  return {
    name: folder,
    async read(key) {
      const file = fileOf(key)
      let text: string
      try {
        text = await readFile(file, 'utf8')
      } catch (thrown) {
        if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return undefined
        throw unreadable(file, errorMessage(thrown))
      }
      return parseAnswer(text, file)
    },
    async write(key, answer) {
      const file = fileOf(key)
      await mkdir(dirname(file), { recursive: true })
      // Several processes may record to the same folder.
      const temporary = `${file}.${randomUUID()}`
      await writeFile(temporary, `${JSON.stringify(answer, null, 1)}\n`)
      await rename(temporary, file)
    },
  }
}

function parseAnswer(text: string, file: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw unreadable(file, errorMessage(thrown))
  }
  if (isJsonObject(value) && value['version'] === 1) return value
  throw unreadable(file, 'it is not a recorded answer of this version')
}

function unreadable(file: string, why: string): Error {
  return troupeError('eval_invalid', `The recording ${file} cannot be read: ${why}.`, {
    fix: 'Delete the file; the model is then asked again.',
  })
}
