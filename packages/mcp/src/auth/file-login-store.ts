import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, isJsonObject, troupeError } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { LoginKey, LoginStore, SavedLogin } from './saved-login.ts'

const OWNER_ONLY = 0o600
const OWNER_FOLDER = 0o700

/**
 * Creates a login store in a folder that only its owner can read (files 0600, folder 0700), created on the
 * first write. Files are replaced atomically, so that other processes see either the old login or the new
 * one.
 */
export function createFileLoginStore(options: { readonly folder: string }): LoginStore {
  const { folder } = options
  const fileOf = (key: LoginKey): string => join(folder, fileName(key))
  return {
    async read(key) {
      const text = await readIfThere(fileOf(key))
      return text === undefined ? undefined : parseLogin(text, fileOf(key))
    },
    async write(key, login) {
      await mkdir(folder, { recursive: true, mode: OWNER_FOLDER })
      await chmod(folder, OWNER_FOLDER)
      const file = fileOf(key)
      const temporary = `${file}.${randomUUID()}.tmp`
      try {
        await writeFile(temporary, `${JSON.stringify({ url: key.url, ...login }, null, 2)}\n`, {
          mode: OWNER_ONLY,
          flag: 'wx',
        })
        await rename(temporary, file)
      } finally {
        await rm(temporary, { force: true })
      }
    },
    async remove(key) {
      const wasThere = (await readIfThere(fileOf(key))) !== undefined
      await rm(fileOf(key), { force: true })
      return wasThere
    },
  }
}

/** Returns a file name that shows the host and is unique for the key. */
function fileName(key: LoginKey): string {
  const host = new URL(key.url).hostname.replaceAll(/[^a-z0-9.-]/giu, '_').slice(0, 80)
  const digest = createHash('sha256')
    .update(canonicalJson([key.url, key.principal]))
    .digest('hex')
  return `${host}-${digest.slice(0, 16)}.json`
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw unreadable(file, errorMessage(thrown), thrown)
  }
}

function parseLogin(text: string, file: string): SavedLogin {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw unreadable(file, 'it is not valid JSON', thrown)
  }
  if (!isJsonObject(value)) throw unreadable(file, 'it does not contain a login', value)
  const { url: _url, ...login } = value
  return login
}

function unreadable(file: string, reason: string, cause: unknown): Error {
  return troupeError('mcp_auth_failed', `The login in ${file} cannot be read: ${reason}.`, {
    fix: 'Remove the file and log in again.',
    cause,
  })
}
