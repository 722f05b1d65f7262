import {
  contentText,
  failureText,
  formatCost,
  formatDuration,
  historyOf,
  plainText,
  type CallView,
  type HistoryRun,
  type Timeline,
  type TimelineRun,
} from '@troupe/timeline'
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'
import type { Key } from '../terminal/typing.ts'
import type { Style } from '../terminal/terminal.ts'
import { wrapLine } from '../terminal/wrap.ts'
import { joinParts } from './join-parts.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'
import { pad } from './table.ts'

/** Run or tool call of a tree, in the order of the rows. */
export type RunTreeNode = {
  readonly depth: number
  /** Index of the parent; -1 for the root. */
  readonly parent: number
  readonly hasChildren: boolean
} & ({ readonly run: TimelineRun } | { readonly call: CallView; readonly label: string })

/** Position and open rows of a tree. */
export interface TreeView {
  /** Indexes of the nodes whose children are shown. */
  readonly open: ReadonlySet<number>
  /** Index of the selected node. */
  readonly at: number
  /** First line of the details that are shown instead of the tree. */
  readonly detail?: number | undefined
  readonly search: string
  /** True while the search is typed. */
  readonly isTyping: boolean
}

interface TreeSize {
  readonly columns: number
  readonly rows: number
  readonly style: Style
}

/** Returns the runs and calls of a timeline. Calls of agents are left out, their runs are shown instead. */
export function treeNodes(timeline: Timeline): readonly RunTreeNode[] {
  const nodes: RunTreeNode[] = []
  const add = ({ run, calls }: HistoryRun, parent: number, depth: number): void => {
    const index = nodes.length
    nodes.push({ run, depth, parent, hasChildren: calls.length > 0 })
    for (const { call, label, runs } of calls) {
      if (runs.length === 0) nodes.push({ call, label, depth: depth + 1, parent: index, hasChildren: false })
      for (const child of runs) add(child, index, depth + 1)
    }
  }
  for (const root of historyOf(timeline)) add(root, -1, 0)
  return nodes
}

/** Returns the first view of a tree: the root run is open. */
export function firstTreeView(): TreeView {
  return { open: new Set([0]), at: 0, search: '', isTyping: false }
}

/** Returns the view after a key; `undefined` to leave. `rows` is the height of the screen. */
export function nextTreeView(
  nodes: readonly RunTreeNode[],
  view: TreeView,
  { key, rows }: { readonly key: Key; readonly rows: number },
): TreeView | undefined {
  if (view.isTyping) return nextSearch(nodes, view, key)
  const name = key.text === '' ? key.name : key.text
  if (view.detail !== undefined) return nextDetail(view, { name, rows })
  const node = nodes[view.at]
  switch (name) {
    case 'q':
    case 'escape':
      return undefined
    case 'right':
      if (node?.hasChildren !== true) return view
      return view.open.has(view.at) ? move(nodes, view, 1) : withOpen(view, view.at)
    case 'left':
      if (view.open.has(view.at))
        return { ...view, open: new Set([...view.open].filter((at) => at !== view.at)) }
      return { ...view, at: Math.max(0, node?.parent ?? 0) }
    case 'return':
    case 'enter':
      return { ...view, detail: 0 }
    case '/':
      return { ...view, search: '', isTyping: true }
    case 'n':
      return view.search === '' ? view : jump(nodes, view, (each) => matches(each, view.search))
    case 'e':
      return jump(nodes, view, isError)
    default:
      return move(nodes, view, stepOf(name, rows))
  }
}

function nextDetail(
  view: TreeView,
  { name, rows }: { readonly name: string; readonly rows: number },
): TreeView {
  const step = stepOf(name, rows)
  if (step !== 0) return { ...view, detail: Math.max(0, (view.detail ?? 0) + step) }
  return ['q', 'escape', 'return', 'enter', 'left'].includes(name) ? { ...view, detail: undefined } : view
}

function nextSearch(nodes: readonly RunTreeNode[], view: TreeView, { text, name }: Key): TreeView {
  if (name === 'escape') return { ...view, isTyping: false, search: '' }
  if (name === 'backspace') return { ...view, search: view.search.slice(0, -1) }
  if (name !== 'return' && name !== 'enter') return { ...view, search: view.search + text }
  const found = { ...view, isTyping: false }
  return view.search === '' ? found : jump(nodes, found, (each) => matches(each, view.search))
}

function stepOf(name: string, rows: number): number {
  const steps: ReadonlyMap<string, number> = new Map([
    ['up', -1],
    ['k', -1],
    ['down', 1],
    ['j', 1],
    ['pageup', 2 - rows],
    ['pagedown', rows - 2],
    ['home', -Infinity],
    ['end', Infinity],
  ])
  return steps.get(name) ?? 0
}

function withOpen(view: TreeView, at: number): TreeView {
  return { ...view, open: new Set([...view.open, at]) }
}

/** Selects a visible node some rows away. */
function move(nodes: readonly RunTreeNode[], view: TreeView, step: number): TreeView {
  const visible = visibleNodes(nodes, view)
  const index = Math.max(0, Math.min(visible.length - 1, visible.indexOf(view.at) + step))
  return { ...view, at: visible[index] ?? 0 }
}

/** Selects the next node that passes a test, in the whole tree, and opens the rows above it. */
function jump(nodes: readonly RunTreeNode[], view: TreeView, test: (node: RunTreeNode) => boolean): TreeView {
  for (let offset = 1; offset <= nodes.length; offset += 1) {
    const at = (view.at + offset) % nodes.length
    const node = nodes[at]
    if (node === undefined || !test(node)) continue
    const open = new Set(view.open)
    for (let parent = node.parent; parent >= 0; parent = nodes[parent]?.parent ?? -1) open.add(parent)
    return { ...view, at, open }
  }
  return view
}

/** Returns the indexes of the nodes whose parents are all open. */
function visibleNodes(nodes: readonly RunTreeNode[], { open }: TreeView): readonly number[] {
  const visible: number[] = []
  let closedDepth = Infinity
  for (const [index, { depth }] of nodes.entries()) {
    if (depth > closedDepth) continue
    closedDepth = open.has(index) ? Infinity : depth
    visible.push(index)
  }
  return visible
}

function isError(node: RunTreeNode): boolean {
  const { outcome } = 'run' in node ? node.run : node.call
  return outcome !== undefined && outcome !== 'completed' && outcome !== 'partial'
}

function matches(node: RunTreeNode, search: string): boolean {
  const wanted = search.toLowerCase()
  return [titleOf(node), ...detailTexts(node)].some((text) => text.toLowerCase().includes(wanted))
}

/** Returns the lines of a screen: the visible part of the tree or of the details, and the keys. */
export function treeLines(nodes: readonly RunTreeNode[], view: TreeView, size: TreeSize): readonly string[] {
  const { columns, rows } = size
  const height = Math.max(1, rows - 1)
  const lines = view.detail === undefined ? rowLines(nodes, view, size) : detailLines(nodes, view, size)
  const footer = view.isTyping ? `/${view.search}▌` : keysLine(view, size)
  const filled = [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => '')]
  return [...filled, footer].map((line) => cliTruncate(line, Math.max(1, columns - 1)))
}

function keysLine({ detail, search }: TreeView, { columns, style }: TreeSize): string {
  const parts =
    detail === undefined
      ? [
          { text: '↑↓ move', dropOrder: 1 },
          { text: '←→ close, open', dropOrder: 3 },
          { text: 'Enter details', dropOrder: 4 },
          { text: '/ search', dropOrder: 2 },
          { text: search === '' ? '' : 'n next match', dropOrder: 5 },
          { text: 'e next error', dropOrder: 6 },
          { text: 'q quit' },
        ]
      : [{ text: '↑↓ scroll' }, { text: 'Enter back' }]
  const dimmed = parts.map((part) => ({ ...part, text: part.text === '' ? '' : style.dim(part.text) }))
  return joinParts(dimmed, { width: columns - 1, style })
}

function rowLines(
  nodes: readonly RunTreeNode[],
  view: TreeView,
  { rows, style }: TreeSize,
): readonly string[] {
  const height = Math.max(1, rows - 1)
  const visible = visibleNodes(nodes, view)
  const selected = visible.indexOf(view.at)
  const first = Math.max(0, Math.min(selected - Math.floor(height / 2), visible.length - height))
  const shown = visible.slice(first, first + height).flatMap((index) => {
    const node = nodes[index]
    return node === undefined ? [] : [{ index, node, end: endOf(node, style) }]
  })
  const endWidth = Math.max(0, ...shown.map(({ end }) => stringWidth(end)))
  return shown.map(({ index, node, end }) => {
    const mark = node.hasChildren ? (view.open.has(index) ? '▾' : '▸') : ' '
    const title = index === view.at ? style.bold(titleOf(node)) : titleOf(node)
    const cursor = index === view.at ? style.cyan('›') : ' '
    return `${cursor}${'  '.repeat(node.depth)}${mark} ${pad(end, endWidth)}  ${title}`
  })
}

const TITLE = 200

/** Returns the name of a run or call with its input or arguments, on one line. */
function titleOf(node: RunTreeNode): string {
  if ('run' in node) return plainText(`${node.run.instance} ${node.run.input}`, { max: TITLE }).trim()
  return plainText(`${node.label} ${JSON.stringify(node.call.args)}`, { max: TITLE })
}

function endOf(node: RunTreeNode, style: Style): string {
  const { outcome, durationMs } = 'run' in node ? node.run : node.call
  const time = durationMs === undefined ? '' : ` ${formatDuration(durationMs)}`
  const micros = 'run' in node ? node.run.usage.micros : 0
  const cost = micros === 0 ? '' : ` ${formatCost(micros / 1_000_000)}`
  if (outcome === undefined) return style.dim('… not ended')
  const { mark, color } = OUTCOME_LOOKS[outcome]
  return `${style[color](mark)}${style.dim(`${time}${cost}`)}`
}

function detailLines(nodes: readonly RunTreeNode[], view: TreeView, size: TreeSize): readonly string[] {
  const node = nodes[view.at]
  if (node === undefined) return []
  const { columns, rows, style } = size
  const [input, result] = detailTexts(node)
  const sections = [
    `${endOf(node, style)}  ${style.bold(titleOf(node))}`,
    '',
    style.dim('run' in node ? 'message' : 'arguments'),
    plainText(input, { lines: true }),
    '',
    style.dim('run' in node ? 'answer' : 'result'),
    plainText(result, { lines: true }),
  ]
  const width = Math.max(1, columns - 1)
  const lines = sections
    .join('\n')
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
  const height = Math.max(1, rows - 1)
  const first = Math.min(view.detail ?? 0, Math.max(0, lines.length - height))
  return lines.slice(first, first + height)
}

/** Returns the input and the result of a run or call, as they were recorded. */
function detailTexts(node: RunTreeNode): readonly [string, string] {
  const { error } = 'run' in node ? node.run : node.call
  const failed = error === undefined ? '' : failureText(error)
  if ('run' in node) return [node.run.input, failed === '' ? node.run.text : failed]
  const { args, content = [] } = node.call
  return [JSON.stringify(args, null, 2), failed === '' ? contentText(content) : failed]
}
