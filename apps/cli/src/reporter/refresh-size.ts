import type { Output } from '../terminal/terminal.ts'

/**
 * Reads the size of the terminal again, which emits `resize` if it changed. Node does this on SIGWINCH only,
 * possibly several frames late; those frames would be drawn over lines that the terminal has already
 * rewrapped.
 */
export function refreshSize(output: Output): void {
  const refresh: unknown = Reflect.get(output, '_refreshSize')
  if (typeof refresh === 'function') Reflect.apply(refresh, output, [])
}
