import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { errorMessage, troupeError, type Attachment } from '@troupe/schema'

/** Media types that models accept directly, by file extension. Other files are sent as text. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.pdf', 'application/pdf'],
])
/** Maximum size in bytes. Providers reject larger requests. */
const MAX_BYTES = 20 * 1024 * 1024

/**
 * Reads the files of `--image` and `--file` in order, relative to `cwd`. Throws `usage_invalid` if one cannot
 * be read or sent.
 */
export function readAttachments(
  options: { readonly image?: readonly string[]; readonly file?: readonly string[] },
  cwd: string,
): Promise<readonly Attachment[]> {
  const { image = [], file = [] } = options
  return Promise.all([
    ...image.map((path) => readOne(path, { option: '--image', cwd })),
    ...file.map((path) => readOne(path, { option: '--file', cwd })),
  ])
}

async function readOne(
  path: string,
  { option, cwd }: { readonly option: '--image' | '--file'; readonly cwd: string },
): Promise<Attachment> {
  const mediaType = MEDIA_TYPES.get(extname(path).toLowerCase()) ?? 'text/plain'
  if (option === '--image' && !mediaType.startsWith('image/'))
    throw troupeError('usage_invalid', `--image ${path}: not a png, jpg, gif or webp file.`, {
      fix: 'Send other files with --file.',
    })
  const bytes = await readBytes(resolve(cwd, path), `${option} ${path}`)
  if (bytes.length > MAX_BYTES)
    throw troupeError('usage_invalid', `${option} ${path}: the file is larger than 20 MiB.`, {
      fix: 'Send a smaller file, or give the agent a tool that reads it.',
    })
  if (mediaType === 'text/plain' && !isText(bytes))
    throw troupeError('usage_invalid', `${option} ${path}: the file is neither text, an image nor a PDF.`, {
      fix: 'Convert it, or give the agent a tool that reads it.',
    })
  return { mediaType, data: bytes.toString('base64'), filename: basename(path) }
}

async function readBytes(path: string, what: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw troupeError('usage_invalid', `${what}: the file cannot be read: ${errorMessage(cause)}`, {
      fix: 'Check the path, which is relative to the working folder.',
      cause,
    })
  }
}

function isText(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !bytes.includes(0)
  } catch {
    // Not UTF-8: the caller reports the accepted types.
    return false
  }
}
