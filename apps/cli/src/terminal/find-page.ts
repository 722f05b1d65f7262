/** Port of `troupe serve` without `--port` and `server.port`. */
const DEFAULT_PORT = 7788
const MAX_WAIT_MS = 1000

/**
 * Returns the address of the page of a server on this machine that knows the run, so that it uses the same
 * store; `undefined` without one. Sends no token: a server that requires one is not found.
 */
export async function findPage(
  runId: string,
  { port = DEFAULT_PORT }: { readonly port?: number | undefined },
): Promise<string | undefined> {
  const origin = `http://127.0.0.1:${port}`
  try {
    const response = await fetch(`${origin}/api/runs/${encodeURIComponent(runId)}`, {
      signal: AbortSignal.timeout(MAX_WAIT_MS),
      redirect: 'error',
    })
    await response.body?.cancel()
    return response.ok ? `${origin}/` : undefined
  } catch {
    // Nothing listens there.
    return undefined
  }
}
