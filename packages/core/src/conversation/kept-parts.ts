import type { Message } from '@troupe/schema'

/** Parts without the data of a provider; texts without a word are left out, as providers refuse them. */
export function keptParts<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    if ('text' in part && typeof part.text === 'string' && part.text.trim() === '') return []
    if (!('providerOptions' in part)) return [part]
    const { providerOptions: _, ...rest } = part
    return [rest as Part]
  })
}

/** Stands where the model gave no answer. */
export function assistantNote(reason?: string): Extract<Message, { role: 'assistant' }> {
  const text = `[There was no answer${reason === undefined ? '' : `: ${reason}`}.]`
  return { role: 'assistant', content: [{ type: 'text', text }] }
}
