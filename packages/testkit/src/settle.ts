const TURNS = 5

/** Lets the event loop turn a few times: promises settle, immediates run, ready sockets are read. Waits for no timer. */
export async function settle(turns: number = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
