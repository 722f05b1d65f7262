import { createHash, randomUUID } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'

/** The text of a card as it lies on the disk. */
export interface CardFile {
  /** Without links: what is written takes the place of the file itself. */
  readonly path: string
  readonly text: string
  /** Of the text. */
  readonly version: string
}

/** Reads a card that is a local file. */
export async function readCardFile(file: string): Promise<CardFile> {
  const path = await realpath(file)
  const text = await readFile(path, 'utf8')
  return { path, text, version: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
}

/** Puts a text in place of a card at once: nobody ever reads half of it. The rights of the file stay. */
export async function writeCardFile({ path }: CardFile, text: string): Promise<void> {
  const { mode } = await stat(path)
  const beside = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(beside, text, { mode, flag: 'wx' })
    await rename(beside, path)
  } finally {
    await rm(beside, { force: true })
  }
}
