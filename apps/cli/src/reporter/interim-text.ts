import type { RunEvent } from '@troupe/schema'

/**
 * What the root says before it calls tools, given back with the call (A57). The text that ends a run is its answer and no part of this; children work
 * silently (A51).
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
