import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { knowsChannel, refuse, textOf, type SlackMethod } from './method-call.ts'

/** An uploaded and shared file. */
export interface FakeFile {
  readonly team: string
  readonly channel: string
  readonly threadTs?: string
  readonly name: string
  readonly content: string
}

/** A file attached to a user's message. */
export interface OfferedFile {
  readonly name: string
  readonly mimetype: string
  readonly content: string | Uint8Array
}

/** Files of the fake Slack. An upload takes three steps: request a URL, send the bytes, share the file. */
interface FakeFiles {
  readonly methods: Readonly<Record<string, SlackMethod>>
  readonly files: readonly FakeFile[]
  /** Receives uploaded bytes. Returns false if no URL was requested for this id. */
  receive(id: string, content: string): boolean
  /** Returns a file as contained in a message, with the private URL of its bytes. */
  offer(file: OfferedFile): JsonObject
  /** Returns the file at a private URL. */
  offered(id: string): OfferedFile | undefined
}

/** Creates the file store. `origin` returns the origin of upload URLs. */
export function createFakeFiles(origin: () => string): FakeFiles {
  const uploads = new Map<string, { readonly name: string; content?: string }>()
  const files: FakeFile[] = []
  const offers = new Map<string, { readonly file: OfferedFile; readonly shown: JsonObject }>()
  return {
    files,
    receive(id, content) {
      const upload = uploads.get(id)
      if (upload !== undefined) upload.content = content
      return upload !== undefined
    },
    offer(file) {
      const id = `F0OFFER${offers.size + 1}`
      const { name, mimetype, content } = file
      const address = `${origin()}/files/${id}`
      const shown = {
        id,
        name,
        mimetype,
        size: content.length,
        url_private: address,
        url_private_download: address,
      }
      offers.set(id, { file, shown })
      return shown
    },
    offered: (id) => offers.get(id)?.file,
    methods: {
      'files.info': ({ args }) => {
        const offer = offers.get(textOf(args, 'file') ?? '')
        return offer === undefined ? refuse('file_not_found') : { file: offer.shown }
      },
      'files.getUploadURLExternal': ({ args }) => {
        const name = textOf(args, 'filename')
        if (name === undefined || !(Number(args['length']) > 0)) return refuse('invalid_arguments')
        const id = `F${uploads.size + 1}`
        uploads.set(id, { name })
        return { upload_url: `${origin()}/upload/${id}`, file_id: id }
      },
      'files.completeUploadExternal': (call) => {
        const { args, workspace } = call
        const channel = textOf(args, 'channel_id')
        if (channel === undefined || !knowsChannel(call, 'channel_id')) return refuse('channel_not_found')
        const threadTs = textOf(args, 'thread_ts')
        for (const id of idsOf(args['files'])) {
          const upload = uploads.get(id)
          if (upload?.content === undefined) return refuse('file_not_found')
          const { name, content } = upload
          files.push({
            team: workspace.team,
            channel,
            ...(threadTs === undefined ? {} : { threadTs }),
            name,
            content,
          })
        }
        return { files: [] }
      },
    },
  }
}

function idsOf(files: Json | undefined): readonly string[] {
  if (!Array.isArray(files)) return []
  return (files as readonly Json[]).flatMap((file) => (isJsonObject(file) ? [textOf(file, 'id') ?? ''] : []))
}
