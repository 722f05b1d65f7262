import { isJsonObject, type Json } from '@troupe/schema'

/** A file of a message. */
export interface SharedFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
  /** Where its bytes are, for who has the token; none: Slack must be asked. */
  readonly url?: string
}

const MOST_FILES = 10

/** The files of an event, as far as they can be read as such. */
export function sharedFiles(files: Json | undefined): readonly SharedFile[] {
  if (!Array.isArray(files)) return []
  return (files as readonly Json[]).flatMap(toFile).slice(0, MOST_FILES)
}

/** None, or the one. */
export function toFile(file: Json | undefined): readonly SharedFile[] {
  if (!isJsonObject(file) || typeof file['id'] !== 'string') return []
  const { id, name, mimetype, size, url_private_download: download, url_private: address = download } = file
  const url = typeof download === 'string' ? download : address
  return [
    {
      id,
      name: typeof name === 'string' && name !== '' ? name : id,
      mediaType: typeof mimetype === 'string' ? mimetype : '',
      size: typeof size === 'number' ? size : 0,
      ...(typeof url === 'string' && url !== '' ? { url } : {}),
    },
  ]
}
