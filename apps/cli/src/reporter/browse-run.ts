import type { Timeline } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { openKeys } from '../terminal/typing.ts'
import { firstTreeView, nextTreeView, treeLines, treeNodes } from './run-tree.ts'

const ENTER_SCREEN = '\u001B[?1049h\u001B[?25l'
const LEAVE_SCREEN = '\u001B[?25h\u001B[?1049l'
const TOP = '\u001B[H'
const ERASE_LINE_END = '\u001B[K'

/** Shows a run as a tree on the alternate screen until the user leaves it or the program is stopped. */
export async function browseRun(timeline: Timeline, context: CommandContext): Promise<void> {
  const { stdout, outStyle: style } = context.terminal
  const keys = openKeys(context)
  if (keys === undefined) return
  const nodes = treeNodes(timeline)
  let view = firstTreeView()
  let isShown = false
  const draw = (): void => {
    if (!isShown) return
    const { columns = 80, rows = 24 } = stdout
    const lines = treeLines(nodes, view, { columns, rows, style })
    stdout.write(`${TOP}${lines.map((line) => `${line}${ERASE_LINE_END}`).join('\r\n')}`)
  }
  const show = (isForeground: boolean): void => {
    if (isForeground === isShown) return
    isShown = isForeground
    stdout.write(isForeground ? ENTER_SCREEN : LEAVE_SCREEN)
    draw()
  }
  const unwatch = context.watchForeground(show)
  const forget = context.atExit(() => show(false))
  stdout.on('resize', draw)
  try {
    await new Promise<void>((resolve) => {
      const { signal } = context.stop
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
      keys.onEnd(resolve)
      keys.onKey((key) => {
        const next = nextTreeView(nodes, view, { key, rows: stdout.rows ?? 24 })
        if (next === undefined) return resolve()
        view = next
        draw()
      })
    })
  } finally {
    stdout.off('resize', draw)
    unwatch()
    forget()
    show(false)
    keys.close()
  }
}
