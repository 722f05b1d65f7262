/** A metric with its unit. Histograms have buckets, which are those of the conventions. */
export interface Metric {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly buckets?: readonly number[]
}

/** Name of a metric in {@link METRICS}. */
export type MetricKey =
  | 'chatDuration'
  | 'toolDuration'
  | 'runDuration'
  | 'queueDuration'
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'reasoningTokens'
  | 'cost'

/** The metrics. */
export const METRICS: Readonly<Record<MetricKey, Metric>> = {
  chatDuration: {
    name: 'gen_ai.client.inference.duration',
    unit: 's',
    description: 'Duration of a model call, with its retries.',
    buckets: doubling(0.01, 81.92),
  },
  toolDuration: {
    name: 'gen_ai.execute_tool.duration',
    unit: 's',
    description: 'Duration of a tool call, with waits for approvals.',
    buckets: doubling(0.01, 81.92),
  },
  runDuration: {
    name: 'gen_ai.invoke_agent.duration',
    unit: 's',
    description: 'Duration of a run.',
    buckets: doubling(0.1, 409.6),
  },
  queueDuration: {
    name: 'troupe.queue.duration',
    unit: 's',
    description: 'Time that a child waits for a free slot.',
    buckets: doubling(0.01, 81.92),
  },
  inputTokens: {
    name: 'gen_ai.client.inference.usage.input_tokens',
    unit: '{token}',
    description: 'Input tokens, cached ones included.',
  },
  outputTokens: {
    name: 'gen_ai.client.inference.usage.output_tokens',
    unit: '{token}',
    description: 'Output tokens, reasoning included.',
  },
  cacheReadTokens: {
    name: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    unit: '{token}',
    description: 'Input tokens read from a cache.',
  },
  cacheWriteTokens: {
    name: 'gen_ai.client.inference.usage.cache_write.input_tokens',
    unit: '{token}',
    description: 'Input tokens written to a cache.',
  },
  reasoningTokens: {
    name: 'gen_ai.client.inference.usage.reasoning.output_tokens',
    unit: '{token}',
    description: 'Output tokens for reasoning.',
  },
  cost: { name: 'troupe.cost', unit: 'USD', description: 'Cost of model calls with a known price.' },
}

function doubling(first: number, last: number): readonly number[] {
  const buckets = [first]
  while ((buckets.at(-1) ?? last) < last) buckets.push((buckets.at(-1) ?? last) * 2)
  return buckets
}
