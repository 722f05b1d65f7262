import { getOwn } from '@troupe/schema'
import type { ModelPrice } from '@troupe/schema/ports'
import type { ProviderPrice } from '../config/model-context.ts'

/** List price of a model on a given day. */
export interface ListPrice extends ProviderPrice {
  readonly provider: string
  readonly model: string
  /** URL of the price page, or of a list that cites it. */
  readonly source: string
  /** Day on which it showed this price, as YYYY-MM-DD. */
  readonly seen: string
}

type PriceRow = readonly [model: string, price: ProviderPrice]

/**
 * List prices in USD per million tokens, as dated snapshots. Standard tier, text, prompts up to 200,000
 * tokens; `cacheWrite` is for the shortest cache lifetime. A model that is not listed has no price, and
 * cached input without its own price costs as much as other input.
 */
export const LIST_PRICES: readonly ListPrice[] = [
  ...pricesFrom(
    { provider: 'openai', source: 'https://platform.openai.com/docs/pricing', seen: '2025-12-27' },
    [
      ['gpt-5.2', { input: 1.75, cacheRead: 0.175, output: 14 }],
      ['gpt-5.1', { input: 1.25, cacheRead: 0.125, output: 10 }],
      ['gpt-5', { input: 1.25, cacheRead: 0.125, output: 10 }],
      ['gpt-5-mini', { input: 0.25, cacheRead: 0.025, output: 2 }],
      ['gpt-5-nano', { input: 0.05, cacheRead: 0.005, output: 0.4 }],
      ['gpt-5-pro', { input: 15, output: 120 }],
      ['gpt-4.1', { input: 2, cacheRead: 0.5, output: 8 }],
      ['gpt-4.1-mini', { input: 0.4, cacheRead: 0.1, output: 1.6 }],
      ['gpt-4.1-nano', { input: 0.1, cacheRead: 0.025, output: 0.4 }],
      ['gpt-4o', { input: 2.5, cacheRead: 1.25, output: 10 }],
      ['gpt-4o-2024-05-13', { input: 5, output: 15 }],
      ['gpt-4o-mini', { input: 0.15, cacheRead: 0.075, output: 0.6 }],
      ['o3', { input: 2, cacheRead: 0.5, output: 8 }],
      ['o3-mini', { input: 1.1, cacheRead: 0.55, output: 4.4 }],
      ['o4-mini', { input: 1.1, cacheRead: 0.275, output: 4.4 }],
    ],
  ),
  ...pricesFrom(
    {
      provider: 'anthropic',
      source: 'https://platform.claude.com/docs/en/about-claude/pricing',
      seen: '2026-11-21',
    },
    [
      ['claude-opus-4-7', { input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 }],
      ['claude-opus-4-6', { input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 }],
      ['claude-opus-4-5', { input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 }],
      ['claude-opus-4-1', { input: 15, cacheRead: 1.5, cacheWrite: 18.75, output: 75 }],
      ['claude-sonnet-4-6', { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }],
      ['claude-sonnet-4-5', { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }],
      ['claude-haiku-4-5', { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 }],
    ],
  ),
  ...pricesFrom(
    // a list that cites https://ai.google.dev/gemini-api/docs/pricing
    { provider: 'google', source: 'https://github.com/pydantic/genai-prices', seen: '2026-09-23' },
    [
      ['gemini-3.5-flash', { input: 1.5, cacheRead: 0.15, output: 9 }],
      ['gemini-3.5-flash-lite', { input: 0.3, cacheRead: 0.03, output: 2.5 }],
      ['gemini-3.1-pro-preview', { input: 2, cacheRead: 0.2, output: 12 }],
      ['gemini-3.1-flash-lite', { input: 0.25, cacheRead: 0.025, output: 1.5 }],
      ['gemini-2.5-pro', { input: 1.25, cacheRead: 0.125, output: 10 }],
      ['gemini-2.5-flash', { input: 0.3, cacheRead: 0.03, output: 2.5 }],
      ['gemini-2.5-flash-lite', { input: 0.1, cacheRead: 0.01, output: 0.4 }],
    ],
  ),
]

const byName: ReadonlyMap<string, ListPrice> = new Map(
  LIST_PRICES.map((row) => [`${row.provider}/${row.model}`, row]),
)

/**
 * Returns the list price of a model, or `undefined` if it is not listed. A dated model name (`-2025-09-29`,
 * `-20250929`) that is not listed has the price of the undated name.
 */
export function listPrice(provider: string, model: string): ListPrice | undefined {
  const undated = model.replace(/-\d{4}-?\d{2}-?\d{2}$/u, '')
  return byName.get(`${provider}/${model}`) ?? byName.get(`${provider}/${undated}`)
}

function pricesFrom(
  page: Pick<ListPrice, 'provider' | 'source' | 'seen'>,
  rows: readonly PriceRow[],
): readonly ListPrice[] {
  return rows.map(([model, price]) => Object.freeze({ ...page, model, ...price }))
}

/** Price of a model, in USD per million tokens. Without a date it is from the configuration. */
export interface KnownPrice extends ProviderPrice {
  /** URL of the price page. */
  readonly source?: string
  /** Day on which the page showed this price, as YYYY-MM-DD. */
  readonly seen?: string
}

/** Returns the first configured price among `names`, else that of `*`. `undefined` if there is none. */
export function configuredPrice(
  prices: Readonly<Record<string, ProviderPrice>> | undefined,
  names: readonly string[],
): ProviderPrice | undefined {
  for (const name of [...names, '*']) {
    const price = getOwn(prices ?? {}, name)
    if (price !== undefined) return price
  }
  return undefined
}

/**
 * Returns the configured price of a model, else the list price. List prices do not apply to other base URLs
 * than the provider's own.
 */
export function knownPrice(model: {
  readonly provider: string
  /** Name in the card, then name sent to the provider. */
  readonly names: readonly [string, string]
  readonly prices: Readonly<Record<string, ProviderPrice>> | undefined
  readonly isOwnAddress: boolean
}): KnownPrice | undefined {
  const configured = configuredPrice(model.prices, model.names)
  if (configured !== undefined || !model.isOwnAddress) return configured
  return listPrice(model.provider, model.names[1])
}

const MICROS = 1_000_000

/** Converts a price to micro-USD per million tokens. */
export function toModelPrice({ input, output, cacheRead, cacheWrite }: ProviderPrice): ModelPrice {
  return {
    input: Math.round(input * MICROS),
    output: Math.round(output * MICROS),
    ...(cacheRead === undefined ? {} : { cacheRead: Math.round(cacheRead * MICROS) }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: Math.round(cacheWrite * MICROS) }),
  }
}
