import type { Attachment } from '@troupe/schema'

/**
 * Parses a base64 `data:` URL. Returns `undefined` for any other URL, because the server fetches no files for
 * clients.
 */
export function fromDataUrl(url: string, filename?: string): Attachment | undefined {
  const [, mediaType, data] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z\d+/]*={0,2})$/u.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return undefined
  return { mediaType, data, ...(filename === undefined ? {} : { filename }) }
}
