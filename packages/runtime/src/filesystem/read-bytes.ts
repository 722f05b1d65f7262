import type { Filesystem } from './filesystem.ts'
import { toFsError, deniedError, unusableError } from './fs-errors.ts'
import type { FileLocation } from './root-folder.ts'

/** Maximum size of a file that is read or written, in bytes. */
export const MAX_FILE_BYTES: number = 16 * 1024 * 1024

/** A file with its full content. */
export interface FileBytes {
  readonly location: FileLocation
  readonly bytes: Buffer
  /** Permission bits. */
  readonly mode: number
  /** Time of the last change, in ms since 1970. */
  readonly changedAt: number
}

/** Reads a regular file of at most `maxBytes`. Throws `filesystem_denied` or `filesystem_failed`. */
export async function readBytes(
  files: Filesystem,
  path: string,
  maxBytes: number = MAX_FILE_BYTES,
): Promise<FileBytes> {
  const location = await files.root.locate(path)
  const why = (await files.guard()).whyNotRead(location.real)
  if (why !== undefined) throw deniedError(location.shown, why)
  const handle = await files.root.openFile(location)
  try {
    const stats = await handle.stat()
    if (stats.isDirectory())
      throw unusableError(location.shown, 'is a folder', 'List it with filesystem_list.')
    if (!stats.isFile()) throw unusableError(location.shown, 'is not a regular file')
    if (stats.size > maxBytes)
      throw unusableError(
        location.shown,
        `has ${stats.size} bytes; the limit is ${maxBytes} bytes`,
        'Use a smaller extract of the file.',
      )
    const bytes = Buffer.allocUnsafe(stats.size)
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0)
    return {
      location,
      bytes: bytes.subarray(0, bytesRead),
      mode: stats.mode & 0o777,
      changedAt: stats.mtimeMs,
    }
  } catch (thrown) {
    throw toFsError(thrown, location.shown)
  } finally {
    await handle.close()
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8 without its byte order mark. Returns `undefined` if the bytes are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    // Not UTF-8, so callers treat it as binary.
    return undefined
  }
}
