import type { ProgramStop } from './stop.ts'

/** Resolves when the program is stopped. */
export async function waitForStop({ signal }: ProgramStop): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
