// Plain JavaScript, as everything in this folder: type stripping would be counted as part of the start.

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
const finish = { finishReason: { unified: 'stop', raw: undefined }, usage }

/** A model that says `done`. */
export const model = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'cold',
  supportedUrls: {},
  doGenerate: async () => ({ content: [{ type: 'text', text: 'done' }], ...finish, warnings: [] }),
  doStream: async () => ({
    stream: new ReadableStream({
      start: (controller) => {
        controller.enqueue({ type: 'text-start', id: '1' })
        controller.enqueue({ type: 'text-delta', id: '1', delta: 'done' })
        controller.enqueue({ type: 'text-end', id: '1' })
        controller.enqueue({ type: 'finish', ...finish })
        controller.close()
      },
    }),
  }),
}

/** Prints what the process has used since it began, if the run gave the right answer. */
export function report(text) {
  if (text !== 'done') throw new TypeError(`the run gave ${JSON.stringify(text)}`)
  const { user, system } = process.cpuUsage()
  process.stdout.write(JSON.stringify({ cpu: user + system, rss: process.memoryUsage().rss }))
}
