import type { ContentPart } from '@troupe/schema'

/** The ways to show a part of a result. */
export type ContentViewer = 'picture' | 'table' | 'page' | 'markdown' | 'text' | 'file'

/** Pictures that a browser shows. An SVG in an `img` element runs no scripts and loads nothing. */
const SHOWN_IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/u
const TEXT = /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|javascript))$/u

const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['md', 'text/markdown'],
])

/** Returns the media type of a part without parameters, in lower case. The type of plain text is taken from its address, if it has one. */
export function mediaTypeOf({ mediaType, uri, type }: ContentPart): string {
  const named = mediaType?.split(';')[0]?.trim().toLowerCase()
  if (type === 'data' || (named !== undefined && named !== 'text/plain')) return named ?? ''
  return TYPES_BY_EXTENSION.get(extensionOf(uri)) ?? named ?? 'text/plain'
}

/** Returns the file name at the end of the address of a part; `undefined` if it has none. */
export function fileNameOf({ uri }: Pick<ContentPart, 'uri'>): string | undefined {
  const name = uri?.split(/[?#]/u)[0]?.split('/').at(-1)
  return name === undefined || name === '' ? undefined : name.slice(0, 100)
}

function extensionOf(uri: string | undefined): string {
  const name = uri === undefined ? undefined : fileNameOf({ uri })
  return name?.split('.').at(-1)?.toLowerCase() ?? ''
}

/** Returns the way to show a part of a result. */
export function viewerOf(part: ContentPart): ContentViewer {
  const mediaType = mediaTypeOf(part)
  if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') return 'table'
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'page'
  if (mediaType === 'text/markdown') return 'markdown'
  if (part.type === 'text' || TEXT.test(mediaType)) return 'text'
  return SHOWN_IMAGE.test(mediaType) ? 'picture' : 'file'
}

/** Longest data that is decoded in the page, in characters of base64: 30 MB. */
const MAX_BASE64 = 40_000_000

/** Decodes base64. Returns `undefined` if it is not valid, or too long. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  if (base64.length > MAX_BASE64) return undefined
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Returns the text of a part, decoded from UTF-8 if it is data. */
export function contentText(part: ContentPart): string {
  if (part.type === 'text') return part.text
  const bytes = decodeBase64(part.base64)
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}
