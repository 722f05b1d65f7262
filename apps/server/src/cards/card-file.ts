import { createHash, randomUUID } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'

/** The text of a card file. */
export interface EditableCard {
  /** Path without symbolic links, so that a write replaces the file itself. */
  readonly path: string
  readonly text: string
  /** Hash of the text. */
  readonly version: string
}

/** Reads a card from a local file. */
export async function readCardFile(file: string): Promise<EditableCard> {
  const path = await realpath(file)
  const text = await readFile(path, 'utf8')
  return { path, text, version: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
}

/** Replaces the text of a card atomically. The file keeps its permissions. */
export async function writeCardFile({ path }: EditableCard, text: string): Promise<void> {
  const { mode } = await stat(path)
  const temporaryPath = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporaryPath, text, { mode, flag: 'wx' })
    await rename(temporaryPath, path)
  } finally {
    await rm(temporaryPath, { force: true })
  }
}
