const TURNS = 5

/**
 * Turns the event loop a few times, so that promises settle, immediates run and ready sockets are read. Does
 * not wait for timers.
 */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
