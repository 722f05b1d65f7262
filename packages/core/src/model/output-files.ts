import type { ContentPart, Message, OutputFile } from '@troupe/schema'
import { toBase64 } from '../run/json.ts'

/** Maximum number of files of an answer. */
const MAX_FILES = 16
/** Maximum base64 characters of all files of an answer. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Returns the data and the resources in the content of a tool result. */
export function filesOfContent(content: readonly ContentPart[]): readonly OutputFile[] {
  return content.flatMap((part): readonly OutputFile[] => {
    const address = part.uri === undefined ? {} : { uri: part.uri }
    if (part.type === 'data') return [{ mediaType: part.mediaType, data: part.base64, ...address }]
    if (part.uri === undefined) return []
    const { mediaType = 'text/plain', text } = part
    return [{ mediaType, data: toBase64(new TextEncoder().encode(text)), ...address }]
  })
}

/** Returns the files that a model generated in an answer. */
export function filesOfAnswer(answer: Message): readonly OutputFile[] {
  if (answer.role !== 'assistant') return []
  return answer.content.flatMap((part): readonly OutputFile[] => {
    if (part.type !== 'file') return []
    const { mediaType, data, filename } = part
    const named = { mediaType, ...(filename === undefined ? {} : { filename }) }
    if (data.type === 'url') return [{ ...named, uri: String(data.url) }]
    if (data.type !== 'data') return []
    return [{ ...named, data: typeof data.data === 'string' ? data.data : toBase64(data.data) }]
  })
}

/** The files of an answer that are returned, and the number of those that exceed the limits. */
interface LimitedFiles {
  readonly files: readonly OutputFile[]
  readonly omitted: number
}

/** Removes repeated files, and those beyond the limits. */
export function limitFiles(all: readonly OutputFile[]): LimitedFiles {
  const unique = [...new Map(all.map((file) => [JSON.stringify(file), file])).values()]
  let free = MAX_CHARACTERS
  const files = unique.slice(0, MAX_FILES).filter(({ data = '' }) => {
    const fits = data.length <= free
    if (fits) free -= data.length
    return fits
  })
  return { files, omitted: unique.length - files.length }
}
