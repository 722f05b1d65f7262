import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { errorMessage, isJsonObject, troupeError } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'

/** Identifies the login of one principal to one server. */
export interface LoginKey {
  readonly url: string
  readonly principal: string
}

/** A stored login. Contains secrets: store it where only its owner can read it, and never print it. */
export interface SavedLogin {
  /** Tokens with the issuer that issued them. They must be sent to no other issuer. */
  readonly tokens?: StoredOAuthTokens
  /** Client registration at that issuer. */
  readonly client?: StoredOAuthClientInformation
  /** Callback address that the client registration is bound to. */
  readonly redirectUrl?: string
  /** Scope that the server has required since the login. The next login requests it. */
  readonly wantedScope?: string
}

/** Store of logins. A read returns the last write, even if another process made it. */
export interface LoginStore {
  /** Returns `undefined` if there is no login. Rejects with `mcp_auth_failed` if it cannot be read. */
  read(key: LoginKey): Promise<SavedLogin | undefined>
  write(key: LoginKey, login: SavedLogin): Promise<void>
  /** Resolves to true if there was a login. */
  remove(key: LoginKey): Promise<boolean>
}

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
