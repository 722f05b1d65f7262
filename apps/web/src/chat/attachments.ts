import { scaleImage } from './scale-image.ts'

/** A file that is sent with the next message. */
export interface PendingFile {
  readonly id: string
  readonly name: string
  readonly mediaType: FileType
  /** Content in base64. */
  readonly data: string
  /** Size in bytes. */
  readonly size: number
}

const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
const DOCUMENTS = ['application/pdf', 'audio/wav', 'audio/mpeg'] as const
const TEXTS = ['text/plain', 'text/markdown', 'text/csv', 'text/html', 'application/json'] as const

/** Media types of files that the server accepts. */
export type FileType = (typeof IMAGES)[number] | (typeof DOCUMENTS)[number] | (typeof TEXTS)[number]

/** Maximum number of files that the server accepts with a message. */
export const MAX_FILES = 20
/** Bytes of a request body that are left for the message and its options. */
const RESERVED = 64 * 1024
/** Longest name that the server accepts. */
const MAX_NAME = 255

/** Returns the number of bytes that the files of a message may have, as they are sent in base64. */
export function bytesForFiles(maxBodyBytes: number): number {
  return Math.max(0, Math.floor(((maxBodyBytes - RESERVED) * 3) / 4))
}

/** The result of adding files: those that fit, and one sentence for each other file. */
export interface AddedFiles {
  readonly files: readonly PendingFile[]
  readonly problems: readonly string[]
}

/** Reads files and adds them to those of a message, as far as the server accepts them. */
export async function addFiles(
  present: readonly PendingFile[],
  added: readonly File[],
  { maxBytes, newId }: { readonly maxBytes: number; newId(): string },
): Promise<AddedFiles> {
  const files = [...present]
  const problems: string[] = []
  for (const file of added) {
    const used = files.reduce((sum, { size }) => sum + size, 0)
    const read = await readOne(file, { remaining: maxBytes - used, count: files.length, maxBytes })
    if (typeof read === 'string') problems.push(`${shortName(file.name)}: ${read}`)
    else files.push({ ...read, id: newId() })
  }
  return { files, problems }
}

/** Reads a file. Returns the reason if it cannot be sent. */
async function readOne(
  file: File,
  {
    remaining,
    count,
    maxBytes,
  }: { readonly remaining: number; readonly count: number; readonly maxBytes: number },
): Promise<Omit<PendingFile, 'id'> | string> {
  if (count >= MAX_FILES) return `a message can have ${MAX_FILES} files.`
  if (file.size === 0) return 'the file is empty.'
  const isImage = isIn(IMAGES, file.type)
  if (!isImage && file.size > remaining) return tooLarge(file.size, { remaining, maxBytes })
  const content = isImage && file.size > remaining ? await scaleImage(file, remaining) : file
  if (content === undefined) return tooLarge(file.size, { remaining, maxBytes })
  const bytes = new Uint8Array(await content.arrayBuffer())
  const mediaType = typeOf(content.type, bytes)
  if (mediaType === undefined)
    return 'not an image (PNG, JPEG, WebP, GIF), a PDF, a WAV or MP3 recording, or a text file.'
  return {
    name: file.name.slice(0, MAX_NAME) || 'pasted',
    mediaType,
    data: toBase64(bytes),
    size: bytes.length,
  }
}

function tooLarge(
  size: number,
  { remaining, maxBytes }: { readonly remaining: number; readonly maxBytes: number },
): string {
  const rest = remaining < maxBytes ? `, and ${sizeText(Math.max(0, remaining))} of these are left` : ''
  return `${sizeText(size)} is too large. The server accepts ${sizeText(maxBytes)} of files with a message${rest}.`
}

/** Returns the type to send a file with. Text of any other type is sent as plain text. */
export function typeOf(declared: string, bytes: Uint8Array): FileType | undefined {
  const [type = ''] = declared.toLowerCase().split(';', 1)
  if (isIn(IMAGES, type) || isIn(DOCUMENTS, type)) return type
  if (!isText(bytes)) return undefined
  return isIn(TEXTS, type) ? type : 'text/plain'
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !bytes.includes(0)
  } catch {
    return false
  }
}

function isIn<T extends string>(types: readonly T[], type: string): type is T {
  return types.some((known) => known === type)
}

/** Returns true for images, which are shown as previews. */
export function isImageType(mediaType: string): boolean {
  return isIn(IMAGES, mediaType)
}

/** Number of bytes that are converted at once, because functions have a limited number of arguments. */
const CHUNK = 0x80_00

/** Encodes bytes in base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}

/** Formats a size, such as `12 kB` or `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function shortName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 57)}…` : name || 'The file'
}
