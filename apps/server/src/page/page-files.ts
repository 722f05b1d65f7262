import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Encoding } from '../gate/compress.ts'

/** A file of the page in one encoding. */
export interface EncodedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** A file of the page in all available encodings. */
export interface PageFile extends EncodedFile {
  readonly type: string
  /** True if the name changes with the content, so that clients may cache the file forever. */
  readonly isHashed: boolean
  /** Compressed versions from the build of the page, the smallest first. */
  readonly encoded: ReadonlyMap<Encoding, EncodedFile>
}

/** Encodings by the extension that the build of the page adds. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['.br', 'br'],
  ['.gz', 'gzip'],
])

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.md': 'text/plain; charset=utf-8',
}

/**
 * Reads the files of a folder, by URL path such as `/assets/index-1a2b.js`. Requests are answered from this
 * map, never from disk.
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(
    files.map(async (file) => {
      const path = `/${relative(folder, file).split(sep).join('/')}`
      return [path, toEncodedFile(await readFile(file))] as const
    }),
  )
  const all = new Map(read)
  return new Map(
    read.flatMap(([path, file]) =>
      ENCODINGS.has(extname(path)) ? [] : [[path, toPageFile(path, file, all)]],
    ),
  )
}

function toEncodedFile(content: Uint8Array): EncodedFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return { bytes: new Uint8Array(content), etag: `"${digest}"` }
}

function toPageFile(path: string, file: EncodedFile, all: ReadonlyMap<string, EncodedFile>): PageFile {
  const encoded = [...ENCODINGS].flatMap(([ending, encoding]) => {
    const one = all.get(path + ending)
    return one === undefined ? [] : [[encoding, one] as const]
  })
  return {
    ...file,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    isHashed: path.startsWith('/assets/'),
    encoded: new Map(encoded),
  }
}

/** Possible folders of the built page: beside the built server, or in a clone. */
const CANDIDATES: readonly URL[] = [
  new URL('./public/', import.meta.url),
  new URL('../../../web/dist/', import.meta.url),
]

/** Returns the folder of the built page, or `undefined` if it is not built. */
export function pageFolder(): string | undefined {
  const folder = CANDIDATES.find((one) => existsSync(new URL('index.html', one)))
  return folder === undefined ? undefined : fileURLToPath(folder)
}
