import type { AssistantMessage } from '@troupe/schema'

/** Removes provider data, and texts that are blank, which providers reject. */
export function portableParts<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    if ('text' in part && typeof part.text === 'string' && part.text.trim() === '') return []
    if (!('providerOptions' in part)) return [part]
    const { providerOptions: _, ...rest } = part
    return [rest as Part]
  })
}

/** Creates the placeholder for a missing answer. */
export function assistantNote(reason?: string): AssistantMessage {
  const text = `[There was no answer${reason === undefined ? '' : `: ${reason}`}.]`
  return { role: 'assistant', content: [{ type: 'text', text }] }
}
