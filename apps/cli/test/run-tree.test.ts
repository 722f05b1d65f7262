import { failure } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import {
  firstTreeView,
  nextTreeView,
  treeLines,
  treeNodes,
  type RunTreeNode,
  type TreeView,
} from '../src/reporter/run-tree.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import type { Key } from '../src/terminal/typing.ts'
import { callChild, child, fold, ROOT } from './events.ts'

const SIZE = { columns: 80, rows: 10, style: createStyle(false) }

/** Returns the nodes of a root run with children that call one tool each; the second one fails. */
function nodesOf(count: number): readonly RunTreeNode[] {
  const indices = Array.from({ length: count }, (_, index) => index + 1)
  return treeNodes(
    fold([
      sampleEvent('run-start', { ...ROOT, input: 'go' }),
      ...indices.flatMap((index) => [
        callChild(index),
        sampleEvent('run-start', { ...child(index), callId: `1.${index}`, input: `page ${index}` }),
        sampleEvent('tool-call', { ...child(index), callId: '1.1', toolName: 'look', args: { at: index } }),
        sampleEvent('tool-result', {
          ...child(index),
          callId: '1.1',
          ...(index === 2 ? { outcome: 'failed', error: failure('tool_failed', 'The box is empty.') } : {}),
        }),
        sampleEvent('run-end', { ...child(index), durationMs: 1000 }),
      ]),
      sampleEvent('run-end', { ...ROOT, durationMs: 4000 }),
    ]),
  )
}

function key(name: string): Key {
  return name.length === 1 ? { text: name, name: '', ctrl: false } : { text: '', name, ctrl: false }
}

/** Returns the view after several keys; `undefined` if they leave the tree. */
function press(nodes: readonly RunTreeNode[], ...names: readonly string[]): TreeView | undefined {
  return names.reduce<TreeView | undefined>(
    (view, name) =>
      view === undefined ? undefined : nextTreeView(nodes, view, { key: key(name), rows: 10 }),
    firstTreeView(),
  )
}

function show(nodes: readonly RunTreeNode[], ...names: readonly string[]): readonly string[] {
  const view = press(nodes, ...names)
  return view === undefined ? [] : treeLines(nodes, view, SIZE)
}

describe('the tree of a run', () => {
  it('the tree shows the root run with its children, and opens and closes a child', () => {
    const nodes = nodesOf(3)
    const rows = (...names: readonly string[]): number =>
      show(nodes, ...names).filter((line) => /✓|✗/u.test(line)).length
    expect(show(nodes)[0]).toBe('›▾ ✓ 4.0 s  Time go')
    expect(show(nodes)[1]).toBe('   ▸ ✓ 1.0 s  City[1] page 1')
    expect([rows(), rows('down', 'right'), rows('down', 'right', 'left')]).toEqual([4, 5, 4])
    expect(rows('left')).toBe(1)
  })

  it('e selects the next error and opens the rows above it, and Enter shows its arguments and its message', () => {
    const nodes = nodesOf(3)
    expect(show(nodes, 'e').find((line) => line.startsWith('›'))).toMatch(/✗ .*look \{"at":2\}$/u)
    const details = show(nodes, 'e', 'return')
    expect(details).toContain('  "at": 2')
    expect(details.join('\n')).toContain('The box is empty.')
    expect(show(nodes, 'e', 'return', 'return')[0]).toContain('Time go')
  })

  it('a search finds inputs, arguments and results in closed rows, n finds the next, and q quits', () => {
    const nodes = nodesOf(30)
    const selected = (...names: readonly string[]): string | undefined =>
      show(nodes, ...names).find((line) => line.startsWith('›'))
    expect(selected('/', ...Array.from('page 2'), 'return')).toContain('City[2]')
    expect(selected('/', ...Array.from('page 2'), 'return', 'n')).toContain('City[20]')
    expect(selected('/', ...Array.from('is empty'), 'return')).toContain('look')
    expect(press(nodes, 'q')).toBeUndefined()
    expect(press(nodes, '/', 'q')).toBeDefined()
  })

  it('the tree of five thousand events draws only the rows of the screen, whatever is selected', () => {
    const nodes = nodesOf(1000)
    for (const names of [[], ['end'], ['pagedown', 'pagedown'], ['end', 'right', 'down']]) {
      const lines = show(nodes, ...names)
      expect(lines).toHaveLength(10)
      expect(lines.filter((line) => line.startsWith('›'))).toHaveLength(1)
      for (const line of lines) expect(stringWidth(line)).toBeLessThan(80)
    }
  })
})
