import { toFailure, type WriteTarget } from '@troupe/schema'
import type { Filesystem } from './filesystem.ts'
import { isMissing } from './fs-errors.ts'
import { decodeText, readBytes } from './read-bytes.ts'

/** Maximum size of a file whose content is shown with an approval, in bytes. */
const MAX_SHOWN_BYTES = 256 * 1024

/** Reads the file that a call would write, under the rules of `filesystem.read`. Never rejects. */
export async function readWriteTarget(files: Filesystem, path: string): Promise<WriteTarget> {
  try {
    const { bytes, changedAt } = await readBytes(files, path, MAX_SHOWN_BYTES)
    const text = decodeText(bytes)
    return text === undefined
      ? { state: 'hidden', reason: 'The file is not UTF-8 text.' }
      : { state: 'text', text, changedAt }
  } catch (thrown) {
    if (isMissing(thrown)) return { state: 'missing' }
    return { state: 'hidden', reason: toFailure(thrown).message }
  }
}
