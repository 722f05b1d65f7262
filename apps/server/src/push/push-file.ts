import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { storedWebPush, type WebPushStorage } from '@troupe/headends'
import { errorMessage, troupeError } from '@troupe/schema'

/**
 * Keeps the keys and subscriptions of notifications in a file that only this user can read. A damaged file is an
 * error, because new keys would end all subscriptions.
 */
export function createPushFile(path: string): WebPushStorage {
  return {
    async load() {
      let text: string
      try {
        text = await readFile(path, 'utf8')
      } catch (thrown) {
        if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return undefined
        throw unusable(path, errorMessage(thrown))
      }
      const read = storedWebPush.safeParse(parseJson(text))
      // The error of the schema may quote secrets.
      if (!read.success) throw unusable(path, 'it is damaged')
      return read.data
    },
    async save(stored) {
      const next = `${path}.${randomUUID()}`
      try {
        await mkdir(dirname(path), { recursive: true })
        await writeFile(next, JSON.stringify(stored), { mode: 0o600, flag: 'wx' })
        await rename(next, path)
      } catch (thrown) {
        await rm(next, { force: true })
        throw unusable(path, errorMessage(thrown))
      }
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Reported as damaged by the caller.
    return undefined
  }
}

function unusable(path: string, why: string): Error {
  return troupeError('store_unavailable', `${path}: the notifications cannot be stored: ${why}.`, {
    fix: 'Remove the file to start without subscriptions.',
  })
}
