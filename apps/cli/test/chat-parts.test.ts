import { describe, expect, it } from 'vitest'
import { createHistorySearch } from '../src/chat/history-search.ts'
import { pickerLines } from '../src/human-input/picker.ts'
import { imagePaths } from '../src/chat/attach.ts'
import { findPage } from '../src/terminal/find-page.ts'
import { toKey } from '../src/terminal/typing.ts'
import { project } from './team.ts'

const CTRL_R = { text: '', name: 'r', ctrl: true }

/** Returns what the search shows after each key; `undefined` is the usual prompt. */
function search(...keys: readonly Parameters<ReturnType<typeof createHistorySearch>['onKey']>[0][]) {
  const shown: (readonly [string | undefined, string])[] = []
  const history = ['Two\nlines', 'one two', 'other']
  const found = createHistorySearch({
    history: () => history,
    show: (prompt, line) => void shown.push([prompt, line]),
  })
  for (const key of keys) found.onKey(key, 'draft')
  return { shown, isOpen: found.isOpen }
}

describe('the search in the history', () => {
  it('Ctrl-R and letters find the latest message in any case, Ctrl-R again an older one, and Enter takes it', () => {
    const letters = Array.from('two', (text) => ({ text, name: text, ctrl: false }))
    const { shown, isOpen } = search(CTRL_R, ...letters, CTRL_R, { text: '', name: 'return', ctrl: false })
    expect(shown[0]).toEqual(['search : ', ''])
    expect(shown.slice(3)).toEqual([
      ['search two: ', 'Two\nlines'],
      ['search two: ', 'one two'],
      [undefined, 'one two'],
    ])
    expect(isOpen).toBe(false)
  })

  it('Escape returns to the line before the search', () => {
    const { shown } = search(
      CTRL_R,
      { text: 'o', name: 'o', ctrl: false },
      { text: '', name: 'escape', ctrl: false },
    )
    expect(shown.at(-1)).toEqual([undefined, 'draft'])
  })
})

describe('the list of conversations', () => {
  it('the list shows the entries that match the filter around the selected one, without control characters', () => {
    const entries = Array.from({ length: 30 }, (_, index) => ({
      value: `${index}`,
      label: `talk ${index}\u001B[2J`,
    }))
    const lines = pickerLines(entries, { filter: 'TALK 2', at: 5 }, 4)
    expect(lines.map(({ label }) => label)).toEqual(['talk 22', 'talk 23', 'talk 24', 'talk 25'])
    expect(lines.find(({ isSelected }) => isSelected)?.label).toBe('talk 24')
  })
})

describe('attachments of a chat', () => {
  it('a message that consists of existing pictures names attachments, other messages do not', async () => {
    const { path: cwd } = await project({ 'a b.png': 'x', 'c.jpg': 'x', 'd.txt': 'x' })
    const pathsOf = (message: string): readonly string[] => imagePaths(message, { cwd })
    expect(pathsOf(String.raw`'a b.png' c.jpg`)).toEqual(['a b.png', 'c.jpg'])
    expect(pathsOf(String.raw`a\ b.png`)).toEqual(['a b.png'])
    for (const message of ['d.txt', 'missing.png', 'see c.jpg', '']) expect(pathsOf(message)).toEqual([])
  })
})

describe('keys', () => {
  it('a key has text only if it is a character without Ctrl', () => {
    expect(toKey('a', { name: 'a' })).toEqual({ text: 'a', name: 'a', ctrl: false })
    expect(toKey('\u0003', { name: 'c', ctrl: true })).toEqual({ text: '', name: 'c', ctrl: true })
    expect(toKey(undefined, { name: 'up' })).toEqual({ text: '', name: 'up', ctrl: false })
  })
})

describe('findPage', () => {
  it('findPage finds no page if nothing listens on the port', async () => {
    expect(await findPage('run_1', { port: 1 })).toBeUndefined()
  })
})
