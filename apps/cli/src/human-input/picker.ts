import { plainText } from '@troupe/timeline'
import cliTruncate from 'cli-truncate'
import { createLiveFrame } from '../reporter/live-frame.ts'
import { editTyped } from '../reporter/prompt.ts'
import type { CommandContext } from '../terminal/context.ts'
import type { Key } from '../terminal/typing.ts'

/** Entry of a list that the user chooses from. */
export interface PickerEntry {
  readonly value: string
  readonly label: string
}

/** State of a list: the typed filter and the selected entry. */
interface PickerState {
  readonly filter: string
  readonly at: number
}

/**
 * Lets the user choose an entry: arrows select, typing filters, Enter chooses. Resolves with `undefined` after
 * Escape or Ctrl-C. `readKeys` passes keys on until the function it returns is called.
 */
export function pick(
  entries: readonly PickerEntry[],
  { title, readKeys }: { readonly title: string; readKeys(fn: (key: Key) => void): () => void },
  { terminal, clock }: Pick<CommandContext, 'terminal' | 'clock'>,
): Promise<string | undefined> {
  const { stderr, style, notes } = terminal
  let state: PickerState = { filter: '', at: 0 }
  const frame = createLiveFrame(stderr, {
    clock,
    notes,
    toLines: ({ height }) => [
      style.dim(`${title} Type to filter, Enter to choose, Escape to leave.`),
      `${style.cyan('>')} ${state.filter}▌`,
      ...pickerLines(entries, state, height - 2).map(({ label, isSelected }) => {
        const line = cliTruncate(
          `${isSelected ? '›' : ' '} ${label}`,
          Math.max(1, (stderr.columns ?? 80) - 1),
        )
        return isSelected ? style.bold(line) : line
      }),
    ],
  })
  return new Promise((resolve) => {
    const release = readKeys((key) => {
      const { name, ctrl } = key
      const found = filterEntries(entries, state.filter)
      if (name === 'return' || name === 'enter') return settle(found[state.at]?.value)
      if (name === 'escape' || (ctrl && (name === 'c' || name === 'd'))) return settle(undefined)
      state = nextState(state, key, found.length)
      frame.draw()
    })
    const settle = (value: string | undefined): void => {
      release()
      frame.stop()
      resolve(value)
    }
    frame.start()
  })
}

function nextState({ filter, at }: PickerState, key: Key, count: number): PickerState {
  if (key.name === 'up') return { filter, at: Math.max(0, at - 1) }
  if (key.name === 'down') return { filter, at: Math.max(0, Math.min(count - 1, at + 1)) }
  return { filter: editTyped(filter, key), at: 0 }
}

function filterEntries(entries: readonly PickerEntry[], filter: string): readonly PickerEntry[] {
  const wanted = filter.toLowerCase()
  return entries.filter(({ label }) => label.toLowerCase().includes(wanted))
}

/** Returns the entries that match the filter, at most `height`, around the selected one. */
export function pickerLines(
  entries: readonly PickerEntry[],
  { filter, at }: PickerState,
  height: number,
): readonly { readonly label: string; readonly isSelected: boolean }[] {
  const found = filterEntries(entries, filter)
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), found.length - height))
  return found
    .map(({ label }, index) => ({ label: plainText(label), isSelected: index === at }))
    .slice(first, first + Math.max(1, height))
}
