import type { Output } from '../terminal/terminal.ts'

/**
 * Has a terminal asked for its size, which tells whoever listens to `resize`. Node asks when it is told of a change, and that may be after several frames: they
 * would be drawn over lines that the terminal has wrapped anew.
 */
export function refreshSize(output: Output): void {
  const refresh: unknown = Reflect.get(output, '_refreshSize')
  if (typeof refresh === 'function') Reflect.apply(refresh, output, [])
}
