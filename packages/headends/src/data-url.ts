import type { Attachment } from '@troupe/schema'

/** A file in a `data:` address; undefined: it is another address, which nobody fetches for a client. */
export function fromDataUrl(url: string, filename?: string): Attachment | undefined {
  const [, mediaType, data] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z\d+/]*={0,2})$/u.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return undefined
  return { mediaType, data, ...(filename === undefined ? {} : { filename }) }
}
