import type { RunEvent } from '@troupe/schema'

/**
 * Creates a function that returns the text of the root run before its tool calls, at the first call of a
 * turn. It returns neither the final answer nor the text of child runs.
 */
export function createInterimText(): (event: RunEvent) => string | undefined {
  let text = ''
  return (event) => {
    if (event.depth > 0) return undefined
    if (event.type === 'turn-start') text = ''
    if (event.type === 'text-end') text += event.text
    if (event.type !== 'tool-call' || text.trim() === '') return undefined
    const said = text
    text = ''
    return said
  }
}
