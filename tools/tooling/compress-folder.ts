import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const TEXTS = new Set(['.html', '.js', '.css', '.svg', '.md'])
/** Smaller files fit into one packet as they are. */
const SMALLEST = 1024
/** Larger files have no version with gzip, which few browsers would get: it would add too much to the packages. */
const LARGEST_GZIP = 1_000_000

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

/** Writes each text in a folder once more with brotli (`.br`) and, unless it is large, gzip (`.gz`), for a server to choose from. */
export async function compressFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter((entry) => entry.isFile() && TEXTS.has(extname(entry.name)))
  await Promise.all(texts.map((entry) => compressFile(join(entry.parentPath, entry.name))))
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file)
  if (content.byteLength < SMALLEST) return
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength }
  await writeFile(`${file}.br`, await toBrotli(content, { params: size }))
  if (content.byteLength > LARGEST_GZIP) return
  await writeFile(`${file}.gz`, await toGzip(content, { level: constants.Z_BEST_COMPRESSION }))
}
