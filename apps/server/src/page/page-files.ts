import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** One file of the page, as it is sent. */
export interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly etag: string
  /** Its name changes with its content, so that it never has to be asked for again. */
  readonly isHashed: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.md': 'text/plain; charset=utf-8',
}

/** The files of a folder by their paths below it, `/assets/index-1a2b.js`. What is asked for is looked up here, never on the disk. */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, PageFile]> => {
        const path = `/${relative(folder, file).split(sep).join('/')}`
        return [path, toPageFile(path, await readFile(file))]
      }),
    ),
  )
}

function toPageFile(path: string, content: Uint8Array): PageFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return {
    bytes: new Uint8Array(content),
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${digest}"`,
    isHashed: path.startsWith('/assets/'),
  }
}
