import { Worker } from 'node:worker_threads'
import { errorMessage, troupeError, type Clock } from '@troupe/schema'
import type { HtmlPage, MarkdownPage } from './page-worker.ts'

/** Time limit of a conversion in ms, and memory in MiB. */
const TIME_LIMIT = 15_000
const MAX_HEAP_MB = 512

/**
 * Converts HTML to Markdown in a thread, which ends at the time limit, so that a hostile page can neither
 * block nor crash the app. Throws `url_failed`, or `signal.reason`.
 */
export async function convertPage(
  page: HtmlPage,
  {
    clock,
    signal,
    timeLimit = TIME_LIMIT,
  }: {
    readonly clock: Clock
    readonly signal: AbortSignal
    readonly timeLimit?: number
  },
): Promise<MarkdownPage> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<MarkdownPage>()
  const fail = (why: string): void =>
    reject(troupeError('url_failed', `${page.url} could not be converted to Markdown: ${why}.`, { fix: FIX }))
  const worker = startWorker(page)
  const cancel = clock.after(timeLimit, () => fail(`it took more than ${timeLimit} ms`))
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  worker.on('message', resolve)
  worker.on('error', (thrown) => fail(errorMessage(thrown)))
  worker.on('exit', (code) => fail(`exit code ${code}`))
  try {
    return await promise
  } finally {
    cancel()
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

const FIX = 'Fetch it with `format: "html"` to get the page as it is.'

/** Starts the thread from the file next to this one, which exists in the sources, the package and bundles. */
function startWorker(page: HtmlPage): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./page-worker.${ending}`, import.meta.url), {
    workerData: page,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
}
