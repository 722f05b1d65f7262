// Plain JavaScript, like everything in this folder: type stripping would be measured as part of the start.

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

/** A model of the AI SDK's provider interface that answers `done`. */
export const model = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'cold',
  supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'done' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  }),
}
