import type { Message } from '@troupe/schema'

/** Returns the approximate size of a message in memory, in characters. */
export function messageSize({ content }: Message): number {
  let bytes = 0
  const text = JSON.stringify(content, (_key, part: unknown) => {
    if (!ArrayBuffer.isView(part)) return part
    bytes += part.byteLength
    return null
  })
  return text.length + bytes
}
