import type { RunEvent } from '@troupe/schema'

/** An entry in the transcript of a run. */
export type StoryItem =
  | { readonly kind: 'text'; readonly turn: number; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: 'reasoning'; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: 'call'; readonly callId: string }
  | { readonly kind: 'note'; readonly tone: 'plain' | 'warn'; readonly text: string }

/** The output and the tool calls of a run, in order. */
export type Story = readonly StoryItem[]

/** The transcripts of all runs, by run id. */
export type Stories = ReadonlyMap<string, Story>

/**
 * Returns the transcripts after one more event. Pure. Text events are not persisted, so an ended run may only
 * have its final answer.
 */
export function reduceStories(stories: Stories, event: RunEvent): Stories {
  const before = stories.get(event.runId) ?? []
  const after = reduceStory(before, event)
  return after === before ? stories : new Map(stories).set(event.runId, after)
}

function reduceStory(story: Story, event: RunEvent): Story {
  switch (event.type) {
    case 'text-start':
      return [...closed(story), { kind: 'text', turn: event.turn, text: '', isOpen: true }]
    case 'text-delta':
      return addText(story, event.text)
    case 'text-end':
      return endText(story, event)
    case 'reasoning-delta':
      return addReasoning(story, event.text)
    case 'tool-call':
      return addCall(closed(story), event.callId ?? '')
    case 'run-end':
      return endStory(closed(story), event)
    default:
      return addNote(story, event)
  }
}

function addText(story: Story, text: string): Story {
  const last = story.at(-1)
  if (last?.kind === 'text' && last.isOpen) return withLast(story, { ...last, text: last.text + text })
  // The page connected in the middle of a block, so its start is missing.
  return [...closed(story), { kind: 'text', turn: 0, text, isOpen: true }]
}

function endText(story: Story, { turn, text }: { readonly turn: number; readonly text: string }): Story {
  const place = story.findLastIndex((item) => item.kind === 'text' && item.isOpen)
  const whole: StoryItem = { kind: 'text', turn, text, isOpen: false }
  return place === -1 ? [...story, whole] : story.with(place, whole)
}

function addReasoning(story: Story, text: string): Story {
  const last = story.at(-1)
  if (last?.kind === 'reasoning' && last.isOpen) return withLast(story, { ...last, text: last.text + text })
  return [...story, { kind: 'reasoning', text, isOpen: true }]
}

function addCall(story: Story, callId: string): Story {
  return story.some((item) => item.kind === 'call' && item.callId === callId)
    ? story
    : [...story, { kind: 'call', callId }]
}

/** Adds the final answer if it is not already the last text. */
function endStory(story: Story, { output }: Extract<RunEvent, { readonly type: 'run-end' }>): Story {
  const { text = '' } = output
  const last = story.findLast((item) => item.kind === 'text')
  if (text === '' || last?.text.trim() === text.trim()) return story
  return [...story, { kind: 'text', turn: 0, text, isOpen: false }]
}

function addNote(story: Story, event: RunEvent): Story {
  const note = noteOf(event)
  return note === undefined ? story : [...closed(story), note]
}

function noteOf(event: RunEvent): StoryItem | undefined {
  switch (event.type) {
    case 'model-retry':
      return warn(`${event.model} failed (${event.code}); it is tried again in ${event.delayMs} ms.`)
    case 'model-fallback':
      return warn(`${event.from} failed (${event.code}); ${event.to} goes on.`)
    case 'context-shortened':
      return plain(`The conversation was shortened: ${event.tokensBefore} → ${event.tokensAfter} tokens.`)
    case 'warning':
      return warn(event.message)
    case 'approval-result':
      return plain(
        `${event.toolName} was ${event.decision}${event.reason === undefined ? '.' : `: ${event.reason}`}`,
      )
    default:
      return undefined
  }
}

function plain(text: string): StoryItem {
  return { kind: 'note', tone: 'plain', text }
}

function warn(text: string): StoryItem {
  return { kind: 'note', tone: 'warn', text }
}

function closed(story: Story): Story {
  const last = story.at(-1)
  if (last === undefined || !('isOpen' in last) || !last.isOpen) return story
  return withLast(story, { ...last, isOpen: false })
}

function withLast(story: Story, item: StoryItem): Story {
  return [...story.slice(0, -1), item]
}
