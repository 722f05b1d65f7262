import { isJsonObject, type Json } from '@troupe/schema'

/** A file in a message. */
export interface SharedFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** Download URL, which needs the bot token; `undefined` if it must be looked up. */
  readonly url?: string
}

const MAX_FILES = 10

/** Reads the files of an event. Invalid entries are skipped. */
export function sharedFiles(files: Json | undefined): readonly SharedFile[] {
  if (!Array.isArray(files)) return []
  return (files as readonly Json[]).flatMap(toFile).slice(0, MAX_FILES)
}

/** Reads a file as a list of one; empty if it is invalid. */
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
